// SPDX-License-Identifier: Apache-2.0
// Contracts from documents, scripts and databases, and back.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ContractSourceTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// A schema with one of everything.
  static let script = """
    -- the workouts of an app
    PRAGMA user_version = 7;
    PRAGMA application_id = 0x64627273;
    CREATE TABLE sqlite_sequence(name,seq);
    CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL COLLATE NOCASE,
      token TEXT DEFAULT (lower(hex(randomblob(8)))), CHECK (length(name) > 0));
    CREATE TABLE workout (day TEXT, kind TEXT DEFAULT 'run', person INT NOT NULL
      REFERENCES person (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
      metres REAL, kilometres AS (metres / 1000) STORED, PRIMARY KEY (kind, day)) WITHOUT ROWID;
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, status TEXT) STRICT;
    CREATE TABLE pending_upload (id INTEGER PRIMARY KEY, status TEXT);
    CREATE VIRTUAL TABLE notes USING fts5 (body);
    CREATE UNIQUE INDEX by_name ON person (name);
    CREATE INDEX far ON workout (metres DESC) WHERE metres > 10000;
    CREATE VIEW far_workouts AS SELECT * FROM workout WHERE metres > 10000;
    CREATE TRIGGER log_person AFTER INSERT ON person
      BEGIN INSERT INTO outbox (status) VALUES ('new; not sent'); END;
    INSERT INTO person (name) VALUES ('x');
    """

  @Test func `capture, write, read and verify close the circle`() throws {
    let database = scratch["app.v7.db"]
    let connection = try Connection(database, mode: .create, schemaBy: .us)
    try connection.execute(
      Self.script.replacing("CREATE TABLE sqlite_sequence(name,seq);", with: ""))
    let captured = try load(database)
    #expect(captured.name == "app.v7")
    #expect(captured.userVersion == 7)
    #expect(captured.applicationID == 0x6462_7273)
    #expect(captured.unsynced.map(\.table) == ["outbox", "pending_upload"])

    let document = scratch["app.json"]
    try document.replaceContents(with: ContractDocument.write(captured))
    let contract = try load(document)
    #expect(contract == captured)
    let result = try ContractVerifier().verify(connection, against: contract)
    #expect(result.differences == [])
    #expect(result.holds)
  }

  @Test func `a script and the database that it makes state the same contract`() throws {
    let text = scratch["app.sql"]
    try text.replaceContents(with: Bytes(Self.script.utf8))
    let fromScript = try load(text)
    let database = scratch["app.db"]
    try FreshDatabase.make(at: database, try FreshSchema(contract: fromScript))
    let fromDatabase = try load(database)
    #expect(fromDatabase == fromScript)
    #expect(fromScript.differences(in: fromDatabase.objects) == [])
  }

  @Test func `a document says what it is, and one that only says its schema is read`() throws {
    let contract = Contract(name: "x", userVersion: 3)
    let written = try #require(JSON(reading: ContractDocument.write(contract)))
    #expect(written["format"] == "dbrescue.contract" && written["version"] == 1)
    #expect(written["schema"] == nil)
    var old = written.members
    (old["format"], old["version"], old["schema"]) = (nil, nil, 1)
    let read = try ContractDocument.read(Bytes(JSON.object(old).compact.utf8), named: "old")
    #expect(read == contract)
  }

  @Test func `a document may be short, and has comments`() throws {
    let document = scratch["hand.json5"]
    try document.replaceContents(
      with: Bytes(
        """
        // by hand
        /* { */
        {schema: 1, name: 'hand', userVersion: 3,
         freshSchema: ['CREATE TABLE t (a INT -- first\\n)', 'CREATE INDEX i ON t (a)'],
         rowCounts: {Logs: 'any'},}
        """.utf8))
    let contract = try load(document)
    #expect(contract.objects.tables.map(\.name) == ["t"])
    #expect(contract.objects.tables.first?.indexes.map(\.name) == ["i"])
    #expect(contract.rowCountPolicy(of: "logs") == .any)
    #expect(contract.rowCountPolicy(of: "t") == .conserved)
    #expect(contract.invariants == [] && contract.unsynced == [] && !contract.allowExtraObjects)
  }

  @Test(arguments: [
    ("", "is empty"),
    ("{schema: 1}", "'name' is missing"),
    ("{schema: 2, name: 'x'}", "format 2"),
    ("{name: 'x'}", "'version' is missing"),
    ("{version: 2, name: 'x'}", "format 2"),
    ("{format: 'dbrescue.report', version: 1, name: 'x'}", "in.txt:1:10: expected one of"),
    ("{schema: 1, name: 5}", "in.txt:1:19: expected a string, found a number"),
    (
      "{schema: 1, name: 'x', tables: [{name: 't', columns: [{}]}]}",
      "in.txt:1:55: the key 'name' is missing"
    ),
    ("{schema: 1", "in.txt:1:1: the object that starts here is not closed"),
    ("{schema: 1, name: 'x', userVersion: 99999999999}", "out of range"),
    ("{schema: 1, name: 'x', nmae: 'y'}", "in.txt:1:24"),
    ("{schema: 1, name: 'x', name: 'y'}", "in.txt:1:24"),
    ("{schema: 1, name: 'x', freshSchema: ['CREATE TABLE']}", ":1: incomplete input"),
    (
      "{schema: 1, name: 'x', tables: [{name: 'u'}], freshSchema: ['CREATE TABLE t (a)']}",
      "contradicts itself: in its fresh schema, extra table t"
    ),
    ("CREATE TABLE t (a);\n\nCREATE TABL u (b);", "in.txt:3: near \"TABL\""),
    ("CREATE TABLE t (a);\0DROP TABLE t", "NUL"),
    ("just some text", "in.txt:1: near \"just\""),
    ("\u{FEFF}CREATE TABLE t (a); t", "in.txt:1"),
  ])
  func `what is no contract is refused in few words`(text: String, message: String) throws {
    let file = scratch["in.txt"]
    try file.replaceContents(with: Bytes(text.utf8))
    let error = try #require(throws: RescueError.self) { try load(file) }
    #expect(error.kind == .invalidInput)
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test(arguments: [
    "ATTACH 'NEVER' AS x", "VACUUM INTO 'NEVER'", "SELECT load_extension('NEVER')",
    "PRAGMA temp_store_directory = 'NEVER'", "PRAGMA journal_mode = WAL",
    "PRAGMA max_page_count = 1000000", "DETACH main", "PRAGMA writable_schema = 1",
    "CREATE TABLE t AS SELECT load_extension('NEVER')",
    "CREATE TABLE t (a); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
      + "INSERT INTO t SELECT hex(randomblob(1000000)) FROM c",
  ])
  func `a script reaches nothing outside and has its limits`(sql: String) throws {
    let file = scratch["hostile.sql"]
    let target = scratch["never"]
    try file.replaceContents(with: Bytes(sql.replacing("NEVER", with: target.description).utf8))
    let error = try #require(throws: RescueError.self) { try load(file) }
    #expect(error.kind == .invalidInput)
    #expect(try !target.exists)
  }

  @Test(arguments: ["wal-committed", "wal-torn", "hot-journal", "journal-persisted"])
  func `journals count, and the files stay as they are`(recipe: String) throws {
    let path = try Recipe.named(recipe).build(in: scratch.path)
    let before = try contents(path)
    let contract = try load(path)
    #expect(!contract.objects.tables.isEmpty)
    #expect(try contents(path) == before)
    #expect(
      try SystemStorage().names(in: scratch.path).allSatisfy {
        !$0.description.hasPrefix("dbrescue-")
      })
  }

  @Test func `a damaged database states no contract, and no copy is left`() throws {
    let path = scratch["damaged.db"]
    let connection = try Connection(path, mode: .create, schemaBy: .us)
    try connection.execute(
      """
      CREATE TABLE t (a); CREATE INDEX i ON t (a);
      WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000)
      INSERT INTO t SELECT n FROM c
      """)
    var bytes = try path.contents()
    for index in bytes.count / 2..<bytes.count / 2 + 4096 { bytes[index] = 0x5A }
    try path.replaceContents(with: bytes)
    let folder = scratch["tmp"]
    try SystemStorage().createFolder(folder)
    let error = try #require(throws: RescueError.self) { try load(path, temporary: folder) }
    #expect(error.kind == .invalidInput)
    #expect(error.message.contains("not a healthy database"))
    #expect(try SystemStorage().names(in: folder) == [])
    #expect(try path.contents() == bytes)
  }

  @Test func `a contract without a fresh schema makes no database`() throws {
    let error = try #require(throws: RescueError.self) {
      try FreshSchema(contract: Contract(name: "x"))
    }
    #expect(error.message == "the contract 'x' has no fresh schema")
  }

  @Test(
    .enabled(
      if: SharedData.file("chinook.sqlite") != nil, "\(SharedData.missing("chinook.sqlite"))"))
  func `Chinook fulfils its own contract`() throws {
    let path = try #require(SharedData.file("chinook.sqlite"))
    let contract = try load(path)
    #expect(contract.objects.tables.count >= 11)
    #expect(try ContractDocument.read(try ContractDocument.write(contract), named: "c") == contract)
    let copy = scratch["chinook.db"]
    try copy.replaceContents(with: path.contents())
    let result = try ContractVerifier().verify(
      try Connection(copy, mode: .readOnly, schemaBy: .us), against: contract)
    #expect(result.differences == [])
    #expect(result.holds)
    #expect(result.unsyncedRows == .cannotTell)
  }

  private func load(_ path: FilePath, temporary: FilePath? = nil) throws -> Contract {
    let folder = temporary ?? scratch.path
    return try ContractSource.load(
      path, world: World(environment: ["TMPDIR": folder.description]))
  }

  private func contents(_ path: FilePath) throws -> [Bytes?] {
    try ([""] + FilePath.sidecarSuffixes).map { suffix in
      let file = path.adding(suffix: suffix)
      return try file.exists ? try file.contents() : nil
    }
  }
}

extension FreshDatabase {
  /// Makes an empty database of a schema.
  fileprivate static func make(at path: FilePath, _ schema: FreshSchema) throws {
    let database = try FreshDatabase(at: path, schema: schema)
    let unrestored = try database.finish()
    #expect(unrestored == [])
  }
}
