// SPDX-License-Identifier: Apache-2.0
// What frameworks write down of their own migrations: begun, failed, locked. A table.

import SQLiteFormat

/// What frameworks write down of their own migrations.
enum MigrationBooks {
  /// A migration that was begun and is not noted as finished.
  struct Entry: Hashable, Sendable {
    /// What the book says, in words.
    let message: String
    /// How sure it is that the migration has no end.
    let confidence: Confidence
  }

  /// One framework's book: where it is, and what a row says that has no good end.
  private struct Book: Sendable {
    let framework: String
    let table: Name
    let columns: [Name]
    let says: String
    var confidence = Confidence.certain
    let isUnfinished: @Sendable ([Value?]) -> Bool
  }

  private static let books: [Book] = [
    Book(
      framework: "Flyway", table: "flyway_schema_history", columns: ["success"],
      says: "has failed"
    ) { $0[0]?.integerValue == 0 },
    Book(
      framework: "Prisma", table: "_prisma_migrations", columns: ["finished_at", "rolled_back_at"],
      says: "was begun, and neither finished nor taken back"
    ) { $0[0] == .null && $0[1] == .null },
    Book(
      framework: "golang-migrate", table: "schema_migrations", columns: ["dirty"],
      says: "has failed in the middle"
    ) { $0[0]?.integerValue == 1 },
    Book(
      framework: "sqlx", table: "_sqlx_migrations", columns: ["success"], says: "has failed"
    ) { $0[0]?.integerValue == 0 },
    Book(
      framework: "sqlx", table: "_sqlx_migrations", columns: ["execution_time"],
      says: "was carried out, and its end not noted", confidence: .likely
    ) { $0[0]?.integerValue == -1 },
    Book(
      framework: "yoyo", table: "yoyo_lock", columns: ["locked"], says: "holds its lock still",
      confidence: .likely
    ) { _ in true },
    Book(
      framework: "Atlas", table: "atlas_schema_revisions", columns: ["applied", "total"],
      says: "was carried out in part"
    ) { values in
      guard let applied = values[0]?.integerValue, let total = values[1]?.integerValue else {
        return false
      }
      return applied < total
    },
    Book(
      framework: "Liquibase", table: "DATABASECHANGELOGLOCK", columns: ["LOCKED"],
      says: "holds its lock still", confidence: .likely
    ) { $0[0]?.integerValue == 1 },
    Book(
      framework: "knex", table: "knex_migrations_lock", columns: ["is_locked"],
      says: "holds its lock still", confidence: .likely
    ) { $0[0]?.integerValue == 1 },
    Book(
      framework: "kysely", table: "kysely_migration_lock", columns: ["is_locked"],
      says: "holds its lock still", confidence: .likely
    ) { $0[0]?.integerValue == 1 },
  ]

  /// The most rows of a book that are read.
  private static let rowsMax = 10_000

  /// What the books in a database say that has no good end.
  static func unfinished(in survey: Survey) -> [Entry] {
    books.compactMap { book in
      let count = unfinished(book, in: survey)
      guard count > 0 else { return nil }
      return Entry(
        message: "a migration \(book.says), by the book that \(book.framework) keeps in "
          + "'\(book.table)'", confidence: book.confidence)
    }
  }

  private static func unfinished(_ book: Book, in survey: Survey) -> Int {
    guard let tree = survey.tree(named: book.table), tree.isReadable, tree.records <= rowsMax,
      let shape = survey.schema?.shape(ofTable: book.table), let reader = SalvageReader(survey)
    else { return 0 }
    let places = book.columns.map { column in
      shape.stored.firstIndex { $0.name == column }
    }
    guard places.allSatisfy({ $0 != nil }) else { return 0 }
    var count = 0
    var claims = reader.startingClaims
    reader.read(tree, &claims) { item in
      guard case .row(_, let stored) = item else { return }
      let values = places.map { place in place.flatMap { stored.record.value($0) } }
      if book.isUnfinished(values) { count += 1 }
    }
    return count
  }
}
