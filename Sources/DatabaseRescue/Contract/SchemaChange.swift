// SPDX-License-Identifier: Apache-2.0
// What leads from the schema of one contract to that of another: a migration, as a script.

package import Diagnosis
import SQLiteFormat

/// What leads from the schema of one contract to that of another.
package struct SchemaChange: Sendable {
  /// What differs: the first is what was found, the second what is expected.
  package let differences: [ContractDifference]
  /// The versions.
  let versions: (old: Int32, new: Int32)

  /// Compares two contracts, scripts or databases; where the first is a database, its rows are
  /// asked whether they fit.
  ///
  /// - Throws: ``RescueError`` when one of them cannot be read.
  package static func load(
    from first: FilePath, to second: FilePath, world: World
  ) throws(RescueError) -> SchemaChange {
    let new = try ContractSource.load(second, world: world)
    return try ContractSource.withRows(of: first, world: world) { old, connection in
      SchemaChange(from: old, to: new) { differences in
        connection.refuseDoubleQuotedStrings()
        return connection.permitting(.queries) {
          ContractVerifier().counted(differences, in: connection)
        }
      }
    }
  }

  private init(
    from old: Contract, to new: Contract,
    counted: ([ContractDifference]) -> [ContractDifference]
  ) {
    // A database may have more than Room ever looks at, and nobody wants that dropped.
    var found = new.differences(
      in: old.objects, applicationID: old.applicationID ?? 0, leavingUnseen: old.rules != .room)
    if let hash = new.books[.room]?.identityHash {
      found += ContractDifference.identity(
        expected: hash, found: old.books[.room]?.identityHash)
    }
    differences = counted(found)
    versions = (old.userVersion, new.userVersion)
  }

  /// Whether nothing differs.
  package var isEmpty: Bool { differences.isEmpty && versions.old == versions.new }

  /// The statements; each without a semicolon.
  package var statements: [String] {
    var steps = differences.flatMap(\.mend.steps)
    if versions.old != versions.new { steps.append(.version(versions.new)) }
    return ContractDifference.Mend.statements(of: steps)
  }

  /// What goes with it, and for which rows it fails.
  var warnings: [String] {
    differences.flatMap { difference in
      difference.mend.warnings.map { "\(difference.headline): \($0)" }
        + (difference.mend.obstacle.map { ["\(difference.headline): no SQL does it: \($0)"] } ?? [])
    }
  }

  /// The script, with what differs as comments before it.
  package var text: [String] {
    guard !isEmpty else { return [] }
    var comments = differences.flatMap { $0.change }
    if versions.old != versions.new {
      comments.append("~ version: from \(versions.old) to \(versions.new)")
    }
    comments += warnings.map { "warning: \($0)" }
    if statements.contains("BEGIN") {
      comments.append(
        "run it with sqlite3 -bail: without that, the shell goes on where a step has failed")
    }
    return comments.map { "-- \($0.harmless(limit: String.lineLimit))" }
      + statements.map { $0.shownSQL + ";" }
  }

  /// Whether the text has every character of the statements.
  package var isExactlyShown: Bool { statements.allSatisfy { $0.shownSQL == $0 } }
}

extension String {
  /// SQL with everything spelled out that a terminal would obey, but for the ends of its lines.
  fileprivate var shownSQL: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map {
        $0.description.harmless()
      }
      .joined(separator: "\t")
    }.joined(separator: "\n")
  }
}
