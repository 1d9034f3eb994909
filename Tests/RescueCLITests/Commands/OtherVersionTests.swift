// SPDX-License-Identifier: Apache-2.0
// Databases of another version by their framework's own book: what is said of them, and whether a
// migration begins.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct OtherVersionTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ name: FilePath, _ script: String) throws -> FilePath {
    try Connection(bench[name], mode: .app).execute(script)
    return bench[name]
  }

  /// The contract of one database, and what `check` says of another one.
  private func check(_ file: FilePath, by captured: FilePath) throws -> Ending {
    let contract = bench["contract.json"]
    try contract.removeFileSet()
    #expect(try bench.run("contract", "capture", captured, "--output", contract).status == 0)
    return try bench.run("check", file, "--contract", contract, "--json")
  }

  private func relation(_ ending: Ending) throws -> String? {
    try ending.json["versions"]?["relation"]?.text
  }

  private func headlines(_ ending: Ending) throws -> [String] {
    try (ending.json["differences"]?.elements ?? []).map { difference in
      ["kind", "subject", "object"].compactMap { difference[$0]?.text }.joined(separator: " ")
    }
  }

  private func grdb(_ name: FilePath, _ migrations: String) throws -> FilePath {
    try build(
      name,
      """
      CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY); CREATE TABLE t (a);
      INSERT INTO grdb_migrations VALUES \(migrations)
      """)
  }

  @Test func `a database with a migration too few and one too many has diverged`() throws {
    let file = try grdb("app.db", "('v1'), ('vX')")
    let ending = try check(file, by: grdb("right.db", "('v1'), ('v2')"))
    #expect(ending.status == 12)
    #expect(try relation(ending) == "diverged")
    #expect(try headlines(ending) == ["missing migration v2", "extra migration vX"])
    let text = try bench.run("diagnose", file, "--contract", bench["contract.json"])
    #expect(!text.all.contains("install"), "\(text.all)")
    #expect(!text.all.contains("the version is right"), "\(text.all)")
    let guarded = try bench.run(
      "guard", file, "--contract", bench["contract.json"], "--", "/bin/rm", file)
    #expect(guarded.status == 12 && guarded.all.contains("nothing was changed"), "\(guarded.all)")
    #expect(try SystemStorage().status(of: file) != nil)
  }

  @Test func `names of migrations that the contract lists are shown`() throws {
    let file = try grdb("app.db", "('v1'), ('Créer les équipes')")
    let version = try bench.run("diagnose", file, "--json").json["facts"]?["frameworks"]?.elements
      .first?["version"]?.text
    #expect(version == "a name that is not shown")
    let ending = try check(file, by: file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(
      try ending.json["facts"]?["frameworks"]?.elements.first?["version"]?.text
        == "Créer les équipes")
    let other = try check(grdb("other.db", "('v1'), ('Drop teams'), ('Ôter')"), by: file)
    #expect(
      try headlines(other) == [
        "missing migration Créer les équipes", "extra migration Drop teams",
        "extra migration with a name that is not shown",
      ])
  }

  private func alembic(_ name: FilePath, _ revision: String) throws -> FilePath {
    try build(
      name,
      """
      CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,
        CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num));
      INSERT INTO alembic_version VALUES ('\(revision)')
      """)
  }

  @Test func `of two revisions without order, none is called the newer or the right one`() throws {
    let (file, right) = (try alembic("app.db", "1a1a1a"), try alembic("right.db", "2b2b2b"))
    let ending = try check(file, by: right)
    #expect(ending.status == 12)
    #expect(try relation(ending) == "other")
    #expect(try headlines(ending) == ["changed migration heads alembic_version"])
    let text = try bench.run("check", file, "--contract", bench["contract.json"])
    #expect(!text.all.contains("the version is right"), "\(text.all)")
    #expect(text.all.contains("nothing tells which is the newer one"), "\(text.all)")
    // It may be the older one, which is to be migrated.
    let guarded = try bench.run(
      "guard", file, "--contract", bench["contract.json"], "--", "/bin/cp", right, file)
    #expect(guarded.status == 0, "\(guarded.all)")
    let idle = try bench.run(
      "guard", try alembic("idle.db", "1a1a1a"), "--contract", bench["contract.json"], "--",
      "/bin/true")
    #expect(idle.status == 18, "\(idle.all)")
  }

  /// Adds a revision to the contract that leads to the ones that it expects.
  private func addAncestor(_ revision: String) throws {
    let known = String(decoding: try bench["contract.json"].contents(), as: UTF8.self)
      .replacing(
        "\"migrations\" : [", with: "\"ancestors\" : [\"\(revision)\"], \"migrations\" : [")
    try bench["contract.json"].replaceContents(with: Bytes(known.utf8))
  }

  @Test func `a revision that a contract with ancestors does not know is never migrated`() throws {
    let file = try alembic("app.db", "3c3c3c")
    _ = try check(file, by: alembic("right.db", "2b2b2b"))
    try addAncestor("1a1a1a")
    func expectRefused(_ status: Int32, _ expected: String) throws {
      let ending = try bench.run("check", file, "--contract", bench["contract.json"], "--json")
      #expect(ending.status == status, "\(ending.all)")
      #expect(try relation(ending) == expected)
      let guarded = try bench.run(
        "guard", file, "--contract", bench["contract.json"], "--", "/bin/rm", file)
      #expect(
        guarded.status == status && guarded.all.contains("nothing was changed"), "\(guarded.all)")
      #expect(try SystemStorage().status(of: file) != nil)
    }
    try expectRefused(11, "newer")
    try Connection(file, mode: .app).execute("INSERT INTO alembic_version VALUES ('1a1a1a')")
    try expectRefused(12, "diverged")
  }

  @Test func `a revision that the contract knows as an ancestor is older`() throws {
    let file = try alembic("app.db", "1a1a1a")
    let right = try alembic("right.db", "2b2b2b")
    _ = try check(file, by: right)
    try addAncestor("1a1a1a")
    let ending = try bench.run("check", file, "--contract", bench["contract.json"], "--json")
    #expect(ending.status == 10, "\(ending.all)")
    #expect(try relation(ending) == "older")
  }

  private func flyway(_ name: FilePath, _ rows: String) throws -> FilePath {
    try build(
      name,
      """
      CREATE TABLE flyway_schema_history (installed_rank INT PRIMARY KEY, version VARCHAR(50),
        description VARCHAR(200), type VARCHAR(20), script VARCHAR(1000), checksum INT,
        success BOOLEAN);
      INSERT INTO flyway_schema_history (installed_rank, version, type, script, success)
        VALUES \(rows)
      """)
  }

  @Test func `a migration of Flyway counts by its last row`() throws {
    let first = "(1, '1', 'SQL', 'V1__a.sql', 1), (2, NULL, 'SQL', 'R__v.sql', 1)"
    let second = first + ", (3, '2', 'SQL', 'V2__b.sql', 1)"
    let undone = second + ", (4, '2', 'UNDO_SQL', 'U2__b.sql', 1)"
    let right = try flyway("right.db", first)
    let same = try check(
      flyway("undone.db", undone + ", (5, NULL, 'SQL', 'R__v.sql', 1)"), by: right)
    #expect(same.status == 0, "\(same.all)")
    let newer = try check(flyway("newer.db", second), by: right)
    #expect(newer.status == 11, "\(newer.all)")
    let again = try check(
      flyway("again.db", undone + ", (5, '2', 'SQL', 'V2__b.sql', 1)"), by: right)
    #expect(again.status == 11, "\(again.all)")
    let older = try check(bench["undone.db"], by: bench["newer.db"])
    #expect(older.status == 10, "\(older.all)")
    let contract = try JSON(String(decoding: bench["contract.json"].contents(), as: UTF8.self))
    #expect(
      contract["frameworks"]?["flyway"]?["migrations"]?.elements.map(\.text)
        == ["R__v.sql", "V1__a.sql", "V2__b.sql"])
  }

  /// A store of Core Data whose model has one entity, with a hash of one byte.
  private func coreData(_ name: FilePath, _ identifier: String, hash: UInt8) throws -> FilePath {
    let list = PropertyList.model(identifier, entity: "Note", hash: [hash, 0xCD])
    let hex = list.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return try build(
      name,
      """
      CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
      CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
        Z_MAX INTEGER);
      INSERT INTO Z_METADATA VALUES (1, 'u', x'\(hex)')
      """)
  }

  @Test func `another model of Core Data is a difference`() throws {
    let right = try coreData("right.db", "model2", hash: 0xAB)
    #expect(try check(right, by: right).status == 0)
    let ending = try check(coreData("app.db", "model2", hash: 0xBA), by: right)
    #expect(ending.status == 12, "\(ending.all)")
    #expect(try relation(ending) == "other")
    #expect(try headlines(ending) == ["changed model z_metadata entity Note"])
    let named = try check(coreData("named.db", "model3", hash: 0xAB), by: right)
    #expect(named.status == 12, "\(named.all)")
    let contract = try JSON(String(decoding: bench["contract.json"].contents(), as: UTF8.self))
    #expect(contract["frameworks"]?["coreData"]?["model"]?["entity Note"]?.text == "abcd")
  }

  private static let chrome =
    """
    CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
    CREATE TABLE cookies (creation_utc INTEGER NOT NULL, host_key TEXT NOT NULL, name TEXT NOT NULL);
    """
  private static let anki =
    """
    CREATE TABLE col (id, crt, mod, scm, ver, usn);
    CREATE TABLE notes (id, guid, mid, usn, flds, sfld);
    CREATE TABLE cards (id, nid, did, usn, ivl); CREATE TABLE graves (usn, oid, type);
    CREATE TABLE revlog (id, cid, usn, ease);
    """

  /// Apps, and what makes a database of each of version VERSION.
  private static let apps = [
    (
      "chrome",
      chrome + "INSERT INTO meta VALUES ('version', 'VERSION'), ('last_compatible_version', '9')"
    ),
    (
      "chrome",
      """
      CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
      CREATE TABLE top_sites (url TEXT NOT NULL PRIMARY KEY, url_rank INTEGER, title TEXT NOT NULL);
      INSERT INTO meta VALUES ('version', 'VERSION'), ('last_compatible_version', '4')
      """
    ), ("anki", anki + "INSERT INTO col (id, ver) VALUES (1, VERSION)"),
  ]

  @Test(arguments: apps)
  func `the number that an app notes tells older from newer`(
    _ name: String, _ script: String
  ) throws {
    func build(_ file: FilePath, _ version: Int) throws -> FilePath {
      try self.build(file, script.replacing("VERSION", with: "\(version)"))
    }
    let right = try build("right.db", 10)
    #expect(try check(right, by: right).status == 0)
    let older = try check(build("older.db", 9), by: right)
    #expect(older.status == 10, "\(older.all)")
    let newer = try check(build("newer.db", 11), by: right)
    #expect(newer.status == 11, "\(newer.all)")
    #expect(newer.all.contains("notes is 11, and 10 is expected"), "\(newer.all)")
    let contract = try JSON(String(decoding: bench["contract.json"].contents(), as: UTF8.self))
    #expect(contract["frameworks"]?[name]?["migrations"]?.elements.map(\.text) == ["10"])
  }

  // MARK: Rows that wait

  @Test func `rows that a framework's sheet knows to wait are counted without a contract`() throws {
    let file = try build(
      "app.db",
      Self.anki + "INSERT INTO notes (id, usn) VALUES (1, -1), (2, 5), (3, -1);"
        + "INSERT INTO cards (id, usn) VALUES (1, -1)")
    let json = try bench.run("diagnose", file, "--json").json
    #expect(json["unsynced"]?["state"]?.text == "some")
    #expect(json["unsynced"]?["rows"] == .integer(3))
    let report = try bench.run("diagnose", file)
    #expect(report.all.contains("2 rows of table 'notes' wait"), "\(report.all)")
    #expect(try bench.run("check", file, "--json").json["unsynced"]?["rows"] == .integer(3))
  }

  @Test func `rows without a mark are none that wait`() throws {
    let file = try build(
      "app.db",
      """
      CREATE TABLE local_storage (key varchar(16) primary key not null, value text not null);
      CREATE TABLE posts (id primary key, _changed, _status);
      INSERT INTO posts VALUES ('a', '', 'synced')
      """)
    let json = try bench.run("diagnose", file, "--json").json
    #expect(json["unsynced"]?["state"]?.text == "none")
    try Connection(file, mode: .app).execute("INSERT INTO posts VALUES ('b', 'x', NULL)")
    #expect(try bench.run("diagnose", file, "--json").json["unsynced"]?["rows"] == .integer(1))
  }
}

/// Binary property lists.
private enum PropertyList {
  /// One that describes a model with an identifier and an entity.
  static func model(_ identifier: String, entity: String, hash: [UInt8]) -> [UInt8] {
    func text(_ text: String) -> [UInt8] {
      [0x5F, 0x10, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let objects: [[UInt8]] = [
      [0xD2, 1, 2, 3, 4], text("NSStoreModelVersionIdentifiers"), text("NSStoreModelVersionHashes"),
      [0xA1, 5], [0xD1, 6, 7], text(identifier), text(entity),
      [0x40 | UInt8(hash.count)] + hash,
    ]
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [objects.count, 0, table] {
      bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(number)]
    }
    return bytes
  }
}
