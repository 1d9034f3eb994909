// SPDX-License-Identifier: Apache-2.0
// Fills an empty database with rows that exercise every column, as far as its own rules allow.

package import Diagnosis
public import SQLiteFormat

/// How a database was filled.
public struct Seeding: Hashable, Sendable {
  /// A table that has no rows all the same.
  public struct Failure: Hashable, Sendable {
    /// The table.
    public let table: Name
    /// What stood in the way of the last row that was tried.
    public let reason: String
  }

  /// How many rows were added, without those that triggers have added.
  public internal(set) var rows = 0
  /// The tables that could not be filled.
  public internal(set) var failures: [Failure] = []
}

/// Fills an empty database with rows.
package struct DatabaseSeeder {
  /// How often a row is tried with other values beside the one that it is about.
  private static let triesMax = 24
  /// The most rows of a table.
  private static let rowsMax = 2000
  /// How many rows of a parent are chosen from.
  private static let parentsMax = 64
  /// How many steps of SQLite's machine all rows may take.
  private static let stepsMax = 2_000_000_000

  private let seed: UInt64
  private var seeding = Seeding()

  /// Fills the database in a file of ours: the books of frameworks with what a contract knows of them,
  /// and all other tables with rows that are made up.
  ///
  /// - Throws: ``RescueError`` when it cannot be written, and when somebody wished the run to stop.
  package static func fill(
    _ path: FilePath, seed: UInt64, books: [Framework: FrameworkBook] = [:], _ world: World
  ) throws(RescueError) -> Seeding {
    var seeder = DatabaseSeeder(seed: seed)
    do throws(SQLiteError) {
      let connection = try Connection(path, mode: .readWrite)
      connection.stop(when: world.isCancelled)
      connection.acceptUnknownCollations()
      connection.patience.allow(stepsMax)
      // Each row is a transaction: only its end shows what breaks a deferred foreign key.
      try connection.execute(
        "PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
      let schema = try SchemaReader.describe(connection)
      let own = Framework.ownTables(in: schema)
      for (framework, book) in books.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        try seeder.note(book, of: framework, in: schema, on: connection)
      }
      let tables = schema.tables.filter { $0.kind == .ordinary && !own.contains($0.name) }
      for circle in SeedCircle.all(of: tables) {
        try seeder.fill(circle, of: schema, on: connection)
      }
      for table in order(tables) {
        try seeder.fill(table, of: schema, on: connection)
      }
      for virtual in try SchemaReader.virtualTables(connection) {
        guard let table = schema.tables.first(where: { $0.name == virtual.name }) else { continue }
        if virtual.isFullText, virtual.contentTable == nil {
          try seeder.fill(table.holdingTexts, of: schema, on: connection)
        } else if virtual.isRegions {
          try seeder.fill(table.withKeyInFront, of: schema, on: connection)
        }
      }
    } catch {
      try world.requireGoingOn()
      throw RescueError.ofOwnFile(
        error, doing: "fill an empty database", meaning: "nothing was changed")
    }
    return seeder.seeding
  }

  private init(seed: UInt64) {
    self.seed = seed
  }

  /// Adds the rows by which a framework notes what a book says.
  private mutating func note(
    _ book: FrameworkBook, of framework: Framework, in schema: SchemaDescription,
    on connection: borrowing Connection
  ) throws(SQLiteError) {
    guard let (name, rows) = framework.rows(for: book),
      let table = schema.tables.first(where: { $0.name == name })
    else { return }
    var choice = SeededChoice(seed: seed, for: name.text)
    let columns = table.columns.filter { column in
      column.generated == .none && (column.notNull || rows.contains { $0[column.name] != nil })
    }
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    let seeds = columns.map { SeedColumn($0, of: table) }
    do throws(SQLiteError) {
      let insert = try connection.prepare(
        "INSERT INTO \(name.quotedIdentifier) (\(names)) VALUES (\(marks))")
      for (number, row) in rows.enumerated() {
        try insert.run(seeds.map { row[$0.name] ?? $0.plainValue(number, &choice) })
        seeding.rows += 1
      }
    } catch  where error.cause == .constraint || error.cause == .other {
      seeding.failures.append(Seeding.Failure(table: name, reason: error.message))
    }
  }

  /// The tables, those first that others refer to.
  private static func order(_ tables: [TableDescription]) -> [TableDescription] {
    var rest = tables.sorted { $0.name < $1.name }
    var ordered: [TableDescription] = []
    while !rest.isEmpty {
      let names = Set(rest.map(\.name))
      let next =
        rest.firstIndex { table in
          table.foreignKeys.allSatisfy { $0.table == table.name || !names.contains($0.table) }
        } ?? 0
      ordered.append(rest.remove(at: next))
    }
    return ordered
  }

  /// What each column of a table is given that can be written to.
  private static func columns(
    of table: TableDescription, on connection: borrowing Connection
  ) -> [SeedColumn] {
    var columns: [SeedColumn] = []
    for column in table.columns where column.generated == .none {
      columns.append(SeedColumn(column, of: table).admitted(by: table, on: connection))
    }
    return columns
  }

  private mutating func fill(
    _ table: TableDescription, of schema: SchemaDescription, on connection: borrowing Connection
  ) throws(SQLiteError) {
    var choice = SeededChoice(seed: seed, for: table.name.text)
    let columns = Self.columns(of: table, on: connection)
    let parents = try parents(of: table, in: schema, on: connection)
    let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
    let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    var rows = 0
    var reason = "it has no column that can be written to"
    do throws(SQLiteError) {
      // A table's own rule for conflicts may undo all that was added.
      let insert = try connection.prepare(
        columns.isEmpty
          ? "INSERT INTO \(table.name.quotedIdentifier) DEFAULT VALUES"
          : "INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(marks))")
      let plainRows: [(Int?, Value)] = [(nil, .null), (nil, .null), (nil, .null)]
      let edges = columns.indices.flatMap { index in
        columns[index].edges.map { (Optional(index), $0) }
      }
      for (tried, value) in (plainRows + edges).prefix(Self.rowsMax) {
        for attempt in 0..<Self.triesMax {
          // What several conditions name, NULL fulfils.
          let isEscaping = attempt >= Self.triesMax / 2 && attempt % 2 == 0
          var row = columns.map { column in
            isEscaping && column.escapesByNull
              ? .null : column.plainValue(rows * Self.triesMax + attempt, &choice)
          }
          parents.choose(for: columns.map(\.name), &row, &choice)
          if let tried { row[tried] = value }
          parents.referToItself(
            for: columns.map(\.name), &row, besides: tried.map { columns[$0].name }, &choice)
          do throws(SQLiteError) {
            try insert.run(row)
            rows += 1
            break
          } catch  where error.cause == .constraint {
            insert.reset()
            reason = error.message
          }
        }
      }
    } catch  where error.cause == .other || error.isRefusal {
      reason = error.message
    }
    seeding.rows += rows
    if rows == 0 { seeding.failures.append(Seeding.Failure(table: table.name, reason: reason)) }
  }

  /// Fills tables that refer to each other in a circle: only together, in one transaction, can their
  /// first rows be added.
  private mutating func fill(
    _ circle: SeedCircle, of schema: SchemaDescription, on connection: borrowing Connection
  ) throws(SQLiteError) {
    var rows = 0
    do throws(SQLiteError) {
      try connection.execute("BEGIN; PRAGMA defer_foreign_keys = ON")
      for table in circle.tables {
        var choice = SeededChoice(seed: seed, for: table.name.text)
        let columns = Self.columns(of: table, on: connection)
        let parents = try parents(of: table, in: schema, on: connection)
        let names = columns.map(\.name.quotedIdentifier).joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = try connection.prepare(
          "INSERT OR ABORT INTO \(table.name.quotedIdentifier) (\(names)) VALUES (\(marks))")
        for number in 1...SeedCircle.rows {
          try Self.insert(tries: Self.triesMax, with: insert) { attempt in
            var row = columns.map { $0.plainValue(number * Self.triesMax + attempt, &choice) }
            parents.choose(for: columns.map(\.name), &row, &choice)
            circle.choose(number, for: columns.map(\.name), of: table, &row)
            return row
          }
          rows += 1
        }
      }
      try connection.execute("COMMIT")
      seeding.rows += rows
    } catch  where error.cause == .constraint || error.cause == .other || error.isRefusal {
      // What stood in the way is told of each table when it is filled by itself.
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
    }
  }

  /// Adds a row, with other values as long as a constraint refuses it.
  private static func insert(
    tries: Int, with statement: borrowing Statement, _ row: (Int) -> [Value]
  ) throws(SQLiteError) {
    for attempt in 0..<tries {
      do throws(SQLiteError) {
        return try statement.run(row(attempt))
      } catch  where error.cause == .constraint && attempt + 1 < tries {
        statement.reset()
      }
    }
  }

  /// The rows that rows of a table can refer to.
  private func parents(
    of table: TableDescription, in schema: SchemaDescription, on connection: borrowing Connection
  ) throws(SQLiteError) -> SeedParents {
    var parents = SeedParents()
    for key in table.foreignKeys {
      guard let parent = schema.tables.first(where: { $0.name == key.table }) else { continue }
      let referred = key.referenced(in: parent)
      guard referred.count == key.columns.count else { continue }
      guard key.table != table.name else {
        parents.own.append((key.columns, referred))
        continue
      }
      let names = referred.map(\.quotedIdentifier).joined(separator: ", ")
      let conditions = referred.map { "\($0.quotedIdentifier) IS NOT NULL" }
      let rows = try connection.rows(
        "SELECT \(names) FROM \(parent.name.quotedIdentifier) WHERE "
          + conditions.joined(separator: " AND ") + " ORDER BY \(names) LIMIT \(Self.parentsMax)")
      parents.keys.append((key.columns, rows))
    }
    return parents
  }
}

extension TableDescription {
  /// The same with texts in all columns.
  fileprivate var holdingTexts: TableDescription {
    var table = self
    for index in table.columns.indices { table.columns[index].type = "TEXT" }
    return table
  }

  /// The same with its first column as its key, as an R-tree has it.
  fileprivate var withKeyInFront: TableDescription {
    var table = self
    table.rowIDAlias = 0
    return table
  }
}

/// The rows that rows of a table can refer to.
private struct SeedParents {
  /// Of each foreign key its columns, and values for them.
  var keys: [(columns: [Name], rows: [[Value]])] = []
  /// Of each foreign key to the table itself its columns, and those that they refer to.
  var own: [(columns: [Name], referred: [Name])] = []

  /// Puts values that refer to a row into the columns of every foreign key.
  func choose(for names: [Name], _ row: inout [Value], _ choice: inout SeededChoice) {
    for key in keys {
      let values = choice.pick(key.rows)
      for (index, column) in key.columns.enumerated() {
        guard let place = names.firstIndex(of: column) else { continue }
        row[place] = values?[index] ?? .null
      }
    }
  }

  /// Has a row refer to itself, or to none, by keys without the column that is tried.
  func referToItself(
    for names: [Name], _ row: inout [Value], besides tried: Name?, _ choice: inout SeededChoice
  ) {
    for key in own where tried.map({ !key.columns.contains($0) }) ?? true {
      let isToItself = choice.pick([true, false]) ?? true
      for (column, referred) in zip(key.columns, key.referred) {
        guard let place = names.firstIndex(of: column),
          let source = names.firstIndex(of: referred)
        else { continue }
        row[place] = isToItself ? row[source] : .null
      }
    }
  }
}
