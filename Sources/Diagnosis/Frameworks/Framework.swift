// SPDX-License-Identifier: Apache-2.0
// Who made a database: a table of frameworks and of the tables they leave, so longer than others.

package import SQLiteFormat

/// The framework, tool or app that made a database, or keeps its books in it.
///
/// The number is part of support codes: it is never reused, never changes, and
/// stays below 64.
package enum Framework: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0
  case room = 1
  case android = 2
  case grdb = 3
  case sqliteData = 4
  case coreData = 5
  case watermelonDB = 6
  case expo = 7
  case powerSync = 8
  case litestream = 9
  case django = 10
  case rails = 11
  case dbmate = 12
  case golangMigrate = 13
  case ecto = 14
  case goose = 15
  case alembic = 16
  case flyway = 17
  case liquibase = 18
  case prisma = 19
  case drizzle = 20
  case efCore = 21
  case knex = 22
  case kysely = 23
  case diesel = 24
  case sqlx = 25
  case refinery = 26
  case seaORM = 27
  case atlas = 28
  case fluent = 29
  case sqliteUtils = 30
  case d1 = 31
  case typeORM = 32
  case sequelize = 33
  case laravel = 34
  case anki = 35
  case yoyo = 36
  case peewee = 37
  case caribou = 38
  case aerich = 39
  case piccolo = 40

  /// The name as its makers write it.
  package var title: String {
    switch self {
    case .none: "no framework that is known"
    case .room: "Room"
    case .android: "Android"
    case .grdb: "GRDB"
    case .sqliteData: "SQLiteData"
    case .coreData: "Core Data"
    case .watermelonDB: "WatermelonDB"
    case .expo: "Expo"
    case .powerSync: "PowerSync"
    case .litestream: "Litestream"
    case .django: "Django"
    case .rails: "Rails"
    case .dbmate: "dbmate"
    case .golangMigrate: "golang-migrate"
    case .ecto: "Ecto"
    case .goose: "goose"
    case .alembic: "Alembic"
    case .flyway: "Flyway"
    case .liquibase: "Liquibase"
    case .prisma: "Prisma"
    case .drizzle: "Drizzle"
    case .efCore: "EF Core"
    case .knex: "knex"
    case .kysely: "kysely"
    case .diesel: "diesel"
    case .sqlx: "sqlx"
    case .refinery: "refinery"
    case .seaORM: "SeaORM"
    case .atlas: "Atlas"
    case .fluent: "Fluent"
    case .sqliteUtils: "sqlite-utils"
    case .d1: "D1"
    case .typeORM: "TypeORM"
    case .sequelize: "Sequelize"
    case .laravel: "Laravel"
    case .anki: "Anki"
    case .yoyo: "yoyo"
    case .peewee: "peewee"
    case .caribou: "caribou"
    case .aerich: "aerich"
    case .piccolo: "Piccolo"
    }
  }

  /// The frameworks whose tables are among these: the surest first, and of equally sure ones
  /// those that say more about the app.
  ///
  /// Names are compared as SQLite compares them, ASCII case folded. A name alone is
  /// never enough: the columns must be there too. Every match is reported, but for
  /// likely ones whose tables a certain one explains.
  package static func detect(
    in tables: [(name: Name, columns: [Name])]
  ) -> [FrameworkMatch] {
    let catalogue = TableCatalogue(tables)
    var matches: [FrameworkMatch] = []
    var explained: Set<Name> = []
    for signature in signatures {
      guard let found = catalogue.tables(matching: signature.shapes) else { continue }
      switch signature.confidence {
      case .certain: explained.formUnion(found)
      case .likely: if explained.isSuperset(of: found) { continue }
      }
      matches.append(
        FrameworkMatch(
          framework: signature.framework, confidence: signature.confidence, tables: found))
    }
    return matches.sorted { left, right in
      (left.confidence.rank, left.framework.distance)
        < (right.confidence.rank, right.framework.distance)
    }
  }

  /// How far a framework is from the app: what others use underneath or beside comes last.
  private var distance: Int {
    switch self {
    case .litestream: 200
    case .android: 100
    // SQLiteData stands on GRDB and says more.
    case .grdb: 50
    default: Int(rawValue)
    }
  }
}

/// A framework that was recognised, and by what.
package struct FrameworkMatch: Hashable, Sendable {
  /// How sure a match is.
  package enum Confidence: String, Hashable, Sendable, CaseIterable, Codable {
    /// Name and columns belong to this framework alone.
    case certain
    /// Others use the same name and columns, or part of what is expected is missing.
    case likely

    fileprivate var rank: Int { self == .certain ? 0 : 1 }
  }

  /// The framework.
  package let framework: Framework
  /// How sure that is.
  package let confidence: Confidence
  /// The tables that it was recognised by, as they are named in the file.
  ///
  /// They are not all bookkeeping: Anki's and WatermelonDB's hold the user's rows.
  package let tables: [Name]

  /// Makes a match.
  package init(framework: Framework, confidence: Confidence, tables: [Name]) {
    self.framework = framework
    self.confidence = confidence
    self.tables = tables
  }
}

/// Tables by their folded name, with their folded columns.
struct TableCatalogue {
  struct Table {
    let name: Name
    let columns: Set<Name>
  }

  let tables: [Table]
  private let byName: [Name: [Int]]

  init(_ descriptions: [(name: Name, columns: [Name])]) {
    tables = descriptions.map { description in
      Table(name: description.name, columns: Set(description.columns))
    }
    byName = Dictionary(grouping: tables.indices) { [tables] in tables[$0].name }
  }

  /// The names of the tables that fit all the shapes; nil unless each shape is found.
  func tables(matching shapes: [TableShape]) -> [Name]? {
    var found: [Name] = []
    for shape in shapes {
      let names = tables(matching: shape).map(\.name)
      if names.isEmpty { return nil }
      found += names
    }
    return found
  }

  /// The tables that fit a shape, in the order of the file.
  func tables(matching shape: TableShape) -> [Table] {
    let candidates =
      switch shape.name {
      case .exactly(let name): (byName[name] ?? []).map { tables[$0] }
      case .prefix(let prefix): tables.filter { $0.name.hasPrefix(prefix) }
      case .any: tables
      }
    return candidates.filter { shape.fits($0.columns) }
  }
}

/// What a table must look like: its name, and the columns it must have.
struct TableShape {
  enum Pattern {
    case exactly(Name)
    case prefix(Name)
    case any
  }

  /// The name.
  let name: Pattern
  /// The columns that must be there.
  let columns: Set<Name>
  /// Whether other columns rule the table out.
  let isComplete: Bool

  init(_ name: Name, _ columns: Set<Name>, complete: Bool = false) {
    self.init(name: .exactly(name), columns, complete: complete)
  }

  init(name: Pattern, _ columns: Set<Name>, complete: Bool = false) {
    self.name = name
    self.columns = columns
    isComplete = complete
  }

  func fits(_ other: Set<Name>) -> Bool {
    isComplete ? columns == other : columns.isSubset(of: other)
  }
}

/// Tables that together give a framework away.
private struct Signature {
  let framework: Framework
  let confidence: FrameworkMatch.Confidence
  let shapes: [TableShape]

  init(_ framework: Framework, _ confidence: FrameworkMatch.Confidence, _ shapes: [TableShape]) {
    self.framework = framework
    self.confidence = confidence
    self.shapes = shapes
  }
}

extension Framework {
  /// The signatures; a certain one stands before the likely ones that it can explain.
  private static let signatures: [Signature] = [
    Signature(.room, .certain, [TableShape("room_master_table", ["id", "identity_hash"])]),
    Signature(.android, .certain, [TableShape("android_metadata", ["locale"])]),
    Signature(.grdb, .certain, [TableShape("grdb_migrations", ["identifier"])]),
    Signature(
      .sqliteData, .certain,
      [
        TableShape(
          "sqlitedata_icloud_metadata", ["recordprimarykey", "recordtype", "zonename", "ownername"]),
        TableShape(
          "sqlitedata_icloud_unsyncedrecordids", ["recordname", "zonename", "ownername"]),
      ]),
    Signature(
      .sqliteData, .likely,
      [TableShape("sqlitedata_icloud_metadata", ["recordprimarykey", "recordtype"])]),
    Signature(
      .coreData, .certain,
      [
        TableShape("z_metadata", ["z_version", "z_uuid", "z_plist"]),
        TableShape("z_primarykey", ["z_ent", "z_name", "z_super", "z_max"]),
      ]),
    Signature(
      .coreData, .likely, [TableShape("z_metadata", ["z_version", "z_uuid", "z_plist"])]),
    Signature(
      .watermelonDB, .certain,
      [
        TableShape("local_storage", ["key", "value"]),
        TableShape(name: .any, ["id", "_changed", "_status"]),
      ]),
    Signature(
      .watermelonDB, .likely, [TableShape(name: .any, ["id", "_changed", "_status"])]),
    // The key-value store of Expo; its other databases carry no mark.
    Signature(.expo, .likely, [TableShape("storage", ["key", "value"], complete: true)]),
    Signature(
      .powerSync, .certain,
      [
        TableShape("ps_migration", ["id", "down_migrations"]),
        TableShape("ps_crud", ["id", "data"]),
      ]),
    Signature(.powerSync, .likely, [TableShape("ps_migration", ["id", "down_migrations"])]),
    Signature(
      .litestream, .certain,
      [TableShape("_litestream_seq", ["id", "seq"]), TableShape("_litestream_lock", ["id"])]),
    Signature(.litestream, .likely, [TableShape("_litestream_seq", ["id", "seq"])]),
    Signature(
      .django, .certain, [TableShape("django_migrations", ["id", "app", "name", "applied"])]),
    // Rails, dbmate, golang-migrate and Ecto share a name: only their columns tell them apart,
    // and Rails and dbmate only by what else there is.
    Signature(
      .rails, .certain,
      [
        TableShape("schema_migrations", ["version"], complete: true),
        TableShape("ar_internal_metadata", ["key", "value", "created_at", "updated_at"]),
      ]),
    Signature(.dbmate, .likely, [TableShape("schema_migrations", ["version"], complete: true)]),
    Signature(
      .golangMigrate, .certain,
      [TableShape("schema_migrations", ["version", "dirty"], complete: true)]),
    Signature(
      .ecto, .certain,
      [TableShape("schema_migrations", ["version", "inserted_at"], complete: true)]),
    Signature(
      .goose, .certain,
      [TableShape("goose_db_version", ["id", "version_id", "is_applied", "tstamp"])]),
    Signature(.alembic, .certain, [TableShape("alembic_version", ["version_num"])]),
    Signature(
      .flyway, .certain,
      [
        TableShape(
          "flyway_schema_history",
          ["installed_rank", "version", "description", "type", "script", "checksum", "success"])
      ]),
    Signature(
      .liquibase, .certain,
      [
        TableShape(
          "databasechangelog",
          ["id", "author", "filename", "dateexecuted", "orderexecuted", "exectype", "md5sum"])
      ]),
    Signature(
      .prisma, .certain,
      [
        TableShape(
          "_prisma_migrations",
          ["id", "checksum", "finished_at", "migration_name", "rolled_back_at", "started_at"])
      ]),
    Signature(
      .drizzle, .certain, [TableShape("__drizzle_migrations", ["id", "hash", "created_at"])]),
    Signature(
      .efCore, .certain,
      [TableShape("__efmigrationshistory", ["migrationid", "productversion"])]),
    Signature(
      .knex, .certain,
      [
        TableShape("knex_migrations", ["id", "name", "batch", "migration_time"]),
        TableShape("knex_migrations_lock", ["index", "is_locked"]),
      ]),
    Signature(
      .knex, .likely, [TableShape("knex_migrations", ["id", "name", "batch", "migration_time"])]),
    Signature(
      .kysely, .certain,
      [
        TableShape("kysely_migration", ["name", "timestamp"]),
        TableShape("kysely_migration_lock", ["id", "is_locked"]),
      ]),
    Signature(.kysely, .likely, [TableShape("kysely_migration", ["name", "timestamp"])]),
    Signature(
      .diesel, .certain, [TableShape("__diesel_schema_migrations", ["version", "run_on"])]),
    Signature(
      .sqlx, .certain,
      [
        TableShape(
          "_sqlx_migrations",
          ["version", "description", "installed_on", "success", "checksum", "execution_time"])
      ]),
    Signature(
      .refinery, .certain,
      [TableShape("refinery_schema_history", ["version", "name", "applied_on", "checksum"])]),
    Signature(.seaORM, .certain, [TableShape("seaql_migrations", ["version", "applied_at"])]),
    Signature(
      .atlas, .certain,
      [
        TableShape(
          "atlas_schema_revisions",
          ["version", "description", "type", "applied", "total", "executed_at", "hash"])
      ]),
    Signature(
      .fluent, .certain,
      [TableShape("_fluent_migrations", ["id", "name", "batch", "created_at", "updated_at"])]),
    Signature(
      .sqliteUtils, .certain,
      [TableShape("_sqlite_migrations", ["migration_set", "name", "applied_at"])]),
    Signature(.d1, .certain, [TableShape("d1_migrations", ["id", "name", "applied_at"])]),
    Signature(
      .typeORM, .likely, [TableShape("migrations", ["id", "timestamp", "name"], complete: true)]),
    Signature(.sequelize, .likely, [TableShape("sequelizemeta", ["name"], complete: true)]),
    Signature(
      .laravel, .likely, [TableShape("migrations", ["id", "migration", "batch"], complete: true)]),
    Signature(
      .anki, .certain,
      [
        TableShape("col", ["id", "crt", "mod", "scm", "ver", "usn"]),
        TableShape("notes", ["id", "guid", "mid", "usn", "flds", "sfld"]),
        TableShape("cards", ["id", "nid", "did", "usn", "ivl"]),
        TableShape("graves", ["usn", "oid", "type"]),
        TableShape("revlog", ["id", "cid", "usn", "ease"]),
      ]),
    // As yoyo-migrations 9.0.0, peewee-migrate 2.3.0, caribou 0.6.0, aerich 0.10.1 and Piccolo 1.38.0
    // make them.
    Signature(
      .yoyo, .certain,
      [TableShape("_yoyo_migration", ["migration_hash", "migration_id", "applied_at_utc"])]),
    Signature(
      .peewee, .certain,
      [TableShape("migratehistory", ["id", "name", "migrated_at"], complete: true)]),
    Signature(.caribou, .likely, [TableShape("migration_version", ["version"], complete: true)]),
    Signature(.aerich, .certain, [TableShape("aerich", ["id", "version", "app", "content"])]),
    Signature(
      .piccolo, .likely,
      [TableShape("migration", ["id", "name", "app_name", "ran_on"], complete: true)]),
  ]
}
