// SPDX-License-Identifier: Apache-2.0
// Databases that frameworks have made themselves: whose they are, and which version they have.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct FrameworkFixtureTests {
  /// A database of `Tests/FrameworkFixtures`, which says how they were made, and what is to be said of it.
  struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let framework: String
    let version: String
    var migrations: Int?
    var cause: String?

    init(
      _ name: String, _ framework: String, _ version: String, _ migrations: Int? = nil,
      cause: String? = nil
    ) {
      (self.name, self.framework, self.version) = (name, framework, version)
      (self.migrations, self.cause) = (migrations, cause)
    }

    var testDescription: String { name }
  }

  static let fixtures = [
    Fixture("aerich-first", "aerich", "models.0_20260102030405_init.py", 1),
    Fixture("alembic-first", "Alembic", "1a1a1a1a1a1a"),
    Fixture("alembic-two-heads", "Alembic", "2b2b2b2b2b2b, 3c3c3c3c3c3c"),
    Fixture("alembic-merged", "Alembic", "4d4d4d4d4d4d"),
    Fixture("caribou-first", "caribou", "20260101000000"),
    Fixture("caribou-all", "caribou", "20260201000000"),
    Fixture("django-first", "Django", "notes.0001_initial", 1),
    Fixture(
      "django-all", "Django",
      "auth.0012_alter_user_first_name_max_length, contenttypes.0002_remove_content_type_name, "
        + "notes.0002_note_made", 16),
    Fixture("peewee-first", "peewee", "001_notes", 1),
    Fixture("peewee-all", "peewee", "002_tags", 2),
    Fixture("piccolo-first", "Piccolo", "notes.2026-01-01T00:00:00:000000", 1),
    Fixture("piccolo-all", "Piccolo", "notes.2026-02-01T00:00:00:000000", 2),
    Fixture("sqlite-migrate-first", "sqlite-utils", "notes.first", 1),
    Fixture("sqlite-migrate-all", "sqlite-utils", "notes.second", 2),
    Fixture("yoyo-all", "yoyo", "0002_tags", 2),
    Fixture("yoyo-rolled-back", "yoyo", "0001_notes", 1),
    Fixture("yoyo-locked", "yoyo", "0001_notes", 1, cause: "migration-cut-off"),
  ]

  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func build(_ name: String) throws -> FilePath {
    let script = Checkout.root.appending("Tests/FrameworkFixtures")
      .appending(FilePath(name + ".sql"))
    let path = bench[FilePath(name + ".db")]
    let sql = String(decoding: try script.contents(), as: UTF8.self)
    try Connection(path, mode: .app).execute(sql)
    return path
  }

  @Test(arguments: fixtures) func `its framework and its version are told`(
    _ fixture: Fixture
  ) throws {
    let json = try bench.run("diagnose", build(fixture.name), "--json").json
    let frameworks = json["facts"]?["frameworks"]?.elements ?? []
    #expect(frameworks.map { $0["name"]?.text } == [fixture.framework])
    #expect(frameworks.first?["version"]?.text == fixture.version)
    #expect(frameworks.first?["migrations"] == fixture.migrations.map { JSON.integer($0) })
    #expect(json["causes"]?.elements.first?["cause"]?.text == fixture.cause)
  }

  @Test func `every database that was made is asked for`() throws {
    let folder = Checkout.root.appending("Tests/FrameworkFixtures")
    let made = try SystemStorage().names(in: folder).filter { $0.hasSuffix(".sql") }
    #expect(made.map(\.description).sorted() == Self.fixtures.map { $0.name + ".sql" }.sorted())
  }

  @Test func `heads of which nothing tells the newer one are differences`() throws {
    let file = try build("alembic-two-heads")
    #expect(try bench.run("contract", "capture", file, "--output", bench["c.json"]).status == 0)
    #expect(try bench.run("check", file, "--contract", bench["c.json"]).status == 0)
    try Connection(file, mode: .app).execute(
      "DELETE FROM alembic_version WHERE version_num = '3c3c3c3c3c3c'")
    let ending = try bench.run("check", file, "--contract", bench["c.json"], "--json")
    #expect(ending.status == 12)
    let difference = try #require(ending.json["differences"]?.elements.first)
    #expect(difference["subject"]?.text == "migration heads")
    #expect(difference["expected"]?.text == "2b2b2b2b2b2b, 3c3c3c3c3c3c")
    #expect(difference["found"]?.text == "2b2b2b2b2b2b")
  }

  @Test(arguments: [
    ("caribou-first", "caribou-all"), ("django-first", "django-all"),
    ("peewee-first", "peewee-all"), ("piccolo-first", "piccolo-all"),
    ("sqlite-migrate-first", "sqlite-migrate-all"), ("yoyo-rolled-back", "yoyo-all"),
  ])
  func `the older one is told from the newer one by the framework's book alone`(
    _ older: String, _ newer: String
  ) throws {
    let (before, after) = (try build(older), try build(newer))
    let (old, new) = (bench["old.json"], bench["new.json"])
    #expect(try bench.run("contract", "capture", before, "--output", old).status == 0)
    #expect(try bench.run("contract", "capture", after, "--output", new).status == 0)
    #expect(try bench.run("check", before, "--contract", new).status == 10)
    #expect(try bench.run("check", after, "--contract", old).status == 11)
    #expect(try bench.run("check", after, "--contract", new).status == 0)
  }
}
