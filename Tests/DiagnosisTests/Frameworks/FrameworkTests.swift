// SPDX-License-Identifier: Apache-2.0
// Frameworks are recognised by tables and columns together, never by a name alone.

import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct FrameworkTests {
  typealias Table = (name: Name, columns: [Name])

  /// A file as its maker leaves it, and what it is to be recognised as.
  struct Sample: Sendable, CustomTestStringConvertible {
    let framework: Framework
    let confidence: FrameworkMatch.Certainty
    let tables: [(name: Name, columns: [Name])]

    init(
      _ framework: Framework, _ confidence: FrameworkMatch.Certainty = .certain,
      _ tables: (String, String)...
    ) {
      self.framework = framework
      self.confidence = confidence
      self.tables = tables.map { (Name($0), $1.split(separator: " ").map { Name($0) }) }
    }

    var testDescription: String { "\(framework.title), \(confidence)" }
  }

  static let samples = [
    Sample(.room, .certain, ("room_master_table", "id identity_hash")),
    Sample(.android, .certain, ("android_metadata", "locale")),
    Sample(.grdb, .certain, ("grdb_migrations", "identifier")),
    Sample(
      .sqliteData, .certain,
      ("sqlitedata_icloud_metadata", "recordPrimaryKey recordType zoneName ownerName share"),
      ("sqlitedata_icloud_unsyncedRecordIDs", "recordName zoneName ownerName")),
    Sample(
      .coreData, .certain, ("Z_METADATA", "Z_VERSION Z_UUID Z_PLIST"),
      ("Z_PRIMARYKEY", "Z_ENT Z_NAME Z_SUPER Z_MAX"), ("Z_MODELCACHE", "Z_CONTENT"),
      ("ZNOTE", "Z_PK Z_ENT Z_OPT ZTITLE")),
    Sample(.coreData, .likely, ("Z_METADATA", "Z_VERSION Z_UUID Z_PLIST")),
    Sample(
      .watermelonDB, .certain, ("local_storage", "key value"),
      ("posts", "id _changed _status title")),
    Sample(.watermelonDB, .likely, ("posts", "id _changed _status title")),
    Sample(.expo, .likely, ("storage", "key value")),
    Sample(
      .powerSync, .certain, ("ps_migration", "id down_migrations"),
      ("ps_crud", "id data tx_id"), ("ps_oplog", "bucket op_id"), ("ps_data__todos", "id data")),
    Sample(.litestream, .certain, ("_litestream_seq", "id seq"), ("_litestream_lock", "id")),
    Sample(.django, .certain, ("django_migrations", "id app name applied")),
    Sample(
      .rails, .certain, ("schema_migrations", "version"),
      ("ar_internal_metadata", "key value created_at updated_at")),
    Sample(.dbmate, .likely, ("schema_migrations", "version")),
    Sample(.golangMigrate, .certain, ("schema_migrations", "version dirty")),
    Sample(.ecto, .certain, ("schema_migrations", "version inserted_at")),
    Sample(.goose, .certain, ("goose_db_version", "id version_id is_applied tstamp")),
    Sample(.alembic, .certain, ("alembic_version", "version_num")),
    Sample(
      .flyway, .certain,
      (
        "flyway_schema_history",
        "installed_rank version description type script checksum installed_by installed_on "
          + "execution_time success"
      )),
    Sample(
      .liquibase, .certain,
      (
        "DATABASECHANGELOG",
        "ID AUTHOR FILENAME DATEEXECUTED ORDEREXECUTED EXECTYPE MD5SUM DESCRIPTION DEPLOYMENT_ID"
      ), ("DATABASECHANGELOGLOCK", "ID LOCKED LOCKGRANTED LOCKEDBY")),
    Sample(
      .prisma, .certain,
      (
        "_prisma_migrations",
        "id checksum finished_at migration_name logs rolled_back_at started_at applied_steps_count"
      )),
    Sample(.drizzle, .certain, ("__drizzle_migrations", "id hash created_at")),
    Sample(.efCore, .certain, ("__EFMigrationsHistory", "MigrationId ProductVersion")),
    Sample(
      .knex, .certain, ("knex_migrations", "id name batch migration_time"),
      ("knex_migrations_lock", "index is_locked")),
    Sample(
      .kysely, .certain, ("kysely_migration", "name timestamp"),
      ("kysely_migration_lock", "id is_locked")),
    Sample(.diesel, .certain, ("__diesel_schema_migrations", "version run_on")),
    Sample(
      .sqlx, .certain,
      ("_sqlx_migrations", "version description installed_on success checksum execution_time")),
    Sample(.refinery, .certain, ("refinery_schema_history", "version name applied_on checksum")),
    Sample(.seaORM, .certain, ("seaql_migrations", "version applied_at")),
    Sample(
      .atlas, .certain,
      (
        "atlas_schema_revisions",
        "version description type applied total executed_at execution_time error error_stmt hash "
          + "partial_hashes operator_version"
      )),
    Sample(.fluent, .certain, ("_fluent_migrations", "id name batch created_at updated_at")),
    Sample(.sqliteUtils, .certain, ("_sqlite_migrations", "migration_set name applied_at")),
    Sample(.d1, .certain, ("d1_migrations", "id name applied_at")),
    Sample(.typeORM, .likely, ("migrations", "id timestamp name")),
    Sample(.sequelize, .likely, ("SequelizeMeta", "name")),
    Sample(.laravel, .likely, ("migrations", "id migration batch")),
    Sample(
      .anki, .certain, ("col", "id crt mod scm ver dty usn ls conf models decks dconf tags"),
      ("notes", "id guid mid mod usn tags flds sfld csum flags data"),
      ("cards", "id nid did ord mod usn type queue due ivl factor reps lapses left odue odid"),
      ("graves", "usn oid type"), ("revlog", "id cid usn ease ivl lastIvl factor time type")),
    Sample(
      .yoyo, .certain, ("yoyo_lock", "locked ctime pid"),
      ("_yoyo_migration", "migration_hash migration_id applied_at_utc")),
    Sample(.peewee, .certain, ("migratehistory", "id name migrated_at")),
    Sample(.caribou, .likely, ("migration_version", "version")),
    Sample(.aerich, .certain, ("aerich", "id version app content")),
    Sample(.piccolo, .likely, ("migration", "id name app_name ran_on")),
    Sample(
      .doctrine, .certain, ("doctrine_migration_versions", "version executed_at execution_time")),
    Sample(
      .geoPackage, .certain, ("gpkg_contents", "table_name data_type identifier"),
      ("gpkg_spatial_ref_sys", "srs_name srs_id organization")),
    Sample(
      .mbTiles, .likely, ("metadata", "name value"),
      ("tiles", "zoom_level tile_column tile_row tile_data")),
    Sample(
      .chrome, .certain, ("meta", "key value"),
      ("urls", "id url title visit_count typed_count last_visit_time hidden"),
      ("visits", "id url visit_time from_visit")),
    Sample(.firefox, .certain, ("moz_places", "id url title rev_host visit_count")),
    Sample(.tortoise, .certain, ("tortoise_migrations", "id app name applied_at")),
  ]

  /// Makers that are known by a number in the header alone.
  static let marked: [(framework: Framework, applicationID: Int32, userVersion: Int32)] = [
    (.fossil, 0x0f05_5112, 3), (.geoPackage, 0x4750_4b47, 10_300), (.mbTiles, 0x4d50_4258, 0),
    (.esri, 0x4573_7269, 0), (.bentley, 0x4265_4462, 0), (.texnicard, 0x6a03_5744, 0),
    (.monotone, 0, 0x5f4d_544e),
  ]

  @Test(arguments: marked)
  func `a mark in the header is enough`(
    _ mark: (framework: Framework, applicationID: Int32, userVersion: Int32)
  ) {
    let matches = Framework.detect(
      in: Self.user, applicationID: mark.applicationID, userVersion: mark.userVersion)
    #expect(matches.map(\.framework) == [mark.framework])
    #expect(matches.first?.confidence == .certain)
    #expect(Framework.detect(in: Self.user, applicationID: 1, userVersion: 1).isEmpty)
  }

  private static let user: [Table] = [("user", ["id", "name", "email"]), ("t", [])]

  @Test(arguments: samples)
  func `a maker is recognised, in any case of letters`(_ sample: Sample) {
    for tables in [
      sample.tables,
      sample.tables.map { table in
        (Name(table.name.text.uppercased()), table.columns.map { Name($0.text.uppercased()) })
      },
      sample.tables.map { (Name($0.name.text.lowercased()), $0.columns.reversed()) },
    ] {
      let matches = Framework.detect(in: Self.user + tables)
      #expect(matches.map(\.framework) == [sample.framework])
      #expect(matches.first?.confidence == sample.confidence)
    }
  }

  @Test func `every framework has a sample`() {
    #expect(
      Set(Self.samples.map(\.framework)).union(Self.marked.map(\.framework)).union([.none])
        == Set(Framework.allCases))
  }

  @Test(arguments: samples)
  func `the names alone are not enough`(_ sample: Sample) {
    #expect(Framework.detect(in: sample.tables.map { ($0.name, ["other"]) }).isEmpty)
    #expect(Framework.detect(in: sample.tables.map { ($0.name, []) }).isEmpty)
  }

  @Test func `other tables of the same name are nobody's`() {
    let tables: [Table] = [
      ("migrations", ["id", "name", "country"]), ("storage", ["key", "value", "expires"]),
      ("schema_migrations", ["version", "applied_by"]), ("notes", ["id", "text"]),
      ("cards", ["id", "suit"]),
    ]
    #expect(Framework.detect(in: tables).isEmpty)
    #expect(Framework.detect(in: []).isEmpty)
  }

  @Test func `several makers of one file are all named, the app's first`() {
    let tables: [Table] = [
      ("_litestream_seq", ["id", "seq"]), ("_litestream_lock", ["id"]),
      ("android_metadata", ["locale"]), ("room_master_table", ["id", "identity_hash"]),
      ("storage", ["key", "value"]),
    ]
    let matches = Framework.detect(in: tables)
    #expect(matches.map(\.framework) == [.room, .android, .litestream, .expo])
    #expect(matches.first?.tables == ["room_master_table"])
  }

  @Test func `two tables of one name in a damaged schema are both looked at`() {
    let tables: [Table] = [
      ("room_master_table", []), ("ROOM_MASTER_TABLE", ["id", "identity_hash"]),
    ]
    #expect(Framework.detect(in: tables).first?.tables == ["ROOM_MASTER_TABLE"])
  }

  @Test func `only ASCII letters are folded`() {
    #expect(Framework.detect(in: [("ANDRO\u{130}D_METADATA", ["locale"])]).isEmpty)
    // U+212A, the Kelvin sign, is no K.
    #expect(Framework.detect(in: [("\u{212A}nex_migrations", ["locale"])]).isEmpty)
  }

  @Test func `the numbers are part of support codes and stay`() {
    #expect(Framework.allCases.map(\.rawValue) == Array(0...51))
    let pinned: [(Framework, UInt8)] = [
      (.none, 0), (.room, 1), (.coreData, 5), (.django, 10), (.alembic, 16), (.efCore, 21),
      (.seaORM, 27), (.d1, 31), (.anki, 35), (.piccolo, 40), (.firefox, 50),
      (.tortoise, 51),
    ]
    for (framework, number) in pinned { #expect(framework.rawValue == number) }
    #expect(Set(Framework.allCases.map(\.title)).count == Framework.allCases.count)
  }

  // MARK: Unsynced rows

  private func marks(_ tables: [Table]) -> [UnsyncedMark] {
    UnsyncedMark.marks(in: tables, of: Framework.detect(in: tables))
  }

  @Test func `the marks of frameworks name the tables as the file does`() {
    #expect(
      marks([("local_storage", ["key", "value"]), ("Posts", ["id", "_changed", "_status"])]) == [
        UnsyncedMark(
          framework: .watermelonDB, table: "Posts",
          rule: .rows(predicate: #""_status" IS NOT 'synced'"#))
      ])
    #expect(
      marks([("ps_migration", ["id", "down_migrations"]), ("ps_crud", ["id", "data", "tx_id"])])
        == [UnsyncedMark(framework: .powerSync, table: "ps_crud", rule: .rows(predicate: "1"))])
  }

  @Test func `Anki marks rows in four tables`() throws {
    let anki = try #require(Self.samples.first { $0.framework == .anki })
    #expect(marks(anki.tables).map(\.table) == ["notes", "cards", "graves", "revlog"])
  }

  @Test func `the mirror of Core Data cannot be told`() {
    let tables: [Table] = [
      ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]),
      ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
      ("ANSCKRECORDMETADATA", ["Z_PK", "ZNEEDSUPLOAD"]),
    ]
    #expect(
      marks(tables) == [
        UnsyncedMark(framework: .coreData, table: "ANSCKRECORDMETADATA", rule: .cannotTell)
      ])
  }

  @Test func `common habits count without a framework`() {
    let found = marks([
      ("outbox", ["id", "Status"]), ("sync_queue", ["id"]), ("a", ["is_synced"]),
      ("b", ["synced"]), ("c", ["dirty"]), ("d", ["needs_sync"]), ("e", ["deleted_at"]),
      ("status", ["outbox"]),
    ])
    #expect(found.map(\.table) == ["outbox", "sync_queue", "a", "b", "c", "d", "e"])
    #expect(found.last?.rule == .cannotTell)
  }

  @Test func `the dirty flag of a migration is no unsynced row`() {
    #expect(marks([("schema_migrations", ["version", "dirty"])]).isEmpty)
  }

  @Test func `a framework's marks do not count in a file of others`() {
    #expect(marks([("ps_crud", ["id", "data"]), ("notes", ["guid", "usn"])]).isEmpty)
  }
}
