// SPDX-License-Identifier: Apache-2.0
// The books of frameworks: what they have noted in a database of the schema and its migrations.

import Diagnosis
import SQLiteFormat

extension ContractVerifier {
  /// The most migrations that are read.
  private static let migrationsMax = 100_000

  /// Compares what frameworks have noted with what the contract knows.
  func compareBooks(
    _ connection: borrowing Connection, _ contract: Contract,
    _ result: inout ContractVerification
  ) {
    for (framework, book) in contract.books.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      result.knownMigrations.formUnion((book.migrations ?? []) + (book.ancestors ?? []))
      if let expected = book.identityHash {
        result.differences += Self.identity(expected, in: connection)
      }
      if let expected = book.model, let (query, table) = framework.modelQuery {
        result.differences += ContractDifference.model(
          expected: expected, found: Self.model(query, in: connection) ?? [:], in: table)
      }
      guard let known = book.migrations, let query = framework.migrationsQuery,
        let noted = Self.list(query, in: connection)
      else { continue }
      if let table = framework.headTable {
        let differences = ContractDifference.heads(expected: known, found: noted, in: table)
        if !differences.isEmpty, !noted.isEmpty, let ancestors = book.ancestors {
          let state = Self.state(of: framework, heads: noted, known: known, ancestors: ancestors)
          result.books.append(state)
          if state.unknown == 0 || state.missing == 0 { continue }
        }
        result.differences += differences
        continue
      }
      let state = Self.state(of: framework, noted: noted, known: known)
      if state.unknown + state.missing > 0 { result.books.append(state) }
      if state.unknown > 0, state.missing > 0 {
        result.differences += ContractDifference.migrations(
          missing: Array(Set(known).subtracting(noted)),
          unknown: Array(Set(noted).subtracting(known)), of: framework)
      }
    }
  }

  private static func state(
    of framework: Framework, noted: [String], known: [String]
  ) -> ContractVerification.BookState {
    guard framework.notesOnlyTheLast else {
      return ContractVerification.BookState(
        framework, unknown: Set(noted).subtracting(known).count,
        missing: Set(known).subtracting(noted).count)
    }
    let (found, expected) = (noted.compactMap { Int($0) }.max(), known.compactMap { Int($0) }.max())
    var state = ContractVerification.BookState(
      framework, unknown: found ?? 0 > expected ?? 0 ? 1 : 0,
      missing: found ?? 0 < expected ?? 0 ? 1 : 0)
    if let found, let expected { state.numbers = .init(expected: expected, found: found) }
    return state
  }

  /// How the heads of a database stand to those that are known, where all that leads to these is
  /// known, too.
  ///
  /// One at an ancestor has not come as far as the contract; one at a head that nobody knows may have
  /// gone on from it.
  private static func state(
    of framework: Framework, heads: [String], known: [String], ancestors: [String]
  ) -> ContractVerification.BookState {
    let unknown = Set(heads).subtracting(known).subtracting(ancestors).count
    let isBehind = !Set(ancestors).subtracting(known).isDisjoint(with: heads)
    return ContractVerification.BookState(
      framework, unknown: unknown,
      missing: unknown == 0 || isBehind ? Set(known).subtracting(heads).count : 0)
  }

  private static func model(_ query: String, in connection: borrowing Connection) -> [String:
    String]?
  {
    guard case .blob(let bytes)? = try? connection.value(query) else { return nil }
    return ObjectModel(Bytes(bytes))?.marks
  }

  private static func list(_ query: String, in connection: borrowing Connection) -> [String]? {
    guard let rows = try? connection.rows("\(query) LIMIT \(migrationsMax)") else { return nil }
    return rows.compactMap { row in
      switch row.first {
      case .integer(let number)?: String(number)
      case let value?: value.utf8String
      case nil: nil
      }
    }
  }

  /// Whether a table has a row for which an expression is true.
  private static func hasRow(
    _ table: Name, _ expression: String, in connection: borrowing Connection
  ) -> Bool {
    let query = "SELECT 1 FROM \(table.quotedIdentifier) WHERE \(expression) LIMIT 1"
    return (try? connection.value(query)) == .integer(1)
  }

  private static func identity(
    _ expected: String, in connection: borrowing Connection
  ) -> [ContractDifference] {
    let found = ((try? connection.value(Framework.identityQuery)) ?? nil)?.utf8String
    return ContractDifference.identity(expected: expected, found: found)
  }

  /// What frameworks have noted in a database with this schema.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be read.
  static func books(
    in connection: borrowing Connection, _ schema: SchemaDescription
  ) throws(SQLiteError) -> [Framework: FrameworkBook] {
    var books: [Framework: FrameworkBook] = [:]
    let matches = Framework.detect(
      in: schema.tables.map { ($0.name, $0.columns.map(\.name)) },
      where: { hasRow($0, $1.sql, in: connection) })
    for match in matches {
      if match.framework == .room {
        let hash = try connection.value(Framework.identityQuery)?.utf8String
        books[.room] = hash.map { FrameworkBook(identityHash: $0) }
      } else if let query = match.framework.modelQuery?.sql {
        let model = model(query, in: connection) ?? [:]
        if !model.isEmpty { books[match.framework] = FrameworkBook(model: model) }
      } else if let query = match.framework.migrationsQuery {
        // One list is the book of one framework, the surest.
        guard !books.keys.contains(where: { $0.migrationsQuery == query }) else { continue }
        let migrations = list(query, in: connection)?.sorted() ?? []
        if !migrations.isEmpty { books[match.framework] = FrameworkBook(migrations: migrations) }
      }
    }
    return books
  }
}
