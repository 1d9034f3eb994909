// SPDX-License-Identifier: Apache-2.0
// Rows of newer inputs that refer to none: where an older input brings a row with that key, they come
// to belong to it, which must not happen in silence.

import Diagnosis
import SQLiteFormat

/// The rows of the merged database that refer to rows which only an older input has.
struct MergeAdoptions {
  private let references: [MergeReferences.Reference]
  private let older: StagedInput

  /// Looks at the references of all tables of the result to those that an older input has too.
  init(_ tables: [MergeTable], _ older: StagedInput, _ merger: borrowing Merger) throws {
    let made = try merger.connection.tables(in: "main")
    let all = merger.tables.filter { made.contains($0.description.name) }.compactMap {
      MergeTable($0.description, number: $0.number, clock: nil)
    }
    references = MergeReferences.references(of: all, to: tables)
    self.older = older
  }

  /// Notes these rows before rows of the older input come in.
  func begin(_ merger: borrowing Merger) throws {
    for (number, reference) in references.enumerated() {
      let columns = zip(reference.child.address, reference.child.places("m")).map {
        "c.\($0) AS \($1)"
      }
      try merger.connection.execute(
        """
        DROP TABLE IF EXISTS work.lone\(number);
        CREATE TABLE work.lone\(number) AS SELECT \(columns.joined(separator: ", "))
        FROM main.\(reference.child.quoted) AS c WHERE \(reference.lacksParent("c"))
        """)
    }
  }

  /// Counts those that refer to a row of the older input now; where that has the same row, it is the
  /// one that they have always referred to.
  func end(_ merger: inout Merger) throws {
    let decided = try merger.connection.tables(in: "work")
    for (number, reference) in references.enumerated() {
      let child = reference.child
      let places = child.places("m").joined(separator: ", ")
      let isAlone =
        decided.contains(Name("d\(child.number)"))
        ? """
        AND (\(child.places("d.m").joined(separator: ", "))) NOT IN (
          SELECT \(places) FROM \(child.decisions) WHERE decision IN (1, 3))
        """ : ""
      let value = try merger.connection.value(
        """
        SELECT count(*) FROM work.lone\(number) AS d CROSS JOIN main.\(child.quoted) AS c
        ON \(child.isRow("c", "m")) WHERE NOT (\(reference.lacksParent("c"))) \(isAlone)
        """)
      try merger.connection.execute("DROP TABLE work.lone\(number)")
      merger.ledger.noteAdopted(
        value, of: child, by: reference.columns, in: "newer inputs",
        "referred to rows of '\(reference.parent.name)' that were not there: \(older.label) has rows "
          + "with those keys, and they refer to these now; see whether they belong to them")
    }
  }
}
