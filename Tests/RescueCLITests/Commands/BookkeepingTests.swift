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
}
