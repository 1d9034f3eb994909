// SPDX-License-Identifier: Apache-2.0
// Schemas that Room has exported, as contracts: by Room's rules, and with small defects.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RoomExportTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private static let hash = "0123456789abcdef0123456789abcdef"
  private static let fields = """
    "fields": [
      {"fieldPath": "id", "columnName": "id", "affinity": "INTEGER", "notNull": true},
      {"fieldPath": "t", "columnName": "title", "affinity": "TEXT", "notNull": true, "defaultValue": "'x'"},
      {"fieldPath": "n", "columnName": "n", "affinity": "INTEGER", "notNull": false}
    ], "primaryKey": {"autoGenerate": true, "columnNames": ["id"]}
    """
  private static let statement = """
    "createSql": "CREATE TABLE IF NOT EXISTS `${TABLE_NAME}` (`id` INTEGER PRIMARY KEY AUTOINCREMENT \
    NOT NULL, `title` TEXT NOT NULL DEFAULT 'x', `n` INTEGER)"
    """
  private static let index = """
    {"name": "index_note_title", "unique": true, "columnNames": ["title"], "orders": [], \
    "createSql": "CREATE UNIQUE INDEX IF NOT EXISTS `index_note_title` ON `${TABLE_NAME}` (`title`)"}
    """
  private static let whole = export(
    """
    {"tableName": "note", \(statement), \(fields), "indices": [\(index)], "foreignKeys": []},
    {"tableName": "note_fts", "createSql": "CREATE VIRTUAL TABLE IF NOT EXISTS `${TABLE_NAME}` USING \
    FTS4(`title` TEXT NOT NULL, content=`note`)", "fields": [], "ftsVersion": "FTS4", \
    "ftsOptions": {"contentTable": "note"}, "contentSyncTriggers": ["CREATE TRIGGER IF NOT EXISTS \
    room_fts_content_sync_note_fts_BEFORE_UPDATE BEFORE UPDATE ON `note` BEGIN DELETE FROM \
    `note_fts` WHERE `docid`=OLD.`rowid`; END"]}
    """)

  private static func export(
    _ entities: String, version: String = #""version": 42,"#, also more: String = ""
  ) -> String {
    """
    {"formatVersion": 1, "database": {\(version) "identityHash": "\(hash)", "entities": [\(entities)],
    "views": [{"viewName": "v", "createSql": "CREATE VIEW `${VIEW_NAME}` AS SELECT title FROM note"}],
    "setupQueries": []\(more)}}
    """
  }

  /// What the app makes of the schema.
  private static let database = """
    CREATE TABLE android_metadata (locale TEXT);
    CREATE TABLE `note` (`id` INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL \
    DEFAULT 'x', `n` INTEGER);
    CREATE UNIQUE INDEX `index_note_title` ON `note` (`title`);
    CREATE VIRTUAL TABLE `note_fts` USING FTS4(`title` TEXT NOT NULL, content=`note`);
    CREATE TRIGGER room_fts_content_sync_note_fts_BEFORE_UPDATE BEFORE UPDATE ON `note` BEGIN \
    DELETE FROM `note_fts` WHERE `docid`=OLD.`rowid`; END;
    CREATE VIEW `v` AS SELECT title FROM note;
    CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
    INSERT INTO room_master_table VALUES (42, '\(hash)');
    PRAGMA user_version = 42;
    """

  @Test func `an export is a contract as it is`() throws {
    let contract = try load(Self.whole)
    #expect(contract.notes == [])
    #expect(contract.userVersion == 42)
    #expect(contract.rules == .room)
    #expect(contract.books == [.room: FrameworkBook(identityHash: Self.hash)])
    #expect(try verify(Self.database, Self.whole) == [])
    // What is written of it says the same.
    let document = scratch["c.json"]
    try document.replaceContents(with: ContractDocument.write(contract))
    let again = try ContractSource.load(document)
    #expect(again.objects == contract.objects)
    #expect(again.rules == .room)
    #expect(again.books == contract.books)
  }

  static let changes: [(String, String, String)] = [
    ("`n` INTEGER", "`n` INTEGER DEFAULT 7", "notice: changed column note.n"),
    ("`n` INTEGER", "`n` INT", "notice: changed column note.n"),
    ("`n` INTEGER", "`n` INTEGER UNIQUE", "notice: extra unique constraint note"),
    ("`n` INTEGER", "`n` TEXT", "changed column note.n"),
    ("`n` INTEGER", "`n` INTEGER NOT NULL DEFAULT 1", "changed column note.n"),
    ("`n` INTEGER", "`n` INTEGER, `m` TEXT", "extra column note.m"),
    ("DEFAULT 'x'", "DEFAULT 'y'", "changed column note.title"),
    ("AUTOINCREMENT NOT NULL", "AUTOINCREMENT", "changed column note.id"),
    ("AUTOINCREMENT NOT NULL", "NOT NULL", "notice: changed primary key note"),
    (
      "UNIQUE INDEX `index_note_title`", "INDEX `index_note_title`",
      "changed index index_note_title"
    ),
    ("INDEX `index_note_title`", "INDEX `index_other`", "notice: changed index index_note_title"),
    ("INDEX `index_note_title`", "INDEX `mine`", "missing index index_note_title"),
    (hash, "ffffffffffffffffffffffffffffffff", "changed identity hash room_master_table"),
    ("AS SELECT title", "AS SELECT id", "changed view v"),
    ("CREATE VIEW", "CREATE TABLE more (a); CREATE VIEW", "notice: extra table more"),
  ]

  @Test(arguments: changes)
  func `Room's own rules hold`(old: String, new: String, first: String) throws {
    let database = Self.database.replacing(old, with: new)
    #expect(try verify(database, Self.whole).contains(first))
  }

  static let defects: [(String, String, String)] = [
    (#""formatVersion": 1, "#, "", ""),
    (#""formatVersion": 1"#, #""formatVersion": 0"#, "formatVersion"),
    (#""foreignKeys": []"#, #""foreignKeys": [], "later": {"a": 1}"#, "'later'"),
    (#", "indices": ["#, #", "indices": [{"name": "x"}, "#, "neither createSql nor columns"),
    (#""ftsVersion": "FTS4""#, #""ftsVersion": "FTS9""#, ""),
    (#""version": 42"#, #""version": "42""#, ""),
    (
      #""setupQueries": []"#,
      #""setupQueries": ["INSERT INTO room_master_table (id,identity_hash) VALUES(42, "#
        + #"'ffffffffffffffffffffffffffffffff')"]"#, "write another identity hash"
    ),
    (statement, #""createSql": "CREATE TABLE `${TABLE_NAME}` (oops""#, "is made of its fields"),
    (statement + ",", "", "has no createSql"),
    (
      #", "createSql": "CREATE UNIQUE INDEX IF NOT EXISTS `index_note_title` ON `${TABLE_NAME}` (`title`)""#,
      "", "of its columns"
    ),
  ]

  @Test(arguments: defects)
  func `a small defect is noted`(old: String, new: String, note: String) throws {
    let text = Self.whole.replacing(old, with: new)
    #expect(text != Self.whole)
    #expect(try verify(Self.database, text).filter { !$0.hasPrefix("notice") } == [])
    let notes = try load(text).notes
    #expect(note.isEmpty ? notes == [] : notes.contains { $0.contains(note) }, "\(notes)")
  }

  @Test func `what lies beside an export is added to it`() throws {
    try scratch["42.overlay.json5"].replaceContents(
      with: Bytes(
        """
        { invariants: [{ name: "i", sql: "SELECT 1 WHERE 0" }], rowCounts: { note: "any" },
          unsynced: [{ name: "o", table: "note", where: "n = 0" }], ignoreTables: ["more"] }
        """.utf8))
    let contract = try load(Self.whole)
    #expect(contract.invariants.map(\.name) == ["i"])
    #expect(contract.rowCounts == ["note": .any])
    #expect(contract.unsynced.map(\.predicate) == ["n = 0"])
    #expect(contract.ignoreTables == ["more"])
    try scratch["42.overlay.json5"].replaceContents(with: Bytes("{ rowCount: {} }".utf8))
    #expect(throws: RescueError.self) { try load(Self.whole) }
  }

  /// As an app exports it that has no entity yet.
  private static let empty = """
    {"formatVersion": 1, "database": {"version": 1, "identityHash": "", "entities": [],
    "setupQueries": ["CREATE TABLE IF NOT EXISTS room_master_table (id INTEGER PRIMARY KEY,\
    identity_hash TEXT)", "INSERT OR REPLACE INTO room_master_table (id,identity_hash) VALUES(42, '')"]}}
    """

  @Test func `an export without entities and hash expects neither`() throws {
    let contract = try load(Self.empty)
    #expect(contract.userVersion == 1)
    #expect(contract.books == [:])
    #expect(
      contract.notes == [
        "it has no identity hash: none is compared", "it has no entity: no table is expected",
      ])
    let database = """
      CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT);
      INSERT INTO room_master_table VALUES (42, '');
      PRAGMA user_version = 1
      """
    #expect(try verify(database, Self.empty) == [])
    #expect(try verify("PRAGMA user_version = 1", Self.empty) == [])
  }

  @Test func `an export of which no entity can be made is none`() throws {
    #expect(throws: RescueError.self) {
      try load(#"{"formatVersion": 1, "database": {"version": 1, "entities": [{"fields": []}]}}"#)
    }
    #expect(throws: RescueError.self) {
      try load(#"{"formatVersion": 1, "database": {"version": 1}}"#)
    }
  }

  /// Versions of one app that was shipped.
  @Test(
    .enabled(if: SharedData.file("room") != nil, "\(SharedData.missing("room/N.json"))"),
    arguments: [1, 2, 5, 10, 20, 30, 36, 45, 61])
  func `a database made of a real export holds`(version: Int) throws {
    let file = try #require(SharedData.file(FilePath("room/\(version).json")))
    let contract = try ContractSource.load(file)
    #expect(contract.notes == [])
    #expect(contract.userVersion == version)
    let connection = try Connection(mode: .memory, schemaBy: .us)
    for statement in contract.freshSchema { try connection.execute(statement) }
    let hash = try #require(contract.books[.room]?.identityHash)
    try connection.execute(ContractDifference.noting(identity: hash))
    let result = try ContractVerifier().verify(connection, against: contract)
    #expect(result.differences.map(\.headline) == [])
  }

  private func load(_ text: String) throws -> Contract {
    try scratch["42.json"].replaceContents(with: Bytes(text.utf8))
    return try ContractSource.load(scratch["42.json"])
  }

  private func verify(_ database: String, _ export: String) throws -> [String] {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(database)
    return try ContractVerifier().verify(connection, against: load(export)).differences.map {
      ($0.weight == .notice ? "notice: " : "") + $0.headline
    }
  }
}
