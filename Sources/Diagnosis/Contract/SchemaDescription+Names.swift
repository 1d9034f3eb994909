// SPDX-License-Identifier: Apache-2.0
// A schema asked for its names, and with others in their place.

package import SQLiteFormat

extension SchemaDescription {
  /// The names of all that it has, and of the columns.
  var names: Set<Name> {
    var names = Set(tables.map(\.name)).union(views.map(\.name)).union(triggers.map(\.name))
    for table in tables {
      names.formUnion(table.columns.map(\.name))
      names.formUnion(table.indexes.map(\.name))
    }
    return names
  }

  /// What has to go before something of this name can be made: names are shared by tables, views
  /// and indexes.
  func dropping(_ name: Name) -> [ContractDifference.Mend.Step] {
    if views.contains(where: { $0.name == name }) {
      return [SchemaComparison.dropping(.view, name)]
    }
    if tables.contains(where: { $0.name == name }) {
      return [SchemaComparison.dropping(.table, name)]
    }
    let isIndex = tables.contains { table in
      table.indexes.contains { $0.name == name && $0.origin == .created }
    }
    return isIndex ? [SchemaComparison.dropping(.index, name)] : []
  }

  /// The schema with other names for some tables, in all that refers to them.
  package func renamingTables(_ names: [Name: Name]) -> SchemaDescription {
    guard !names.isEmpty else { return self }
    var schema = self
    for index in schema.tables.indices {
      let name = schema.tables[index].name
      schema.tables[index].name = names[name] ?? name
      for key in schema.tables[index].foreignKeys.indices {
        let parent = schema.tables[index].foreignKeys[key].table
        schema.tables[index].foreignKeys[key].table = names[parent] ?? parent
      }
    }
    schema.views = schema.views.map { $0.renaming(names) }
    schema.triggers = schema.triggers.map { $0.renaming(names) }
    return schema
  }
}

extension NamedSQL {
  fileprivate func renaming(_ names: [Name: Name]) -> NamedSQL {
    NamedSQL(
      name: name, table: names[table] ?? table,
      sql: SQLTokens(parsing: sql).renaming(names).sql)
  }
}

extension TableDescription {
  /// The table with other names for some columns.
  func renamingColumns(_ names: [Name: Name]) -> TableDescription {
    guard !names.isEmpty else { return self }
    func renamed(_ name: Name) -> Name { names[name] ?? name }
    func renamed(_ sql: String) -> String { SQLTokens(parsing: sql).renaming(names).sql }
    var table = self
    for index in table.columns.indices {
      table.columns[index].name = renamed(table.columns[index].name)
    }
    for index in table.indexes.indices {
      table.indexes[index].predicate = table.indexes[index].predicate.map(renamed)
      for part in table.indexes[index].columns.indices {
        let column = table.indexes[index].columns[part]
        table.indexes[index].columns[part].name = column.name.map(renamed)
        table.indexes[index].columns[part].expression = column.expression.map(renamed)
      }
    }
    for index in table.foreignKeys.indices {
      table.foreignKeys[index].columns = table.foreignKeys[index].columns.map(renamed)
    }
    table.checks = table.checks.map(renamed)
    table.sql = TableDeclaration.renaming(names, in: table.sql)
    return table
  }

  /// What a quoted name in one of its expressions can be the name of.
  var expressionNames: Set<Name> {
    Set(columns.map(\.name)).union(["rowid", "_rowid_", "oid", name])
  }

  /// The name by which statements can say the rowid; nil where columns have taken all of them.
  var rowIDName: Name? {
    guard !withoutRowID, kind == .ordinary else { return nil }
    let names = Set(columns.map(\.name))
    return (["rowid", "_rowid_", "oid"] as [Name]).first { !names.contains($0) }
  }
}

extension [Name: Name] {
  /// Of new names by the old ones, those that were not given yet: the old name is there and not
  /// wanted, the new one is wanted and not there.
  func pending(from present: Set<Name>, to wanted: Set<Name>) -> [Name: Name] {
    filter { old, new in
      present.contains(old) && !wanted.contains(old) && wanted.contains(new)
        && !present.contains(new)
    }
  }

  /// The old names by the new ones: the first of those that became the same.
  var oldByNew: [Name: Name] {
    Dictionary(map { ($0.value, $0.key) }, uniquingKeysWith: Swift.min)
  }
}
