// SPDX-License-Identifier: Apache-2.0
// The line of a run that was done and logged, and after which its report could not be written.

package import Diagnosis
import SQLiteFormat

/// What the log holds of a run that ended in another status than its line says: what was to be done
/// after it, such as the writing of a report, failed.
package struct RunCorrection: Hashable, Sendable, Codable {
  /// The version of the JSON.
  package let version: Int
  /// The code of the run.
  package let code: SupportCode
  /// The status that it ended in.
  package let exit: Int32

  init(_ code: SupportCode, exit: Int32) {
    version = PublishedFormat.log.version
    self.code = code
    self.exit = exit
  }
}
