// SPDX-License-Identifier: Apache-2.0
// Rows that refer to another row in the result than they did in their input, which must not happen in
// silence.

import Diagnosis
import SQLiteFormat

/// The references between the rows of an older input, and where they lead in the result.
struct DanglingReferences {
  private let references: [MergeReferences.Reference]
  private let tables: [MergeTable]
  private let older: StagedInput

  init(_ tables: [MergeTable], _ older: StagedInput) {
    references = MergeReferences.references(of: tables, to: tables, in: older)
    self.tables = tables
    self.older = older
  }

  /// Counts the rows that refer to others, once everything is decided.
  func note(_ merger: inout Merger) throws {
    for reference in references {
      try merger.world.requireGoingOn()
      try note(
        merger.connection.value(reference.danglingCount), of: reference, in: older.label, &merger,
        "referred to rows of '\(reference.parent.name)' that were not there: newer inputs have rows "
          + "with those keys, and they refer to these now")
      try note(
        merger.connection.value(reference.outrankedCount), of: reference, in: older.label, &merger,
        "referred to rows of '\(reference.parent.name)' that were set aside: they refer to the rows "
          + "with the same keys that stay")
      try note(
        merger.connection.value(reference.supersededCount), of: reference, in: "newer inputs",
        &merger,
        "referred to rows of '\(reference.parent.name)' that were set aside: they refer to "
          + "the rows of \(older.label) with the same keys")
    }
    for table in tables { try noteOtherTargets(of: table, &merger) }
  }

  private func note(
    _ value: Value?, of reference: MergeReferences.Reference, in label: String,
    _ merger: inout Merger, _ words: String
  ) {
    merger.ledger.noteAdopted(
      value, of: reference.child, by: reference.columns, in: label,
      words + "; see whether they belong to them")
  }

  /// Counts the rows whose reference leads to another table in the result.
  private func noteOtherTargets(of table: MergeTable, _ merger: inout Merger) throws {
    for key in older.foreignKeys(of: table.description) {
      let other = table.description.foreignKeys.first {
        Set($0.columns) == Set(key.columns) && $0.table != key.table
      }
      guard let other else { continue }
      let given = key.columns.map { "c.\($0.quotedIdentifier) IS NOT NULL" }.conjunction
      let value = try merger.connection.value(
        """
        SELECT count(*) FROM \(table.decisions) AS d CROSS JOIN older.\(table.quoted) AS c
        ON \(table.isRow("c", "o")) WHERE d.decision IN (0, 3) AND \(given)
        """)
      merger.ledger.noteAdopted(
        value, of: table, by: key.columns, in: older.label,
        "referred to '\(key.table)' there: in the result that leads to '\(other.table)'")
    }
  }
}

extension MergeReferences.Reference {
  /// The rows that the older input brought, as `c`.
  private var brought: String {
    """
    \(child.decisions) AS d CROSS JOIN older.\(child.quoted) AS c ON \(child.isRow("c", "o"))
    """
  }

  /// How many rows of the older input refer to none of it, and to one of the result.
  fileprivate var danglingCount: String {
    """
    SELECT count(*) FROM \(brought) WHERE d.decision IN (0, 3)
    AND NOT EXISTS (SELECT 1 FROM older.\(parent.quoted) AS p WHERE \(refers("c", to: "p")))
    AND EXISTS (SELECT 1 FROM main.\(parent.quoted) AS p WHERE \(refers("c", to: "p")))
    """
  }

  /// The rows about whose keys one thing was decided, as those of a database: `o` or `m`.
  private func parents(_ decision: MergeDecision, _ side: String) -> String {
    let names = parentColumns.map { "p.\($0.quotedIdentifier)" }.joined(separator: ", ")
    return """
      WITH p AS MATERIALIZED (SELECT \(names) FROM \(parent.decisions) AS d
        CROSS JOIN \(side == "o" ? "older" : "main").\(parent.quoted) AS p ON \(parent.isRow("p", side))
        WHERE d.decision = \(decision.rawValue))
      """
  }

  /// How many rows of the older input refer to one of it beside which another one stays.
  fileprivate var outrankedCount: String {
    """
    \(parents(.outranked, "o")) SELECT count(*) FROM \(brought) JOIN p ON \(refers("c", to: "p"))
    WHERE d.decision IN (0, 3)
    """
  }

  /// How many other rows refer to one that has given way to one of the older input.
  fileprivate var supersededCount: String {
    let places = child.places("m").joined(separator: ", ")
    return """
      \(parents(.won, "m")) SELECT count(*) FROM main.\(child.quoted) AS c
      JOIN p ON \(refers("c", to: "p"))
      WHERE (\(child.address.map { "c.\($0)" }.joined(separator: ", "))) NOT IN (
        SELECT \(places) FROM \(child.decisions) WHERE decision IN (0, 1, 3))
      """
  }
}
