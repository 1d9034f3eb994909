// SPDX-License-Identifier: Apache-2.0
// SQL that a hostile file may hold, and what the sandbox makes of it.

import DatabaseRescue
import Diagnosis
import SQLiteFormat
import Testing

@Suite struct SchemaSandboxTests {
  @Test(arguments: [
    ("several statements", "CREATE TABLE t (a); CREATE TABLE u (b)"),
    ("a second statement that does not parse", "CREATE TABLE t (a); nonsense"),
    ("ATTACH", "ATTACH '/tmp/never' AS x"),
    ("DROP", "DROP TABLE t"),
    ("PRAGMA", "PRAGMA user_version = 5"),
    ("DELETE", "DELETE FROM sqlite_schema"),
    ("CREATE TABLE AS SELECT", "CREATE TABLE t AS SELECT 1 AS a"),
    ("CREATE TABLE AS load_extension", "CREATE TABLE t AS SELECT load_extension('/tmp/x')"),
    ("a temporary table", "CREATE TEMP TABLE t (a)"),
    ("a temporary view", "CREATE TEMP VIEW t AS SELECT 1"),
  ])
  func `what is no declaration is hostile`(name: String, sql: String) {
    let parsed = SandboxParser().parse([entry("t", sql, root: nil)])
    #expect(parsed.refused.map(\.name) == ["t"], "\(name)")
    #expect(parsed.refused.first?.weight == .noDeclaration, "\(name)")
    #expect(parsed.description == SchemaDescription(), "\(name)")
  }

  private static let excesses: [(String, String)] = [
    ("NUL", "CREATE TABLE t (a)\0; DROP TABLE t"),
    ("10 MB", "CREATE TABLE t (a DEFAULT '" + String(repeating: "x", count: 10 << 20) + "')"),
    (
      "deep nesting",
      "CREATE TABLE t (a CHECK (" + String(repeating: "(", count: 5000) + "1"
        + String(repeating: ")", count: 5000) + "))"
    ),
    (
      "a deep expression",
      "CREATE TABLE t (a CHECK (1" + String(repeating: "+1", count: 5000) + "))"
    ),
    (
      "many columns",
      "CREATE TABLE t (" + (0..<5000).map { "c\($0)" }.joined(separator: ", ") + ")"
    ),
    ("cut off", "CREATE TABLE t (a, b TEXT NOT"),
    (
      "many unknown functions",
      "CREATE INDEX t ON u (" + (0..<100).map { "f\($0)(a)" }.joined(separator: ", ") + ")"
    ),
  ]

  @Test(arguments: excesses)
  func `what goes too far is refused, not run`(name: String, sql: String) {
    let parsed = SandboxParser().parse([entry("u", "CREATE TABLE u (a)"), entry("t", sql)])
    #expect(parsed.refused.map(\.name) == ["t"], "\(name)")
    #expect(parsed.refused.first?.weight != .noDeclaration, "\(name)")
    #expect(parsed.description.tables.map(\.name) == ["u"], "\(name)")
  }

  @Test func `a schema of very many objects, in shares, is the same as one after the other`() {
    var entries: [SchemaEntry] = []
    for number in 0..<250 {
      let options = number % 50 == 7 ? "WITHOUT ROWING" : ""
      let sql = "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, a DEFAULT 5, b) \(options)"
      let column = number % 60 == 1 ? "c" : "b"
      entries.append(entry("t\(number)", sql))
      entries.append(
        entry(
          "i\(number)", "CREATE INDEX i\(number) ON t\(number) (\(column))", kind: .index,
          on: "t\(number)"))
    }
    for table in [Name("t100"), "t57", "missing"] {
      entries += (0..<1000).map {
        let name = Name("\(table)_\($0)")
        return entry(
          name, "CREATE INDEX \(name) ON \(table) (a, b + \($0))", kind: .index, on: table)
      }
    }
    entries.append(
      entry(
        "i5", "CREATE TRIGGER i5 AFTER DELETE ON t100 BEGIN SELECT f(old.a); END", kind: .trigger,
        on: "t100"))
    // A second row of a name has to be looked at after the first one.
    let again = entry("t3", "CREATE VIEW t3 AS SELECT 1", kind: .view)
    let (shared, alone) = (DeclaredSchema(entries), DeclaredSchema(entries + [again]))
    #expect(alone.refused.contains { $0.name == "t3" })
    #expect(shared.refused.map(\.reason) == alone.refused.filter { $0.name != "t3" }.map(\.reason))
    #expect(shared.declarations == alone.declarations)
    #expect(shared.description == alone.description)
    #expect(shared.defaults == alone.defaults)
    #expect(shared.declarations.count == 250 - 5 + 250 - 5 - 5 + 1000 + 1)
  }

  @Test func `unknown modules, collations and functions are accepted`() {
    let parsed = SandboxParser().parse([
      entry("v", "CREATE VIRTUAL TABLE v USING sparkle(a, b)"),
      entry("t", "CREATE TABLE t (a TEXT COLLATE klingon, b AS (sparkle(a)), CHECK (glow(a)))"),
      entry("i", "CREATE INDEX i ON t (a COLLATE elvish, sparkle(a))", kind: .index, on: "t"),
    ])
    #expect(parsed.refused == [])
    #expect(parsed.description.tables.map(\.name) == ["t", "v"])
    #expect(parsed.description.tables.first?.columns.first?.collation == "KLINGON")
    #expect(parsed.description.tables.last?.kind == .virtual)
  }

  @Test(arguments: ["fts3(a)", "fts4(a)", "fts5(a)", "rtree(id, x0, x1)"])
  func `known modules bring their shadow tables`(module: String) {
    let parsed = SandboxParser().parse([entry("v", "CREATE VIRTUAL TABLE v USING \(module)")])
    #expect(parsed.refused == [])
    #expect(parsed.description.tables.contains { $0.kind == .shadow })
    #expect(parsed.description.tables.first { $0.name == "v" }?.columns.isEmpty == false)
  }

  @Test func `triggers and views are declared, and never run`() {
    let parsed = SandboxParser().parse([
      entry("t", "CREATE TABLE t (a)"),
      entry("w", "CREATE VIEW w AS SELECT load_extension('/tmp/x')", kind: .view),
      entry(
        "r", "CREATE TRIGGER r AFTER INSERT ON t BEGIN SELECT load_extension('/tmp/x'); END",
        kind: .trigger, on: "t"),
    ])
    #expect(parsed.refused == [])
    #expect(parsed.description.views.map(\.name) == ["w"])
    #expect(parsed.description.triggers.map(\.name) == ["r"])
  }

  @Test func `a statement that declares something else than its row says is refused`() {
    let table = entry("t", "CREATE TABLE t (a, b UNIQUE)")
    let index = "CREATE INDEX i ON t (a)"
    let trigger = "CREATE TRIGGER t AFTER INSERT ON t BEGIN SELECT 1; END"
    func refused(_ entry: SchemaEntry) -> [Name] {
      SandboxParser().parse([table, entry]).refused.map(\.name)
    }
    #expect(refused(entry("i", index, kind: .index, on: "t")) == [])
    #expect(refused(entry("j", index, kind: .index, on: "t")) == ["j"])
    #expect(refused(entry("i", index, kind: .index, on: "u")) == ["i"])
    #expect(refused(entry("i", index)) == ["i"])
    #expect(refused(entry("t", trigger, kind: .trigger, on: "t")) == [])
    #expect(
      SandboxParser().parse([table, entry("t", trigger, kind: .trigger, on: "t")])
        .description.triggers.count == 1)
    func automatic(_ name: Name) -> SchemaEntry {
      SchemaEntry(kind: .index, name: name, table: "t", root: PageNumber(3), sql: nil)
    }
    #expect(refused(automatic("sqlite_autoindex_t_1")) == [])
    #expect(refused(automatic("sqlite_autoindex_t_2")) == ["sqlite_autoindex_t_2"])
  }

  @Test func `a default is a value, whatever its expression would call`() {
    let parsed = SandboxParser().parse([
      entry(
        "t",
        "CREATE TABLE t (a INT DEFAULT '7', b DEFAULT (load_extension('/tmp/x')), "
          + "c TEXT DEFAULT 'x', d DEFAULT (hex(zeroblob(1000000000))))")
    ])
    #expect(parsed.defaults["t"] == [.integer(7), .null, .text("x"), .null])
  }

  @Test func `a default of one word is a text, unless it is a value or the time`() {
    let parsed = SandboxParser().parse([
      entry(
        "t",
        "CREATE TABLE t (a TEXT DEFAULT active, b DEFAULT key, c INT DEFAULT off, d DEFAULT TRUE, "
          + "e DEFAULT null, f TEXT DEFAULT current_date, g INT DEFAULT (CAST('12' AS INT)), "
          + "h DEFAULT (1 -- one\n), i DEFAULT [no])")
    ])
    #expect(parsed.refused.isEmpty)
    #expect(
      parsed.defaults["t"] == [
        .text("active"), .text("key"), .text("off"), .integer(1), .null, .null, .integer(12),
        .integer(1), .text("no"),
      ])
  }

  @Test func `a table in a file is none of a connection, whatever its statement says`() {
    let table = entry("t", "CREATE /* a */ TEMP TABLE t (a)")
    let index = entry("i", "CREATE INDEX i ON t (a)", kind: .index, on: "t")
    let parsed = SandboxParser().parse([table, index])
    #expect(parsed.refused == [])
    #expect(parsed.description.tables.map(\.name) == ["t"])
    #expect(parsed.description.tables.first?.indexes.map(\.name) == ["i"])
  }

  private func entry(
    _ name: Name, _ sql: String, kind: SchemaEntry.Kind = .table, on table: Name? = nil,
    root: PageNumber? = PageNumber(2)
  ) -> SchemaEntry {
    SchemaEntry(kind: kind, name: name, table: table ?? name, root: root, sql: sql)
  }
}
