// SPDX-License-Identifier: Apache-2.0
// A framework that was recognised in a database, and by what.

package import SQLiteFormat

/// A framework that was recognised, and by what.
package struct FrameworkMatch: Hashable, Sendable {
  /// How sure a match is.
  package enum Certainty: String, Hashable, Sendable, CaseIterable, Codable {
    /// Name and columns belong to this framework alone.
    case certain
    /// Others use the same name and columns, or part of what is expected is missing.
    case likely

    var rank: Int { self == .certain ? 0 : 1 }
  }

  /// The framework.
  package let framework: Framework
  /// How sure that is.
  package let confidence: Certainty
  /// The tables that it was recognised by, as they are named in the file.
  ///
  /// They are not all bookkeeping: Anki's and WatermelonDB's hold the user's rows.
  package let tables: [Name]
}
