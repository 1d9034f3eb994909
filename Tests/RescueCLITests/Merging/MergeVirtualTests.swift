// SPDX-License-Identifier: Apache-2.0
// Virtual tables of several inputs that are not the same: by the names of their columns, or aside.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeVirtualTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  @Test(arguments: [
    ("fts5(title, body)", "fts5(body, title)"), ("fts4(title, body)", "fts4(body, title)"),
    ("fts4(title, body)", "fts5(body, title)"), ("fts5(title, body)", "fts3(tag, body, title)"),
  ])
  func `texts go by the names of their columns, and the same row is there once`(
    _ old: String, _ new: String
  ) throws {
    func rows(_ number: Int, _ word: String) -> String {
      """
      INSERT INTO f (rowid, title, body)
      VALUES (1, 'the title', 'the body'), (\(number), '\(word) title', '\(word) body')
      """
    }
    let merged = try bench.merge([
      try bench.make("old.db", "CREATE VIRTUAL TABLE f USING \(old)", rows(2, "elder")),
      try bench.make("new.db", "CREATE VIRTUAL TABLE f USING \(new)", rows(3, "younger")),
    ])
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT rowid, title, body FROM f ORDER BY rowid")
        == "1 the title the body\n2 elder title elder body\n3 younger title younger body")
    #expect(try merged.text("SELECT rowid FROM f WHERE f MATCH 'body:elder'") == "2")
    #expect(try merged.table("f")["key"]?.elements.compactMap(\.text) == ["rowid"])
    #expect(try merged.rows("f", 0)["identical"]?.number == 1)
  }

  @Test func `coordinates and further columns go by their names`() throws {
    let rows = "INSERT INTO r (id, minX, maxX, minY, maxY, a, b)"
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE VIRTUAL TABLE r USING rtree(id, minX, maxX, minY, maxY, +a, +b)",
        "\(rows) VALUES (1, 10, 11, 20, 21, 'a', 'b')"),
      try bench.make(
        "new.db", "CREATE VIRTUAL TABLE r USING rtree(id, minY, maxY, minX, maxX, +b, +a)",
        "\(rows) VALUES (2, 30, 31, 40, 41, 'a', 'b')"),
    ])
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT minX, maxX, minY, maxY, a, b FROM r ORDER BY id")
        == "10.0 11.0 20.0 21.0 a b\n30.0 31.0 40.0 41.0 a b")
    #expect(try merged.text("SELECT id FROM r WHERE minX > 5 AND maxX < 15 AND minY > 15") == "1")
    #expect(try merged.text("SELECT rtreecheck('r')") == "ok")
  }

  @Test func `a further column that the newest R-tree has not is kept beside it`() throws {
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE VIRTUAL TABLE r USING rtree(id, a, b, +label)",
        "INSERT INTO r VALUES (1, 1, 2, 'kept')"),
      try bench.make("new.db", "CREATE VIRTUAL TABLE r USING rtree(id, a, b)"),
    ])
    #expect(merged.ending.status == 14)
    #expect(try merged.new.count(of: "r") == 1)
    #expect(try merged.aside("SELECT c2 FROM left_out") == "kept")
  }

  @Test(arguments: [
    ("VIRTUAL TABLE t USING fts5(a)", "VIRTUAL TABLE t USING rtree(id, a, b)", "t_content"),
    ("VIRTUAL TABLE t USING rtree(id, a, b)", "VIRTUAL TABLE t USING fts4(a)", "t_rowid"),
    (
      "VIRTUAL TABLE t USING rtree(id, a, b)", "VIRTUAL TABLE t USING rtree_i32(id, a, b)",
      "t_rowid"
    ),
    (
      "VIRTUAL TABLE t USING rtree(id, a, b)", "VIRTUAL TABLE t USING rtree(id, a, b, c, d)",
      "t_rowid"
    ),
    ("VIRTUAL TABLE t USING rtree(id, a, b)", "TABLE t (id, a, b)", "t_rowid"),
    ("VIRTUAL TABLE t USING fts4(a)", "TABLE t (a)", "t_content"),
    ("TABLE t (a)", "VIRTUAL TABLE t USING fts5(a)", "t"),
  ])
  func `rows of another kind of table of one name are set aside, and told`(
    _ old: String, _ new: String, _ part: String
  ) throws {
    let merged = try bench.merge(
      [
        try bench.make("old.db", "CREATE \(old)", "INSERT INTO t (a) VALUES (-1), (-2)"),
        try bench.make("new.db", "CREATE \(new)", "INSERT INTO t (a) VALUES (-7)"),
      ], displaced: [part])
    #expect(merged.ending.status == 14)
    #expect(try merged.text("SELECT count(*) FROM t") == "1")
    #expect(try merged.rows(part, 0)["displaced"]?.number == 2)
    #expect(
      try merged.ending.json["notes"]?.elements.compactMap(\.text).contains {
        $0.contains("its rows are set aside")
      } == true)
  }

  @Test func `words without texts that find no place in a table with texts are no silent loss`()
    throws
  {
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", "CREATE VIRTUAL TABLE f USING fts5(a, content='')",
          "INSERT INTO f (rowid, a) VALUES (1, 'word')"),
        try bench.make("new.db", "CREATE VIRTUAL TABLE f USING fts5(a)"),
      ], displaced: ["f_data", "f_idx", "f_docsize", "f_config"])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("f_docsize", 0)["displaced"]?.number == 1)
  }
}
