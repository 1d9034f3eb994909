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
      sql: SQLTokens(parsing: sql).renamingTables(names).sql)
  }
}

extension SQLTokens {
  /// The text with other names for some tables; columns of such names keep them.
  func renamingTables(_ names: [Name: Name]) -> SQLTokens {
    var places = TableNamePlaces()
    return SQLTokens(
      tokens.indices.map { index in
        let token = tokens[index]
        guard places.isTable(at: index, in: tokens), let name = token.asName, let new = names[name]
        else { return token }
        return .name(new.text)
      })
  }
}

/// Where in the text of a view or trigger the names of tables stand, as it is read from its start.
private struct TableNamePlaces {
  /// What tables stand behind.
  private static let leaders: Set<Name> = ["from", "join", "into", "update", "table", "in"]
  /// What ends a list of tables.
  private static let ends: Set<Name> = [
    "where", "group", "order", "limit", "set", "values", "select", "using", "having", "begin",
    "when", "union", "except", "intersect", "default", "returning", "window",
  ]

  /// Of each open parenthesis whether a list of tables is in it, or goes on behind it.
  private var lists = [false]
  /// Whether the next name is that of a table.
  private var isDue = false
  private var hasBody = false

  /// Whether a token is the name of a table; to be asked of each in turn.
  mutating func isTable(at index: Int, in tokens: [SQLToken]) -> Bool {
    let token = tokens[index]
    let isBeforePoint = index + 1 < tokens.count && tokens[index + 1] == .symbol(".")
    switch token {
    case .symbol("("):
      // Tables that are joined may stand in parentheses; what IN lists is values.
      if index > 0, tokens[index - 1].isWord("in") { isDue = false }
      lists.append(isDue)
    case .symbol(")"):
      if lists.count > 1 { lists.removeLast() }
      isDue = false
    case .symbol(","): isDue = lists.last == true
    case .symbol("."): break
    case .symbol: isDue = false
    case .word(let text) where isKeyword(Name(text), at: index, in: tokens): break
    case .word, .name, .literal:
      defer { isDue = isBeforePoint && isDue }
      let isColumn = index > 0 && tokens[index - 1] == .symbol(".") && !isDue
      return !isColumn && (isDue || isBeforePoint)
    case .number: isDue = false
    }
    return false
  }

  /// Takes a word that says where tables stand.
  private mutating func isKeyword(_ word: Name, at index: Int, in tokens: [SQLToken]) -> Bool {
    let isQualified = index > 0 && tokens[index - 1] == .symbol(".")
    guard !isQualified else { return false }
    if word == "begin" { hasBody = true }
    if Self.leaders.contains(word) {
      isDue = true
      lists[lists.count - 1] = word == "from" || word == "join"
    } else if word == "on" {
      // Before its body, a trigger says on which table it is.
      isDue = !hasBody && tokens.first?.isWord("create") == true && !lists.contains(true)
    } else if word == "of" || Self.ends.contains(word) {
      isDue = false
      lists[lists.count - 1] = false
    } else if !["or", "rollback", "abort", "replace", "fail", "ignore"].contains(word) || !isDue {
      return false
    }
    return true
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
  ///
  /// A name may have been given on, and another be given in its place: of `a` that became `b`, while
  /// `b` became `c`, all that is there moves on, or nothing. A name that is neither there nor wanted
  /// was given on since.
  func pending(from present: Set<Name>, to wanted: Set<Name>) -> [Name: Name] {
    var pending: [Name: Name] = [:]
    for first in keys.sorted() where present.contains(first) && !wanted.contains(first) {
      var steps: [Name: Name] = [:]
      var old = first
      while let new = next(after: old, in: wanted), steps.updateValue(new, forKey: old) == nil {
        old = new
        guard present.contains(new) else {
          pending.merge(steps) { $1 }
          break
        }
      }
    }
    return pending
  }

  /// New names by the old ones, for whatever is there: those that were not given yet, and for another
  /// name that is not wanted the one that it was given in the end.
  func names(from present: Set<Name>, to wanted: Set<Name>) -> [Name: Name] {
    let given = keys.filter { !wanted.contains($0) }.compactMap { old in
      next(after: old, in: wanted).map { (old, $0) }
    }
    return Dictionary(uniqueKeysWithValues: given)
      .merging(pending(from: present, to: wanted)) { $1 }
  }

  /// The first of the names that one was given after another that is wanted; nil where none is.
  private func next(after old: Name, in wanted: Set<Name>) -> Name? {
    var name = old
    for _ in 0..<count {
      guard let new = self[name] else { return nil }
      if wanted.contains(new) { return new }
      name = new
    }
    return nil
  }

  /// The old names by the new ones: the first of those that became the same.
  var oldByNew: [Name: Name] {
    Dictionary(map { ($0.value, $0.key) }, uniquingKeysWith: Swift.min)
  }
}

extension [Name] {
  /// The names so that each is free when its turn comes to be given; `old` has those of before.
  func inTurn(by old: [Name: Name]) -> [Name] {
    guard old.values.contains(where: { old[$0] != nil }) else { return self }
    let newByOld = old.oldByNew
    func stepsBefore(_ new: Name) -> Int {
      var (steps, name) = (0, new)
      while steps < old.count, let next = newByOld[name] { (steps, name) = (steps + 1, next) }
      return steps
    }
    return enumerated().sorted {
      (stepsBefore($0.element), $0.offset) < (stepsBefore($1.element), $1.offset)
    }.map(\.element)
  }
}
