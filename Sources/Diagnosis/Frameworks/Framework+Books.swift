// SPDX-License-Identifier: Apache-2.0
// Where frameworks note which migrations they have carried out, or of which schema a database is.

import SQLiteFormat

/// What a framework has noted in a database.
package struct FrameworkBook: Hashable, Sendable, Codable {
  /// What Room knows a schema by.
  package var identityHash: String?
  /// The migrations that were carried out, sorted.
  package var migrations: [String]?

  /// Makes a book.
  package init(identityHash: String? = nil, migrations: [String]? = nil) {
    self.identityHash = identityHash
    self.migrations = migrations
  }
}

extension Framework {
  /// The name of the framework in documents, such as `golangMigrate`.
  package var word: String { String(describing: self) }

  /// Books by framework, of those by its name; what has a name that nobody knows is left out.
  package static func books(_ named: [String: FrameworkBook]) -> [Framework: FrameworkBook] {
    let known = Dictionary(allCases.map { ($0.word, $0) }) { first, _ in first }
    return Dictionary(
      named.compactMap { name, book in known[name].map { ($0, book) } }
    ) { first, _ in first }
  }

  /// The query for the migrations that were carried out: their names, one in each row; nil where the
  /// framework notes no such list.
  package var migrationsQuery: String? {
    guard let (table, name) = list else { return nil }
    return "SELECT \(name) FROM \(table.quotedIdentifier)"
  }

  /// Whether only the last migration is noted, by a number that grows.
  package var notesOnlyTheLast: Bool { self == .golangMigrate || self == .caribou }

  /// The table in which each migration that was carried out has a row, and what names it there; NULL
  /// for one that has failed or was taken back.
  ///
  /// Alembic notes the last one only, by a name that tells of no order.
  private var list: (table: Name, name: String)? {
    switch self {
    case .grdb, .sqliteData: ("grdb_migrations", #""identifier""#)
    case .django: ("django_migrations", #""app" || '.' || "name""#)
    case .rails, .dbmate, .ecto: ("schema_migrations", #""version""#)
    // The last row of each version counts.
    case .goose:
      (
        "goose_db_version",
        #"""
        CASE WHEN "is_applied" AND "id" = (SELECT max("id") FROM "goose_db_version" AS "every"
          WHERE "every"."version_id" = "goose_db_version"."version_id") THEN "version_id" END
        """#
      )
    case .flyway: ("flyway_schema_history", #"CASE WHEN "success" THEN "script" END"#)
    case .liquibase: ("databasechangelog", #""filename" || '.' || "author" || '.' || "id""#)
    case .prisma:
      (
        "_prisma_migrations",
        #"""
        CASE WHEN "finished_at" NOTNULL AND "rolled_back_at" IS NULL THEN "migration_name" END
        """#
      )
    case .drizzle: ("__drizzle_migrations", #""hash""#)
    case .efCore: ("__EFMigrationsHistory", #""migrationid""#)
    case .knex: ("knex_migrations", #""name""#)
    case .kysely: ("kysely_migration", #""name""#)
    case .diesel: ("__diesel_schema_migrations", #""version""#)
    case .sqlx: ("_sqlx_migrations", #"CASE WHEN "success" THEN "version" END"#)
    case .refinery: ("refinery_schema_history", #""version""#)
    case .seaORM: ("seaql_migrations", #""version""#)
    case .atlas: ("atlas_schema_revisions", #""version""#)
    case .fluent: ("_fluent_migrations", #""name""#)
    case .sqliteUtils: ("_sqlite_migrations", #""migration_set" || '.' || "name""#)
    case .d1: ("d1_migrations", #""name""#)
    case .typeORM: ("migrations", #""name""#)
    case .sequelize: ("sequelizemeta", #""name""#)
    case .laravel: ("migrations", #""migration""#)
    case .yoyo: ("_yoyo_migration", #""migration_id""#)
    case .peewee: ("migratehistory", #""name""#)
    case .aerich: ("aerich", #""app" || '.' || "version""#)
    case .piccolo: ("migration", #""app_name" || '.' || "name""#)
    case .golangMigrate: ("schema_migrations", #"CASE WHEN NOT "dirty" THEN "version" END"#)
    case .caribou: ("migration_version", #""version""#)
    case .none, .room, .android, .coreData, .watermelonDB, .expo, .powerSync, .litestream,
      .alembic, .anki:
      nil
    }
  }

  /// The query for the identity hash of a database that Room has made.
  package static let identityQuery =
    #"SELECT "identity_hash" FROM "room_master_table" WHERE "id" = 42"#
}
