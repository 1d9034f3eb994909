// SPDX-License-Identifier: Apache-2.0
// Statements of tables in which characters were damaged, and what they are taken for.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct StatementMenderTests {
  @Test func `a type that nobody knows is one that is known where that is asked for`() {
    let sql = "CREATE TABLE t(id IGThGER\u{1}PRIM\u{2}RY K\u{3}Y, t TEXT, \u{4}\u{1C}"
    let entry = SchemaEntry(kind: .table, name: "t", table: "t", root: PageNumber(2), sql: sql)
    let others = ["CREATE TABLE u(id INTEGER PRIMARY KEY, b BLOB)"]
    #expect(
      StatementMender.Readiness.allCases.map {
        StatementMender.mended(entry, besides: others, $0)
      } == [
        "CREATE TABLE t(id IGThGER PRIMARY KEY, t TEXT, _)",
        "CREATE TABLE t(id INTEGER PRIMARY KEY, t TEXT, _)",
      ])
  }

  /// What a statement is taken for.
  private func mended(_ name: Name, _ sql: String, besides others: [String] = []) -> String? {
    StatementMender.mended(
      SchemaEntry(kind: .table, name: name, table: name, root: PageNumber(2), sql: sql),
      besides: others)
  }

  @Test(arguments: [
    ("CRqATE TABLE t(id TEXT)", "CREATE TABLE t(id TEXT)"),
    ("CREATE TAB7E t(id TEXT)", "CREATE TABLE t(id TEXT)"),
    ("CREATE TABLE x(id TEXT, a\u{5})", "CREATE TABLE t(id TEXT, a_)"),
    (
      "CREATE Tl\u{1}LE t(id \u{BE}NTEsERsPRIMARY KEY, b TEXT)",
      "CREATE TABLE t(id \u{BE}NTEsER PRIMARY KEY, b TEXT)"
    ),
    (
      "CREATE TABLE t(id TEXT PRIMA9Y KEY, reps-INTEGER NOT NU7L)",
      "CREATE TABLE t(id TEXT PRIMARY KEY, reps INTEGER NOT NULL)"
    ),
    (
      "CREATE TABLE t(a, b, PRIMARY KEY(a, b)) WI\u{1}HOUT RMWID",
      "CREATE TABLE t(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID"
    ),
    ("CREATE TABLE t(a ANY)\u{2}STRICT", "CREATE TABLE t(a ANY) STRICT"),
    (
      "CREATE TABLE t(subject, object ANY, PRIMARY KEY(objec\u{1}, subject))",
      "CREATE TABLE t(subject, object ANY, PRIMARY KEY(object, subject))"
    ),
    (
      "CREATE TABLE t(a INT PRIMARY KEY\u{1} b BLOB\u{1} c TEXT)",
      "CREATE TABLE t(a INT PRIMARY KEY, b BLOB, c TEXT)"
    ),
    (
      "CREATE TABLE t(a DEFAULT -1, b DEF}ULT 'x y', c DEFAULT 'CREATE' CHECK(c <> 'no,' OR a != 2))",
      "CREATE TABLE t(a DEFAULT -1, b DEFAULT 'x y', c DEFAULT 'CREATE' CHECK(c <> 'no,' OR a != 2))"
    ),
    (
      "CREATE TABLE t(a VARCHAR(20) COLLATE test, b TE\u{3}T)",
      "CREATE TABLE t(a VARCHAR(20) COLLATE test, b TEXT)"
    ),
    (
      "CREATE TABLE t\u{1}\u{2}\u{3}\u{4}integer primary key, b text)",
      "CREATE TABLE t (_ integer primary key, b text)"
    ),
    (
      "CREATE TABLE t(k TEXT COLLATE NOCASEl value NUMERIC, PRIMARY KEY(k COLLATE NOCASE))",
      "CREATE TABLE t(k TEXT COLLATE NOCASE, value NUMERIC, PRIMARY KEY(k COLLATE NOCASE))"
    ),
    (
      "CREATE TABLE t(a TEXT CONSTRAINT c NOT NU\u{1}L REFERENCES u(id) ON DELETE CASCADE)",
      "CREATE TABLE t(a TEXT CONSTRAINT c NOT NULL REFERENCES u(id) ON DELETE CASCADE)"
    ),
    ("CREATE TABLE \"t\"(\"a b\" text, c re@l)", "CREATE TABLE \"t\"(\"a b\" text, c real)"),
  ])
  func `a damaged statement is mended with the fewest changes`(_ sql: String, _ expected: String) {
    #expect(mended("t", sql) == expected)
  }

  @Test func `several wrong letters in a word of SQL make no name where that is unlikely`() {
    let sql =
      "CREATE TABLE t(\u{3069}d \u{6549}NTEGE\u{7552} PM\u{ED49}MAR\u{B759} KEY, note TEXT)"
    let entry = SchemaEntry(kind: .table, name: "t", table: "t", root: PageNumber(2), sql: sql)
    #expect(
      StatementMender.mended(entry, besides: [], .reluctant)
        == "CREATE TABLE t(\u{3069}d INTEGER PRIMARY KEY, note TEXT)")
  }

  @Test func `a name that stands in another statement is known`() {
    let index = "CREATE INDEX i ON t(workout)"
    #expect(
      mended("t", "CREATE TABLE t(id TEXT, work\u{1}ut TEXT)", besides: [index])
        == "CREATE TABLE t(id TEXT, workout TEXT)")
    #expect(
      mended("t", "CREATE TABLE t(id TEXT, work\u{1}ut TEXT)")
        == "CREATE TABLE t(id TEXT, work_ut TEXT)")
  }

  @Test(arguments: [
    "CREATE TABLE t(id TEXT)", "CREATE VIEW t AS SELECT 1", "", "CREATE TABLE t",
    "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}(a)",
    "CREATE TABLE t(\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{1}\u{2}\u{3})",
  ])
  func `nothing is made of what is sound, or beyond help`(_ sql: String) {
    #expect(mended("t", sql) == nil)
  }

  @Test func `a long statement takes no time to speak of`() {
    let columns = (0..<20).map { "column_\($0) INTEGER NOT NULL" }.joined(separator: ", ")
    let sql = "CREATE TABLE t(\(columns))"
    #expect(mended("t", sql.replacingFirst("INTEGER", with: "INT\u{1}GER")) == sql)
  }
}

@Suite struct MendedSchemaTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  /// A database in which bytes of a statement are others.
  private func survey(_ table: String, _ sound: String, _ damaged: String) throws -> Survey {
    Survey(main: try bytes(table, sound, damaged))
  }

  private func bytes(
    _ table: String, _ sound: String, _ damaged: String, rows: Int = 300
  ) throws -> Bytes {
    let path = scratch["a.db"]
    let fill = """
      INSERT INTO t
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      SELECT i, 'row ' || i FROM n
      """
    try DatabaseBuilder(
      pageSize: 1024, [.init(table, []), .init(fill, []), "CREATE INDEX i ON t(v)"]
    ).build(at: path)
    var bytes = try path.contents()
    let place = try #require(bytes.firstRange(of: Bytes(sound.utf8)))
    bytes.replaceSubrange(place, with: Bytes(damaged.utf8))
    return bytes
  }

  @Test func `a table whose statement is mended has its rows, and the damage is told`() throws {
    let survey = try survey(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)", "KEY, v", "KEY\u{1} v")
    #expect(survey.schema?.sources[.mended] == 1)
    #expect(survey.trees.first { $0.entry.name == "t" }?.records == 300)
    #expect(survey.schema?.table(named: "t")?.rowIDAlias == 0)
    #expect(Reconstruction(survey).findings([], []).contains { $0.code == .schemaSQLUnreadable })
  }

  @Test(arguments: [
    // SQLite takes three words for a type, and no row has a key.
    ("(id INTEGER PRIMARY KEY, v TEXT)", "PRIMARY", "PRIMERY"),
    // A key that is not the rowid has an automatic index.
    ("(id INTEGER PRIMARY KEY, v TEXT)", "INTEGER", "ILTEGER"),
    // A word that nobody knows costs less than two wrong letters, until no row has a key.
    ("(id INTEGER PRIMARY KEY, v TEXT)", "INTEGER", "\rNTEGGR"),
  ])
  func `a statement that SQLite accepts and the rows refute is mended`(
    _ columns: String, _ sound: String, _ damaged: String
  ) throws {
    let survey = try survey("CREATE TABLE t\(columns)", sound, damaged)
    #expect(survey.schema?.sources[.mended] == 1)
    #expect(survey.schema?.table(named: "t")?.rowIDAlias == 0)
    #expect(Reconstruction(survey).findings([], []).contains { $0.code == .schemaSQLUnreadable })
  }

  @Test(arguments: [("PRHMARY", true), ("PRHMARI", false)])
  func `one row without a key tells of one that a letter has taken, and not two`(
    _ damaged: String, _ isMended: Bool
  ) throws {
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)"
    let survey = Survey(main: try bytes(sql, "PRIMARY", damaged, rows: 1))
    #expect(survey.schema?.sources[.mended] == (isMended ? 1 : nil))
    #expect(survey.schema?.table(named: "t")?.rowIDAlias == (isMended ? 0 : nil))
  }

  @Test func `a comma that became a letter of a collation is put back`() throws {
    let survey = try survey(
      "CREATE TABLE t(id INT COLLATE NOCASE, v TEXT, PRIMARY KEY (id, v))", "NOCASE, v",
      "NOCASEl v")
    #expect(survey.schema?.sources[.mended] == 1)
    #expect(survey.trees.first { $0.entry.name == "t" }?.records == 300)
    #expect(survey.schema?.table(named: "t")?.columns.map(\.name) == ["id", "v"])
  }

  @Test func `a damaged bit on its root does not keep a statement from being mended`() throws {
    var bytes = try bytes("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)", "INTEGER", "ILTEGER")
    // The root is page 2; its fragments and its freeblocks are no longer as the header says.
    bytes[1024 + 7] ^= 0x10
    let survey = Survey(main: bytes)
    #expect(survey.schema?.table(named: "t")?.rowIDAlias == 0)
    #expect(survey.trees.first { $0.entry.name == "t" }?.records == 300)
  }

  @Test(arguments: ["(id INTEGEN, v TEXT)", "(id INTEGEN PRIMARY KEY, v TEXT)"])
  func `a statement that the rows bear out stays, whatever its words are`(
    _ columns: String
  ) throws {
    let survey = try survey("CREATE TABLE t\(columns)", "TEXT", "TEXT")
    #expect(survey.schema?.sources[.mended] == nil)
    #expect(survey.verdict == .healthy)
  }

  @Test func `the app's schema stands in for a statement that the rows refute`() throws {
    let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)"
    let entry = SchemaEntry(kind: .table, name: "t", table: "t", root: nil, sql: sql)
    let damaged = try bytes(sql, "PRIMARY", "PRIMERY")
    let survey = try Survey(
      FileSet(main: MemorySource(damaged)), parser: SandboxParser(),
      known: OutsideKnowledge(schema: { [entry] }))
    #expect(survey.schema?.sources[.expected] == 1)
    #expect(survey.schema?.table(named: "t")?.rowIDAlias == 0)
    #expect(survey.trees.first { $0.entry.name == "t" }?.records == 300)
  }

  @Test func `a statement that the rows do not bear out is not believed`() throws {
    // With the comma gone, it says one column where each row has two.
    let survey = try survey("CREATE TABLE t(id INT, v TEXT)", "INT, v TEXT)", "INT()  TEXT)")
    #expect(survey.schema?.sources[.mended] == nil)
  }
}

extension String {
  fileprivate func replacingFirst(_ word: String, with other: String) -> String {
    guard let range = firstRange(of: word) else { return self }
    return replacingCharacters(in: range, with: other)
  }

  private func replacingCharacters(in range: Range<Index>, with other: String) -> String {
    String(self[..<range.lowerBound]) + other + self[range.upperBound...]
  }
}
