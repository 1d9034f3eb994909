// SPDX-License-Identifier: Apache-2.0
// The parts of a table reduced to what they mean, and shown in a few words of SQL.

import SQLiteFormat

/// What a column means, with nothing of how it was written.
struct ColumnMeaning: Hashable {
  /// A column, the table that it is in, and its position there.
  typealias Place = (column: ColumnDescription, table: TableDescription, position: Int)

  /// The declared type, folded.
  private var type: String
  private var notNull: Bool
  private var defaultText: String?
  private let collation: Name
  private let generated: ColumnDescription.Generated
  private let expression: String?

  private init(_ place: Place, _ names: Set<Name>) {
    let column = place.column
    type = SQLTokens(parsing: column.type).normalized
    notNull = column.notNull
    defaultText = column.defaultMeaning
    collation = column.collation
    generated = column.generated
    expression =
      column.generated == .none
      ? nil
      : TableDeclaration(sql: place.table.sql).expression(of: column.name)?.meaning(names: names)
  }

  /// What the difference between two columns weighs; nil where there is none.
  static func weight(
    ofDifferenceBetween expected: Place, and found: Place, _ names: Set<Name>, _ rules: SchemaRules
  ) -> ContractDifference.Weight? {
    let wanted = ColumnMeaning(expected, names)
    var present = ColumnMeaning(found, names)
    guard wanted != present else { return nil }
    if rules == .room {
      let isSeen =
        wanted.notNull != present.notNull || roomAffinity(expected) != roomAffinity(found)
        || wanted.defaultText != nil && wanted.defaultText != present.defaultText
      return isSeen ? .drift : .notice
    }
    let (value, other) = (storedDefault(expected), storedDefault(found))
    if value != nil, value == other {
      present.defaultText = wanted.defaultText
      if wanted == present { return nil }
    }
    // The rowid is never NULL, whether that was said or not; that it is the rowid, the key says.
    if [expected, found].contains(where: { $0.table.rowIDAlias == $0.position }) {
      present.notNull = wanted.notNull
      if wanted == present { return nil }
    }
    present.type = wanted.type
    return wanted == present && affinity(expected) == affinity(found) ? .notice : .drift
  }

  private static func storedDefault(_ place: Place) -> Value? {
    place.column.storedDefault(strict: place.table.strict)
  }

  private static func affinity(_ place: Place) -> Affinity {
    Affinity(declaredType: place.column.type, strict: place.table.strict)
  }

  /// The affinity as Room tells it from a declared type.
  private static func roomAffinity(_ place: Place) -> String {
    let type = Name(place.column.type)
    func holds(_ letters: [String]) -> Bool { letters.contains { type.holds($0) } }
    if holds(["int"]) { return "INTEGER" }
    if holds(["char", "clob", "text"]) { return "TEXT" }
    if holds(["blob"]) { return "BLOB" }
    return holds(["real", "floa", "doub"]) ? "REAL" : "UNDEFINED"
  }
}

extension ColumnDescription {
  /// The tokens of the default; nil for NULL, which is the default of every column.
  var constantDefault: [SQLToken]? {
    guard let defaultSQL else { return nil }
    let tokens = SQLTokens(parsing: defaultSQL).tokens
    if tokens.count == 1, tokens[0].isWord("null") { return nil }
    return tokens.map { token in
      switch token {
      // A default names no column, so a name in double quotes is a string.
      case .name(let text): .literal(text.quotedString)
      // And so is a word by itself: DEFAULT active.
      case .word(let text) where tokens.count == 1 && !Self.valueWords.contains(Name(text)):
        .literal(text.quotedString)
      default: token
      }
    }
  }

  /// The words that are values other than a text.
  private static let valueWords: Set<Name> = [
    "null", "true", "false", "current_time", "current_date", "current_timestamp",
  ]

  /// The default as it compares: 1 and TRUE are one, and so are 1 and +1.
  var defaultMeaning: String? {
    guard var tokens = constantDefault else { return nil }
    if tokens.count == 2, tokens[0] == .symbol("+") { tokens.removeFirst() }
    if tokens.count == 1, tokens[0].isWord("true") { return "1" }
    if tokens.count == 1, tokens[0].isWord("false") { return "0" }
    return SQLTokens(tokens).meaning()
  }

  /// The column without its name, such as `TEXT NOT NULL DEFAULT 'UTC'`.
  func definition(in table: TableDescription) -> String {
    var words = type.isEmpty ? [] : [type]
    if notNull { words.append("NOT NULL") }
    if let tokens = constantDefault {
      let text = SQLTokens(tokens).sql
      words.append("DEFAULT " + (tokens.isPlain ? text : "(\(text))"))
    }
    if collation != "BINARY" { words.append("COLLATE \(collation)") }
    if generated != .none {
      let expression = TableDeclaration(sql: table.sql).expression(of: name)?.sql ?? "…"
      words.append("AS (\(expression)) \(generated.rawValue.uppercased())")
    }
    return words.isEmpty ? "no type" : words.joined(separator: " ")
  }
}

extension [SQLToken] {
  /// Whether a default stands without parentheses: a literal, a number with its sign, a word.
  var isPlain: Bool {
    switch count {
    case 1: true
    case 2:
      if case .number = self[1] {
        self[0] == .symbol("-") || self[0] == .symbol("+")
      } else {
        false
      }
    default: false
    }
  }

  /// Whether a default is one and the same value for every row that is there already.
  var isConstant: Bool {
    guard isPlain else { return false }
    guard case .word = self[0] else { return true }
    return ["true", "false"].contains { self[0].isWord($0) }
  }
}

/// What an index means, with nothing of how it was written.
struct IndexMeaning: Hashable {
  let index: IndexDescription
  /// The index in a few words, such as `UNIQUE on log (day DESC) WHERE done`.
  let text: String
  /// Its key in a few words, such as `(day DESC)`.
  let key: String
  /// The text as it compares.
  let normal: String
  /// What Room sees of it.
  let seenByRoom: String

  init(_ index: IndexDescription, of table: TableDescription, _ names: Set<Name>? = nil) {
    self.index = index
    let unique = index.unique && index.origin == .created ? "UNIQUE " : ""
    key = Self.key(index.columns, of: table)
    let predicate = index.predicate.map { " WHERE \($0)" } ?? ""
    let place = index.origin == .created ? "on \(table.name) " : ""
    text = unique + place + key + predicate
    normal = SQLTokens(parsing: text).meaning(names: names ?? table.expressionNames)
    seenByRoom =
      unique
      + index.columns.map { part in
        (part.name?.foldedText ?? "") + (part.descending ? " desc" : "")
      }.joined(separator: ", ")
  }

  static func == (left: IndexMeaning, right: IndexMeaning) -> Bool { left.normal == right.normal }

  func hash(into hasher: inout Hasher) { hasher.combine(normal) }

  /// Columns with the order and collation that are not their own.
  static func key(_ columns: [IndexColumn], of table: TableDescription) -> String {
    let parts = columns.map { part in
      let column = table.columns.first { $0.name == part.name }
      let own = column?.collation ?? "BINARY"
      return (part.name?.plainOrQuoted ?? part.expression ?? "an expression")
        + (own == part.collation || part.expression != nil
          ? "" : " COLLATE \(part.collation)")
        + (part.descending ? " DESC" : "")
    }
    return "(\(parts.joined(separator: ", ")))"
  }

  /// Whether it refuses exactly the rows that another one refuses, which is a constraint.
  func enforcesAll(of constraint: IndexMeaning) -> Bool {
    index.unique && index.origin == .created && index.predicate == nil
      && index.columns.allSatisfy { $0.expression == nil }
      && Set(index.columns.map(\.refused)) == Set(constraint.index.columns.map(\.refused))
  }

  /// What makes it, in a schema that may have its name for something else.
  func making(from found: SchemaDescription) -> ContractDifference.Mend {
    .making(index.sql, .indexes, besides: found.dropping(index.name))
  }

  func missing(from found: SchemaDescription) -> ContractDifference {
    ContractDifference(
      .missing, .index, index.name.text, expected: text, mend: making(from: found))
  }
}

extension IndexColumn {
  /// What of it tells which rows are alike.
  var refused: [Name] { [name ?? "", collation] }
}

extension Name {
  /// The name, in quotes where it would not be read as one without.
  var plainOrQuoted: String {
    let tokens = SQLTokens(parsing: text).tokens
    if tokens.count == 1, case .word = tokens[0] { return text }
    return quotedIdentifier
  }
}

extension TableDescription {
  /// The primary key in a few words, such as `(day, kind DESC)`; nil when there is none.
  var primaryKeyText: String? {
    let columns = columns.filter { $0.primaryKeyPosition > 0 }
      .sorted { $0.primaryKeyPosition < $1.primaryKeyPosition }
    guard !columns.isEmpty else { return nil }
    let index = indexes.first { $0.origin == .primaryKey }
    let key = IndexMeaning.key(
      index?.columns ?? columns.map { IndexColumn(name: $0.name, collation: $0.collation) },
      of: self)
    return key + (rowIDAlias == nil ? "" : " as rowid") + (autoincrement ? " AUTOINCREMENT" : "")
  }

  /// WITHOUT ROWID and STRICT.
  var optionsText: String {
    let options = (withoutRowID ? ["WITHOUT ROWID"] : []) + (strict ? ["STRICT"] : [])
    return options.isEmpty ? "none" : options.joined(separator: ", ")
  }
}

/// What a foreign key means, with nothing of how it was written.
struct ForeignKeyMeaning: Hashable {
  /// The key in a few words of SQL.
  let text: String
  /// The columns that refer.
  let columns: [Name]
  /// The table that they refer to.
  let parent: Name
  /// The columns there.
  let referenced: [Name]
  private let normal: Name
  /// The key as it compares, whether or not it is deferred.
  let undeferred: Name

  init(_ key: ForeignKeyDescription, in schema: SchemaDescription) {
    parent = key.table
    referenced = key.referenced(in: schema.tables.first { $0.name == key.table })
    var text = "(\(key.columns.joined(separator: ", "))) REFERENCES \(key.table)"
    if !referenced.isEmpty { text += " (\(referenced.joined(separator: ", ")))" }
    for (event, action) in [("DELETE", key.onDelete), ("UPDATE", key.onUpdate)]
    where Name(action) != "NO ACTION" {
      text += " ON \(event) \(action.uppercased())"
    }
    // SQLite ignores MATCH.
    undeferred = Name(text)
    if key.deferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    self.text = text
    columns = key.columns
    normal = Name(text)
  }

  static func == (left: ForeignKeyMeaning, right: ForeignKeyMeaning) -> Bool {
    left.normal == right.normal
  }

  func hash(into hasher: inout Hasher) { hasher.combine(normal) }
}
