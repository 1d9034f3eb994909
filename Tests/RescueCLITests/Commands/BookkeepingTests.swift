// SPDX-License-Identifier: Apache-2.0
// The tables in which frameworks keep their books: what they hold is the framework's, and no row of
// the app's.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BookkeepingTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static let room =
    """
    {"formatVersion": 1, "database": {"version": 1, "identityHash": "0123456789abcdef0123456789abcdef",
      "entities": [{"tableName": "note", "createSql": "CREATE TABLE IF NOT EXISTS `${TABLE_NAME}` (`id` \
    INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, `title` TEXT NOT NULL)", "fields": []}]}}
    """

  /// Rehearses a command that does nothing, from a schema to the same schema.
  private func rehearse(_ schema: FilePath) throws -> Ending {
    try bench.run("rehearse", schema, "--contract", schema, "--", "/bin/test", "-e", "{db}")
  }

  @Test func `a database that is made up has the books of its contract`() throws {
    let room = bench["1.json"]
    try room.replaceContents(with: Bytes(Self.room.utf8))
    #expect(try rehearse(room).status == 0)
  }

  @Test(arguments: [
    "alembic-two-heads", "django-all", "yoyo-all", "caribou-all", "peewee-all", "piccolo-all",
  ])
  func `the books of a captured contract are in what is made of it`(_ fixture: String) throws {
    let script = Checkout.root.appending("Tests/FrameworkFixtures")
      .appending(FilePath(fixture + ".sql"))
    let file = bench["right.db"]
    try Connection(file, mode: .app).execute(
      String(decoding: try script.contents(), as: UTF8.self))
    let contract = bench["contract.json"]
    #expect(try bench.run("contract", "capture", file, "--output", contract).status == 0)
    let ending = try rehearse(contract)
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `what a framework writes into its own book is no notice`() throws {
    let (file, new) = (bench["app.db"], bench["new.db"])
    let master = "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT);"
    func build(_ path: FilePath, _ hash: String) throws {
      try Connection(path, mode: .app).execute(
        "\(master) CREATE TABLE note (id INTEGER PRIMARY KEY, title);"
          + "INSERT INTO note VALUES (1, 'a'); INSERT INTO room_master_table VALUES (42, '\(hash)')"
      )
    }
    try build(file, "0123456789abcdef0123456789abcdef")
    try build(new, "fedcba9876543210fedcba9876543210")
    let ending = try bench.run("guard", file, "--", "/bin/cp", new, file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(!ending.all.contains("unless it was meant"), "\(ending.all)")
  }
}
