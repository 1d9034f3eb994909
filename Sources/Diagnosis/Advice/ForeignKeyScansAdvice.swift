// SPDX-License-Identifier: Apache-2.0
// Foreign keys whose child columns no index begins with.

import SQLiteFormat

enum ForeignKeyScansAdvice: Adviser {
  static let kind = AdviceKind.foreignKeyScans
  static let words = AdviceWords(
    title: "foreign keys have no index on their columns",
    costs:
      "Whenever a row of the parent is deleted or its key changes, all rows of the child table "
      + "are read, once for each such row; joins from the parent read them too.",
    action: "Make an index on the columns that refer.",
    unless: "Leave it where no row of the parent is ever deleted and nothing is looked up by these "
      + "columns, or the child stays small: an index costs with every insert.")

  private static let leastRows = 100

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    var taken = Set(basis.survey.schema?.entries.map(\.name) ?? [])
    let found = basis.tables.flatMap { table -> [(rows: Int, place: Advice.Place)] in
      guard let rows = basis.measure(of: table.name)?.entries, rows >= leastRows else { return [] }
      var seen: Set<[Name]> = []
      return table.foreignKeys.map { ($0, basis.collations(of: $0, in: table)) }.filter {
        !table.finds($0.columns, $1) && seen.insert($0.columns).inserted
      }
      .map { key, collations in
        let name = Self.name(for: key, of: table, &taken)
        let columns = zip(key.columns, collations).map { column, collation in
          column.quotedIdentifier
            + (table.collation(of: column) == collation
              ? "" : " COLLATE \(collation.quotedIdentifier)")
        }.joined(separator: ", ")
        return (
          rows,
          Advice.Place(
            object: "\(table.name).\(key.columns.joined(separator: ", "))",
            message: "refers to '\(key.table)'; \(counted(rows, "row", "rows")) are read to find "
              + "those of one parent",
            sql: "CREATE INDEX \(name.quotedIdentifier) ON \(table.name.quotedIdentifier) "
              + "(\(columns));")
        )
      }
    }.sorted { $0.rows > $1.rows }
    guard !found.isEmpty else { return nil }
    return AdviceTrait(
      found: "\(counted(found.count, "foreign key has", "foreign keys have")) no index that begins "
        + "with the columns that refer",
      figures: ["foreignKeys": found.count, "rows": found.reduce(0) { $0 + $1.rows }],
      places: found.map(\.place))
  }

  /// A name that nothing in the schema has yet.
  private static func name(
    for key: ForeignKeyDescription, of table: TableDescription, _ taken: inout Set<Name>
  ) -> Name {
    var name = Name("\(table.name)_\(key.columns.joined(separator: "_"))")
    while !taken.insert(name).inserted { name = Name("\(name)_") }
    return name
  }
}

extension AdviceBasis {
  /// By which collations the columns of a foreign key are compared: by those of the parent's.
  fileprivate func collations(
    of key: ForeignKeyDescription, in child: TableDescription
  ) -> [Name] {
    let parent = tables.first { $0.name == key.table }
    let referenced = key.referenced(in: parent)
    return key.columns.enumerated().map { place, column in
      (place < referenced.count ? parent?.collation(of: referenced[place]) : nil)
        ?? child.collation(of: column) ?? "BINARY"
    }
  }
}

extension TableDescription {
  /// The collation of a column; nil where there is none of that name.
  fileprivate func collation(of name: Name) -> Name? {
    columns.first { $0.name == name }?.collation
  }

  /// Whether rows with given values of some columns are found without reading all.
  fileprivate func finds(_ names: [Name], _ collations: [Name]) -> Bool {
    if let rowIDColumn, names == [rowIDColumn] { return true }
    let wanted = Dictionary(zip(names, collations), uniquingKeysWith: { first, _ in first })
    return indexes.contains { index in
      let first = index.columns.prefix(names.count)
      return index.predicate == nil && first.count == names.count
        && Set(first.map(\.name)) == Set(names.map(Optional.some))
        && first.allSatisfy { column in column.name.map { wanted[$0] == column.collation } == true }
    }
  }
}
