// SPDX-License-Identifier: Apache-2.0
// The foreign keys of merged tables: no row is brought along without what it refers to.

import Diagnosis
import SQLiteFormat

/// The foreign keys between merged tables.
struct MergeReferences {
  /// How often is looked for rows that have lost what they refer to; what is left is named.
  private static let passesMax = 1000

  /// One foreign key between tables.
  struct Reference {
    let child: MergeTable
    let columns: [Name]
    let parent: MergeTable
    let parentColumns: [Name]
  }

  private let references: [Reference]
  private let tables: [MergeTable]

  init(_ tables: [MergeTable]) {
    self.tables = tables
    references = Self.references(of: tables, to: tables)
  }

  /// The references of rows of tables to rows of others, by the foreign keys that an input has for them.
  static func references(
    of children: [MergeTable], to tables: [MergeTable], in input: StagedInput? = nil
  ) -> [Reference] {
    children.flatMap { child in
      (input?.foreignKeys(of: child.description) ?? child.description.foreignKeys).compactMap {
        key in
        guard let parent = tables.first(where: { $0.name == key.table }) else { return nil }
        let columns = key.referenced(in: parent.description)
        guard columns.count == key.columns.count, parent.description.tellsRowsApart(by: columns)
        else { return nil }
        return Reference(
          child: child, columns: key.columns, parent: parent, parentColumns: columns)
      }
    }
  }

  /// Takes rows out of the result that the older input brought, and that refer to a row of it that
  /// is not there; and so on, until none is left.
  func withdraw(_ merger: inout Merger) throws {
    let children = tables.filter { table in references.contains { $0.child.name == table.name } }
    for _ in 0..<Self.passesMax {
      var count = 0
      for reference in references {
        try merger.world.requireGoingOn()
        count += try merger.connection.count(
          changedBy: """
            UPDATE \(reference.child.decisions) SET decision = 6 WHERE decision = 0 AND seq IN (
              SELECT d.seq FROM \(reference.child.decisions) AS d
              CROSS JOIN main.\(reference.child.quoted) AS c ON \(reference.child.isRow("c", "m"))
              WHERE d.decision = 0 AND \(reference.lacksParent("c")))
            """)
      }
      guard count > 0 else { return }
      for table in children {
        let removal = PreparedStatement(try merger.connection.prepare(table.removal))
        let noting = PreparedStatement(
          try merger.connection.prepare(
            "UPDATE \(table.decisions) SET decision = 5 WHERE seq = ?"))
        try merger.forEach(.leaving, of: table) { _, row in
          try removal.run([row])
          try noting.run([row])
        }
      }
    }
  }

  /// Lets no row of the older input take the place of another where it refers to a row that is not
  /// there.
  func holdBack(_ table: MergeTable, _ merger: inout Merger) throws {
    for reference in references where reference.child.name == table.name {
      try merger.connection.execute(
        """
        UPDATE \(table.decisions) SET decision = 5 WHERE decision = 3 AND seq IN (
          SELECT d.seq FROM \(table.decisions) AS d
          CROSS JOIN older.\(table.quoted) AS c ON \(table.isRow("c", "o"))
          WHERE d.decision = 3 AND \(reference.lacksParent("c")))
        """)
    }
  }
}

extension MergeReferences.Reference {
  /// Whether a row refers to another one.
  func refers(_ row: String, to other: String) -> String {
    zip(parentColumns, columns).map {
      "\(other).\($0.quotedIdentifier) = \(row).\($1.quotedIdentifier)"
    }.conjunction
  }

  /// Whether a row refers to one of the older input that is not in the result.
  func lacksParent(_ row: String) -> String {
    let given = columns.map { "\(row).\($0.quotedIdentifier) IS NOT NULL" }
    let same = refers(row, to: "p")
    return
      (given + [
        "NOT EXISTS (SELECT 1 FROM main.\(parent.quoted) AS p WHERE \(same))",
        "EXISTS (SELECT 1 FROM older.\(parent.quoted) AS p WHERE \(same))",
      ]).conjunction
  }
}

extension TableDescription {
  /// Whether no two rows have the same values in these columns, and they are quick to find by them.
  fileprivate func tellsRowsApart(by names: [Name]) -> Bool {
    if let rowIDColumn, names == [rowIDColumn] { return true }
    return indexes.contains { index in
      index.unique && index.predicate == nil && index.columns.count == names.count
        && Set(index.columns.compactMap(\.name)) == Set(names)
    }
  }
}

extension Connection {
  /// Runs a statement, and gives how many rows it has changed.
  func count(changedBy sql: String) throws(SQLiteError) -> Int {
    try execute(sql)
    return Int(try value("SELECT changes()")?.integerValue ?? 0)
  }
}
