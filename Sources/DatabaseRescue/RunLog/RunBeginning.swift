// SPDX-License-Identifier: Apache-2.0
// The line that a run writes before it may change a database: should it be killed, the log knows it.

package import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What the log holds of a run that is going to replace a database, before it does.
///
/// Its files carry its code, and so the next run knows them for ours, also where the whole folder
/// was moved to another disk or another device since.
package struct RunBeginning: Hashable, Sendable, Codable {
  /// The version of the JSON.
  package let version: Int
  /// The code that the run has if it succeeds; its quarantine folder has that name.
  package let began: SupportCode
  /// When it was about to change something, to the second.
  package let at: Date
  /// The name of the database file.
  package let file: PlainName

  init(_ code: SupportCode, at date: Date, file: FilePath) {
    version = PublishedFormat.log.version
    began = code
    at = RunRecord.wholeSeconds(date)
    self.file = PlainName(file)
  }
}

extension RunLog {
  /// The log, for a run on a file: which is not itself the log.
  ///
  /// - Throws: ``RescueError`` when there is no place for it, or the place is the file's.
  static func apart(from file: FilePath?, in world: World) throws(RescueError) -> RunLog {
    let log = try RunLog(in: world)
    var files = RunFiles()
    if let file { files.read([file], storage: world.storage) }
    try files.requireApart(log.path, storage: world.storage)
    return log
  }

  /// Those of these codes under which a run has begun to replace a database.
  ///
  /// - Throws: ``RescueError`` when the file exists but cannot be read.
  func begun(among codes: Set<String>) throws(RescueError) -> Set<String> {
    try Set(beginnings().map(\.began.description)).intersection(codes)
  }
}
