// SPDX-License-Identifier: Apache-2.0
// The roots of a schema that was lost with the first page lie where a new database has them, as far as
// the pages there bear that out.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct LostRootsTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private static func table(_ name: String, _ key: String = "INTEGER PRIMARY KEY") -> String {
    "CREATE TABLE \(name) (id \(key), title TEXT NOT NULL, body TEXT, made INT)"
  }
  private static let labels = "CREATE TABLE labels (id INTEGER PRIMARY KEY, title TEXT UNIQUE)"
  private static let links =
    "CREATE TABLE links (note INT, label INT, PRIMARY KEY (note, label)) WITHOUT ROWID"
  private static let words =
    "CREATE VIRTUAL TABLE words USING fts5(title, content = 'notes', content_rowid = 'id')"
  private static let index = "CREATE INDEX by_title ON notes (title, made)"

  private static func rows(_ table: String, _ count: Int) -> String {
    """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO \(table) SELECT i, '\(table) ' || i, 'the text of ' || i, i * 7 FROM n
    """
  }

  /// A salvage of a database without its first page, with a schema.
  private func salvage(_ made: [String], given: [String]) throws -> FilePath {
    let (file, schema, output) = (bench["app.db"], bench["schema.sql"], bench["new.db"])
    let filled = [
      Self.rows("notes", 400), Self.rows("tasks", 300),
      "INSERT INTO labels SELECT id, title FROM notes WHERE id < 30",
      "INSERT INTO links SELECT id, id % 30 FROM tasks",
    ]
    try DatabaseBuilder(pageSize: 1024, (made + filled).map { .init($0, []) }).build(at: file)
    try file.replaceContents(
      with: Damage.zeroPage(1).applied(to: file.contents(), pageSize: 1024))
    try schema.replaceContents(with: Bytes(given.map { $0 + ";\n" }.joined().utf8))
    let ending = try bench.run("salvage", file, "--schema", schema, "--output", output)
    #expect(ending.status == 14, "\(ending.all)")
    return output
  }

  private func count(_ table: String, in output: FilePath) throws -> Int64? {
    try Oracle(output).value("SELECT count(*) FROM \(table) WHERE title LIKE '\(table) %'")?
      .integerValue
  }

  @Test(arguments: [
    [table("notes"), table("tasks"), labels, links, index],
    [table("notes"), index, table("tasks"), labels, links],
    [table("notes"), table("tasks"), labels, links, words, index],
    [
      labels, table("notes", "INTEGER PRIMARY KEY AUTOINCREMENT"),
      table("tasks", "INTEGER PRIMARY KEY AUTOINCREMENT"), links, index,
    ],
  ])
  func `tables of one form get their rows by the order of the schema`(_ schema: [String]) throws {
    let output = try salvage(schema, given: schema)
    #expect(try count("notes", in: output) == 400)
    #expect(try count("tasks", in: output) == 300)
    let links = try Oracle(output).value("SELECT count(*) FROM links")
    #expect(links == .integer(300))
  }

  @Test func `an order that nothing shows to be that of the file gives no table rows of another`()
    throws
  {
    let schema = [Self.table("notes"), Self.table("tasks"), Self.labels, Self.links]
    // One more table of that form may be what lies behind the first one.
    let given = [schema[0], Self.table("drafts")] + schema[1...]
    let output = try salvage(schema, given: given)
    for (table, other) in [("notes", "tasks"), ("tasks", "notes"), ("drafts", "tasks")] {
      let strange = try Oracle(output).value(
        "SELECT count(*) FROM \(table) WHERE title LIKE '\(other) %'")
      #expect(strange == .integer(0), "\(table)")
    }
  }
}
