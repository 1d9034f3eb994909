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
      return table.foreignKeys.filter {
        !table.finds($0.columns) && seen.insert($0.columns).inserted
      }
      .map { key in
        let name = Self.name(for: key, of: table, &taken)
        let columns = key.columns.map(\.quotedIdentifier).joined(separator: ", ")
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

extension TableDescription {
  /// Whether rows with given values of some columns are found without reading all.
  fileprivate func finds(_ names: [Name]) -> Bool {
    if let rowIDAlias, names == [columns[rowIDAlias].name] { return true }
    return indexes.contains { index in
      index.predicate == nil && index.columns.count >= names.count
        && Set(index.columns.prefix(names.count).map(\.name)) == Set(names.map(Optional.some))
    }
  }
}
