// SPDX-License-Identifier: Apache-2.0
// What SQLite makes of the rows of a table: one row after the other, in memory.

import Diagnosis
import SQLiteFormat
import Synchronization

/// How much time all computations over the rows of a database may take.
///
/// A schema can say anything of a row, and nobody can tell how long that takes.
final class Effort: Sendable {
  /// How long each row may take on average; a sound one takes some microseconds.
  private let perRow: Duration
  private let rest: Mutex<Duration>

  /// As much time as a check may take, or another.
  init(_ start: Duration = .milliseconds(500), perRow: Duration = .microseconds(100)) {
    self.perRow = perRow
    rest = Mutex(start)
  }

  /// Whether there is time for one more row, after one that took so long.
  func allowsRow(after duration: Duration) -> Bool {
    rest.withLock { rest in
      rest += perRow - duration
      return rest > .zero
    }
  }
}

/// The keys of indexes, and rows that break constraints, as SQLite computes them.
///
/// The table is declared anew without what could refuse a row: each stored column with the affinity
/// and collation that it has, and the virtual columns. One row takes the place of the other.
final class SandboxComputation: RowComputation {
  /// The longest values together that are looked at, in bytes.
  private static let rowBytesMax = 8 << 20
  /// The most tokens that the expressions of a table may have.
  private static let tokensMax = 5000

  private var computed = ComputedRows()
  private var keys: [Name: Fingerprint] = [:]

  private let table: ComputedTable
  private let effort: Effort
  private var rules: [ComputedRule] = []
  private var row: SandboxRow?
  private var lastLook = ContinuousClock.now

  /// Makes ready; what cannot be computed is said in the result.
  init(_ table: ComputedTable, _ effort: Effort) {
    self.table = table
    self.effort = effort
    for key in table.keys { keys[key.index.name] = Fingerprint() }
    do throws(SQLiteError) {
      let expressions = try TableExpressions(table, tokensMax: Self.tokensMax)
      let row = try SandboxRow(table, expressions)
      prepare(expressions, row)
      self.row = row
    } catch {
      giveUp(error.message)
    }
  }

  private func prepare(_ expressions: TableExpressions, _ row: SandboxRow) {
    for key in table.keys {
      do throws(SQLiteError) {
        guard let (columns, condition) = expressions.columns(of: key) else {
          throw SQLiteError(extendedCode: 1, message: "its expressions cannot be told apart")
        }
        let kind = ComputedRule.Kind.index(
          key.index.name, condition: condition, hasRowID: !table.description.withoutRowID)
        rules.append(try row.rule(kind, columns))
      } catch {
        leaveOut(key.index.name, error.message)
      }
    }
    let conditions =
      expressions.checks.map { (ComputedRule.Kind.check, ComputedRule.truth(of: $0, null: 1)) }
      + table.filledColumns.map { (.filledColumn, "\($0.quotedIdentifier) IS NOT NULL") }
    for (kind, condition) in conditions {
      do throws(SQLiteError) {
        rules.append(try row.rule(kind, [condition]))
      } catch {
        computed.uncheckedConstraints = error.message
      }
    }
  }

  /// What came of all rows so far.
  var result: ComputedRows {
    var result = computed
    for key in table.keys {
      let name = key.index.name
      if key.index.predicate == nil {
        result.keys[name] = keys[name]
      } else {
        result.partialKeys[name] = keys[name]
      }
    }
    return result
  }

  /// Takes a row.
  func add(_ stored: StoredRecord) {
    guard let row, !rules.isEmpty else { return }
    guard hasTime() else { return giveUp(Self.limitReason) }
    do {
      try row.hold(stored, bytesMax: Self.rowBytesMax)
    } catch {
      return giveUp("a row cannot be looked at")
    }
    for rule in rules { add(stored, to: rule) }
  }

  private func hasTime() -> Bool {
    let now = ContinuousClock.now
    defer { lastLook = now }
    return effort.allowsRow(after: now - lastLook)
  }

  private static let limitReason = "it takes more than a check may"

  private func add(_ stored: StoredRecord, to rule: ComputedRule) {
    let place = FormatError(.recordHeader, page: stored.page, offset: stored.offset)
    do throws(SQLiteError) {
      switch (rule.kind, try rule.outcome(rowID: stored.rowID)) {
      case (.index(let name, _, _), .key(let key?)): keys[name]?.add(key)
      case (.check, .holds(false)): computed.broken.add(place)
      case (.filledColumn, .holds(false)): computed.nulls.add(place)
      default: break
      }
    } catch {
      fail(rule, place, error)
    }
  }

  /// Notes that an expression has no value for a row: for SQLite's own check neither, unless it was
  /// only stopped here.
  private func fail(_ rule: ComputedRule, _ place: FormatError, _ error: SQLiteError) {
    guard case .index(let name, _, _) = rule.kind else {
      if error.isLimit {
        computed.uncheckedConstraints = Self.limitReason
      } else {
        computed.broken.add(place)
      }
      return
    }
    if !error.isLimit { computed.failedIndexes.insert(name) }
    // What SQLite says while it computes may hold values of the row.
    leaveOut(name, Self.limitReason)
    rules.removeAll { $0 === rule }
  }

  private func leaveOut(_ index: Name, _ reason: String) {
    keys[index] = nil
    computed.uncheckedIndexes[index] = reason
  }

  /// Leaves out whatever was not computed to its end.
  private func giveUp(_ reason: String) {
    for index in Array(keys.keys) { leaveOut(index, reason) }
    let hasConstraints = !table.description.checks.isEmpty || !table.filledColumns.isEmpty
    if hasConstraints { computed.uncheckedConstraints = reason }
    rules = []
    row = nil
  }
}

/// The expressions of a table as they stand in its statements.
struct TableExpressions {
  /// The conditions of its CHECK constraints.
  let checks: [String]
  /// The expressions of its generated columns.
  let generated: [Name: String]
  /// Every name in any of them, among other words.
  let names: Set<Name>

  private let indexes: [Name: (items: [SQLTokens], predicate: SQLTokens?)]

  /// Finds them.
  ///
  /// - Throws: ``SQLiteError`` when they are too many, or their text is none.
  init(_ table: ComputedTable, tokensMax: Int) throws(SQLiteError) {
    let statements = [table.description.sql] + table.keys.compactMap(\.index.sql)
    guard !statements.contains(where: { TextEncoding.hasStandIn($0) }) else {
      throw SQLiteError(extendedCode: 1, message: "the statement is not valid text")
    }
    let tokens = SQLTokens(parsing: table.description.sql)
    let checks = SchemaReader.checks(in: tokens)
    let generated = SchemaReader.generatedColumns(in: tokens)
    var indexes: [Name: (items: [SQLTokens], predicate: SQLTokens?)] = [:]
    for key in table.keys {
      guard let sql = key.index.sql else { continue }
      let tokens = SQLTokens(parsing: sql)
      indexes[key.index.name] = (
        SchemaReader.indexItems(in: tokens) ?? [], SchemaReader.predicate(in: tokens)
      )
    }
    let all =
      checks + Array(generated.values)
      + indexes.values.flatMap { $0.items + [$0.predicate].compactMap(\.self) }
    guard all.reduce(0, { $0 + $1.tokens.count }) <= tokensMax else {
      throw SQLiteError(extendedCode: 1, message: "its expressions are too long")
    }
    self.checks = checks.map(\.sql)
    self.generated = generated.mapValues(\.sql)
    self.indexes = indexes
    var names = Set(table.keys.flatMap { $0.columns.compactMap(\.name) } + table.filledColumns)
    for token in all.flatMap(\.tokens) { names.insert(Name(SQLTokens([token]).normalized)) }
    self.names = names
  }

  /// What an entry of an index holds, and which rows have one; nil where the statement cannot be
  /// understood.
  func columns(of key: ComputedTable.Key) -> (columns: [String], condition: String?)? {
    let index = indexes[key.index.name]
    if key.index.predicate != nil, index?.predicate == nil { return nil }
    var columns: [String] = []
    for (place, column) in key.columns.enumerated() {
      if let name = column.name {
        columns.append(name.quotedIdentifier)
      } else {
        guard let items = index?.items, place < items.count else { return nil }
        columns.append(items[place].sql)
      }
    }
    return (columns, index?.predicate?.sql)
  }
}

/// A table in memory that holds one row at a time.
final class SandboxRow {
  private let table: ComputedTable
  private let connection: Connection
  private let statement: Statement
  /// The places of the stored columns that are looked at.
  private let places: [Int]
  private let bindsRowID: Bool
  /// The longest value that an expression may make.
  private var valueBytesMax = 1 << 18

  /// Declares the table.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be declared here.
  init(_ table: ComputedTable, _ expressions: TableExpressions) throws(SQLiteError) {
    self.table = table
    let connection = try Connection(mode: .memory)
    connection.limitForUntrustedSQL(statementBytes: Connection.statementBytesMax)
    // The clock tells when it is enough.
    connection.patience.allow(.max / 2)
    try connection.execute("PRAGMA encoding = '\(table.encoding.name)'; BEGIN")
    let name = table.description.name
    do throws(DeclarationFault) {
      let declaration = try connection.declare(
        SchemaEntry(
          kind: .table, name: name, table: name, root: nil, sql: Self.sql(table, expressions)))
      if let function = declaration.missingFunctions.min() {
        throw DeclarationFault(reason: "no such function: \(function)", weight: .unchecked)
      }
    } catch {
      throw SQLiteError(extendedCode: 1, message: error.reason)
    }
    let quoted = name.quotedIdentifier
    try connection.execute("INSERT INTO \(quoted) DEFAULT VALUES")
    var places: [Int] = []
    var columns: Set<Name> = []
    for (place, column) in table.shape.stored.enumerated()
    where expressions.names.contains(column.name) && columns.insert(column.name).inserted {
      places.append(place)
    }
    self.places = places
    let rowID = table.description.rowIDName(among: expressions.names)
    bindsRowID = rowID != nil
    let targets =
      places.map { table.shape.stored[$0].name.quotedIdentifier } + [rowID].compactMap(\.self)
    let changes = targets.map { "\($0) = ?" }.joined(separator: ", ")
    // Where nothing of a row is looked at, nothing changes.
    statement = try connection.prepare(
      targets.isEmpty ? "SELECT 1" : "UPDATE \(quoted) SET \(changes)")
    statement.limitValues(to: valueBytesMax)
    self.connection = connection
  }

  /// The table without what could refuse a row.
  private static func sql(_ table: ComputedTable, _ expressions: TableExpressions) -> String {
    let columns = table.description.columns.map { column in
      let affinity = Affinity(declaredType: column.type, strict: table.description.strict)
      var sql = "\(column.name.quotedIdentifier) \(affinity.declaredType)"
      sql += " COLLATE \(column.collation.quotedIdentifier)"
      if column.generated == .virtual, let expression = expressions.generated[column.name] {
        sql += " AS (\(expression)) VIRTUAL"
      }
      return sql
    }
    let name = table.description.name.quotedIdentifier
    return "CREATE TABLE \(name) (\(columns.joined(separator: ", ")))"
  }

  /// Prepares a rule over the row.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be computed here.
  func rule(_ kind: ComputedRule.Kind, _ expressions: [String]) throws(SQLiteError) -> ComputedRule
  {
    try ComputedRule(
      kind, expressions, of: table.description.name, table.encoding, on: connection)
  }

  /// Puts a row in the place of the one before it.
  ///
  /// - Throws: ``FormatError`` when a value cannot be read, ``SQLiteError`` when it is too long.
  func hold(_ stored: StoredRecord, bytesMax: Int) throws {
    let fields = Array(stored.record.fields)
    let byteCount = places.reduce(0) { $0 + ($1 < fields.count ? fields[$1].length : 0) }
    guard byteCount <= bytesMax else {
      throw SQLiteError(extendedCode: 1, message: "its values are too long")
    }
    if 4 * byteCount > valueBytesMax {
      valueBytesMax = 4 * byteCount
      statement.limitValues(to: valueBytesMax)
    }
    for (index, place) in places.enumerated() {
      let value =
        switch table.shape.content(at: place, of: fields, rowID: stored.rowID) {
        case .value(let value): value
        case .field(let field, _): try stored.record.value(of: field)
        }
      try statement.bind(value, at: index + 1, encoding: table.encoding)
    }
    if bindsRowID { try statement.bind(.integer(stored.rowID ?? 0), at: places.count + 1) }
    try statement.run([])
  }
}

extension TableDescription {
  /// A name of the rowid that is among others, and that no column has.
  fileprivate func rowIDName(among names: Set<Name>) -> String? {
    guard !withoutRowID else { return nil }
    return ["rowid", "_rowid_", "oid"].first { alias in
      names.contains(Name(alias)) && !columns.contains { $0.name == Name(alias) }
    }
  }
}

extension Affinity {
  /// A declared type that gives a column this affinity.
  fileprivate var declaredType: String {
    switch self {
    case .text: "TEXT"
    case .numeric: "NUMERIC"
    case .integer: "INT"
    case .real: "REAL"
    case .blob: "BLOB"
    }
  }
}
