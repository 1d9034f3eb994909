// SPDX-License-Identifier: Apache-2.0
// The version that a framework notes is read from its own book, and what has no good end is found.

import DatabaseRescue
import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct FrameworkVersionTests {
  /// A book with some rows, and what it says.
  struct Sample: Sendable, CustomTestStringConvertible {
    let framework: Framework
    let words: String?
    let migrations: Int?
    let unfinished: String?
    let steps: [DatabaseBuilder.Step]

    init(
      _ framework: Framework, _ words: String?, migrations: Int? = nil, unfinished: String? = nil,
      _ steps: DatabaseBuilder.Step...
    ) {
      self.framework = framework
      self.words = words
      self.migrations = migrations
      self.unfinished = unfinished
      self.steps = steps
    }

    var testDescription: String { "\(framework.title) at \(words ?? "no version")" }
  }

  static let samples = [
    Sample(
      .room, "0123456789abcdef0123456789abcdef",
      """
      CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);
      INSERT INTO room_master_table VALUES (42, '0123456789abcdef0123456789abcdef'), (1, 'other');
      """),
    Sample(
      .grdb, "v1", migrations: 2,
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('v2'), ('v1');
      """),
    Sample(
      .grdb, "Create players", migrations: 2,
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
      INSERT INTO grdb_migrations VALUES ('v1'), ('Create players');
      """),
    Sample(
      .drizzle, "bbbbbbbbbbbb", migrations: 2,
      """
      CREATE TABLE __drizzle_migrations (id SERIAL PRIMARY KEY, hash text, created_at numeric);
      INSERT INTO __drizzle_migrations (hash, created_at) VALUES
        ('bbbbbbbbbbbbbbbbbbbbbbbb', 1735732800001), ('aaaaaaaaaaaaaaaaaaaaaaaa', 1735732800000);
      """),
    Sample(
      .django, "auth.0002_b, fitness.0001_initial", migrations: 3,
      """
      CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app, name, applied);
      INSERT INTO django_migrations (app, name, applied) VALUES ('auth', '0001_a', 1),
        ('fitness', '0001_initial', 1), ('auth', '0002_b', 1);
      """),
    Sample(
      .tortoise, "accounts.0001_initial, notes.0002_tags", migrations: 3,
      """
      CREATE TABLE "tortoise_migrations" ("id" INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
        "app" VARCHAR(255) NOT NULL, "name" VARCHAR(255) NOT NULL, "applied_at" TIMESTAMP NOT NULL);
      INSERT INTO tortoise_migrations (app, name, applied_at) VALUES ('notes', '0001_initial', 1),
        ('accounts', '0001_initial', 2), ('notes', '0002_tags', 3);
      """),
    Sample(
      .golangMigrate, "7",
      """
      CREATE TABLE schema_migrations (version uint64, dirty bool);
      INSERT INTO schema_migrations VALUES (7, 0);
      """),
    Sample(
      .golangMigrate, nil,
      unfinished: "migration 8 has failed in the middle",
      """
      CREATE TABLE schema_migrations (version uint64, dirty bool);
      INSERT INTO schema_migrations VALUES (8, 1);
      """),
    Sample(
      .flyway, "V1.10__b.sql", migrations: 3,
      """
      CREATE TABLE flyway_schema_history (installed_rank INT PRIMARY KEY, version, description, type,
        script, checksum, success);
      INSERT INTO flyway_schema_history VALUES (1, '1.1', 'a', 'SQL', 'V1.1__a.sql', 1, 1),
        (2, '1.10', 'b', 'SQL', 'V1.10__b.sql', 2, 1), (3, '1.2', 'c', 'SQL', 'V1.2__c.sql', 3, 1);
      """),
    // The second one was undone, the third one given up, and the repeated one has run twice.
    Sample(
      .flyway, "V4__d.sql", migrations: 3,
      """
      CREATE TABLE flyway_schema_history (installed_rank INT PRIMARY KEY, version, description, type,
        script, checksum, success);
      INSERT INTO flyway_schema_history VALUES (1, '1', 'a', 'SQL', 'V1__a.sql', 1, 1),
        (2, '2', 'b', 'SQL', 'V2__b.sql', 2, 1), (3, NULL, 'r', 'SQL', 'R__r.sql', 3, 1),
        (4, '3', 'c', 'SQL', 'V3__c.sql', 4, 1), (5, '4', 'd', 'SQL', 'V4__d.sql', 5, 1),
        (6, '2', 'b', 'UNDO_SQL', 'U2__b.sql', 6, 1), (7, '3', 'c', 'DELETE', 'V3__c.sql', 7, 1),
        (8, NULL, 'r', 'SQL', 'R__r.sql', 8, 1);
      """),
    Sample(
      .goose, "2", migrations: 2,
      """
      CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id, is_applied, tstamp);
      INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (1, 1), (2, 1), (1, 0);
      """),
    Sample(
      .alembic, "3f2a9c, 77b0de",
      """
      CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
      INSERT INTO alembic_version VALUES ('77b0de'), ('3f2a9c');
      """),
    Sample(
      .prisma, "20240101_init", migrations: 1,
      unfinished: "was begun, and neither finished nor taken back",
      """
      CREATE TABLE _prisma_migrations (id TEXT PRIMARY KEY, checksum, finished_at, migration_name,
        logs, rolled_back_at, started_at, applied_steps_count);
      INSERT INTO _prisma_migrations (id, migration_name, finished_at, rolled_back_at) VALUES
        ('a', '20240101_init', 1, NULL), ('b', '20240102_rpe', NULL, NULL),
        ('c', '20240103_sets', 2, 3);
      """),
    Sample(
      .yoyo, "0010_sets", migrations: 2, unfinished: "holds its lock still",
      """
      CREATE TABLE yoyo_lock (locked INT DEFAULT 1, ctime, pid INT NOT NULL, PRIMARY KEY (locked));
      CREATE TABLE _yoyo_migration (migration_hash TEXT, migration_id TEXT, applied_at_utc);
      INSERT INTO yoyo_lock VALUES (1, 0, 4711);
      INSERT INTO _yoyo_migration VALUES ('y', '0010_sets', 0), ('x', '0002_rpe', 0);
      """),
    Sample(
      .atlas, "20240102", migrations: 2, unfinished: "was carried out in part",
      """
      CREATE TABLE atlas_schema_revisions (version TEXT PRIMARY KEY, description, type, applied,
        total, executed_at, execution_time, error, error_stmt, hash, partial_hashes,
        operator_version);
      INSERT INTO atlas_schema_revisions (version, applied, total) VALUES ('20240101', 3, 3),
        ('20240102', 1, 2);
      """),
    // Set by hand after it had stopped: executed (2) and resolved (4).
    Sample(
      .atlas, "20240102", migrations: 2,
      """
      CREATE TABLE atlas_schema_revisions (version TEXT PRIMARY KEY, description, type, applied,
        total, executed_at, execution_time, error, error_stmt, hash, partial_hashes,
        operator_version);
      INSERT INTO atlas_schema_revisions (version, type, applied, total) VALUES
        ('20240101', 2, 3, 3), ('20240102', 6, 1, 2);
      """),
    Sample(
      .chrome, "70",
      """
      CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
      CREATE TABLE cookies (creation_utc, host_key, name, value);
      INSERT INTO meta VALUES ('mmap_status', '-1'), ('version', '70');
      """),
    Sample(
      .chrome, "9",
      """
      CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
      CREATE TABLE favicons (id INTEGER PRIMARY KEY, url LONGVARCHAR NOT NULL, icon_type INTEGER);
      INSERT INTO meta VALUES ('version', '9'), ('last_compatible_version', '9');
      """),
    Sample(
      .anki, "11",
      """
      CREATE TABLE col (id INTEGER PRIMARY KEY, crt, mod, scm, ver, usn);
      CREATE TABLE notes (id INTEGER PRIMARY KEY, guid, mid, usn, flds, sfld);
      CREATE TABLE cards (id INTEGER PRIMARY KEY, nid, did, usn, ivl);
      CREATE TABLE graves (usn, oid, type);
      CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid, usn, ease);
      INSERT INTO col VALUES (1, 0, 0, 0, 11, 0);
      """),
    // What stands there is no name that a migration has: it may be anything.
    Sample(
      .alembic, "a name that is not shown",
      """
      CREATE TABLE alembic_version (version_num);
      INSERT INTO alembic_version VALUES ('call Anna at noon');
      """),
    Sample(.alembic, nil, "CREATE TABLE alembic_version (version_num);"),
  ]

  private func survey(
    _ steps: [DatabaseBuilder.Step], _ encoding: TextEncoding = .utf8
  ) throws -> Survey {
    let scratch = try ScratchFolder()
    let path = scratch["book.db"]
    try DatabaseBuilder(encoding: encoding, steps).build(at: path)
    return try Survey(main: path.contents())
  }

  @Test(arguments: samples, [TextEncoding.utf8, .utf16be])
  func `a framework's book tells the version`(_ sample: Sample, _ encoding: TextEncoding) throws {
    let survey = try survey(sample.steps, encoding)
    #expect(
      try Examination(Reconstruction(survey)).frameworks.map(\.framework) == [sample.framework])
    let version = FrameworkVersion(of: sample.framework, in: survey)
    #expect(version?.words == sample.words)
    #expect(version?.migrations == sample.migrations)
    let unfinished = UnfinishedMigration.all(in: survey)
    #expect(unfinished.count == (sample.unfinished == nil ? 0 : 1))
    if let says = sample.unfinished { #expect(unfinished.first?.message.contains(says) == true) }
  }

  @Test(arguments: ["version", "last_compatible_version"])
  func `one of the two rows of Chrome's tables is not enough`(_ key: String) throws {
    let survey = try survey([
      "CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR)",
      DatabaseBuilder.Step("INSERT INTO meta VALUES (?1, '9'), ('other', '1')", [.text(key)]),
    ])
    #expect(try Examination(Reconstruction(survey)).frameworks.isEmpty)
  }

  private func grdb(_ name: String) throws -> Survey {
    try survey([
      "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)",
      DatabaseBuilder.Step("INSERT INTO grdb_migrations VALUES (?1)", [.text(name)]),
    ])
  }

  @Test(arguments: ["Añadir jugadores", "players (2): 'new'", "two  spaces"])
  func `more names are shown of migrations that are known`(_ name: String) throws {
    let survey = try grdb(name)
    #expect(FrameworkVersion(of: .grdb, in: survey)?.words == "a name that is not shown")
    #expect(FrameworkVersion(of: .grdb, in: survey, known: ["v1", name])?.words == name)
  }

  @Test(arguments: ["a\nb", "a\u{202E}b", "\u{1B}[1m", String(repeating: "word ", count: 30)])
  func `long and odd names are not shown, known or not`(_ name: String) throws {
    let survey = try grdb(name)
    #expect(FrameworkVersion(of: .grdb, in: survey)?.words == "a name that is not shown")
    #expect(
      FrameworkVersion(of: .grdb, in: survey, known: [name])?.words == "a name that is not shown")
  }

  // MARK: Core Data

  private func store(_ list: Any) throws -> Survey {
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    return try survey([
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      DatabaseBuilder.Step(
        "INSERT INTO Z_METADATA VALUES (1, 'id', ?1)", [.blob(Bytes(data))]),
    ])
  }

  @Test func `the model of a Core Data store has its name, or its checksum`() throws {
    let named = try store([
      "NSStoreModelVersionIdentifiers": ["Fitness-4"], "NSStoreType": "SQLite",
      "NSStoreModelVersionHashes": ["Workout": Data(repeating: 7, count: 32)],
    ])
    #expect(FrameworkVersion(of: .coreData, in: named)?.words == "Fitness-4")
    let summed = try store([
      "NSStoreModelVersionIdentifiers": [""],
      "NSStoreModelVersionChecksumKey": "q1w2e3r4t5y6u7i8o9p0",
    ])
    #expect(FrameworkVersion(of: .coreData, in: summed)?.words == "checksum q1w2e3r4t5y6")
    #expect(try FrameworkVersion(of: .coreData, in: store(["Other": 1])) == nil)
  }

  /// The base64 of 32 and of 64 bytes, which ends in what fills it up.
  @Test(arguments: [
    "TqGbx8Ob2bZ+kCyBnnCSqX0gcXkBnmGdXEpVJv3pZqA=",
    String(repeating: "TqGbx8Ob2bZ+kCyBnnCSqX0g", count: 3) + "cXkBnmGdXEpVJg==",
  ])
  func `a checksum of Core Data is shown, and a mark where no entity has a hash`(
    _ checksum: String
  ) throws {
    for key in ["NSStoreModelVersionChecksumKey", "NSStoreModelVersionHashesDigest"] {
      let store = try store([key: checksum])
      #expect(FrameworkVersion(of: .coreData, in: store)?.words == "checksum TqGbx8Ob2bZ+")
      #expect(try model([key: checksum])?.marks == ["checksum": checksum])
    }
  }

  @Test(arguments: [
    "call Anna at noon, or else", "TqGb===", "TqGbx8Ob2bZ+kCyBnnCSqX0gcX=",
    "TqGbx8Ob2bZ_kCyBnnCSqX0gcXkBnmGdXEpVJv3pZqA=", String(repeating: "TqGb", count: 26),
  ])
  func `what is no checksum is not shown`(_ text: String) throws {
    let model = try model(["NSStoreModelVersionChecksumKey": text])
    #expect(model != nil && model?.words == nil && model?.marks == [:])
  }

  @Test func `a model has a name with spaces, or its entities tell it`() throws {
    #expect(try model(["NSStoreModelVersionIdentifiers": ["Model 3"]])?.words == "Model 3")
    #expect(try model(["NSStoreModelVersionIdentifiers": ["a  b", " c", "d\n"]])?.words == nil)
    func entities(_ bytes: [String: UInt8]) throws -> String? {
      try model([
        "NSStoreModelVersionIdentifiers": [""],
        "NSStoreModelVersionHashes": bytes.mapValues { Data(repeating: $0, count: 32) },
      ])?.words
    }
    let words = try entities(["Note": 1, "Tag": 2])
    #expect(words?.hasPrefix("entities ") == true)
    #expect(try words == entities(["Tag": 2, "Note": 1]))
    #expect(try words != entities(["Tag": 1, "Note": 2]))
    #expect(try words != entities(["Note": 1]))
  }

  private func model(_ list: Any) throws -> ObjectModel? {
    ObjectModel(
      Bytes(
        try PropertyListSerialization.data(
          fromPropertyList: list, format: .binary, options: 0)))
  }

  @Test func `a property list of garbage is none`() throws {
    let whole = try Bytes(
      PropertyListSerialization.data(
        fromPropertyList: [
          "NSStoreModelVersionIdentifiers": ["Fitness-4", "Ü"], "a": ["b": ["c", "d"]],
        ], format: .binary, options: 0))
    #expect(ObjectModel(whole)?.identifiers == ["Fitness-4", "Ü"])
    for count in whole.indices { #expect(ObjectModel(Bytes(whole[..<count])) == nil) }
    var random = SeededRandom(seed: 20_261_123)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      _ = ObjectModel(bytes)
    }
  }
}
