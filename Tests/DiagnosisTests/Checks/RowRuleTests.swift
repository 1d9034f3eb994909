// SPDX-License-Identifier: Apache-2.0
// What is said of rows that their table would refuse, or could not have.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RowRuleTests {
  private func fault(_ page: Int) -> FormatError {
    FormatError(.recordHeader, page: PageNumber(page), offset: 30)
  }

  @Test func `rows against the rules are counted in one finding for each rule`() {
    let tree = CheckedTree.table {
      $0.mistyped.add(fault(4))
      for page in 5..<8 { $0.nulls.add(fault(page)) }
    }
    let findings = RuleCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.rowDoubtful, .constraintBroken])
    #expect(
      findings.map(\.message) == [
        "1 row of 't' holds a value of a type that its column never holds",
        "3 rows of 't' hold NULL where a column refuses it",
      ])
    #expect(findings.map(\.place.page?.number) == [4, 5])
    #expect(findings.allSatisfy { $0.severity == .damage })
  }

  @Test func `NULL where the declaration was changed by hand is found`() throws {
    var specimen = try Specimen("INSERT INTO letter VALUES (3, NULL)")
    let words = [Bytes("page BLOB".utf8), Bytes("page  ANY".utf8)]
    #expect(specimen.said(.constraintBroken).isEmpty)
    let start = try #require(
      specimen.bytes.indices.first { specimen.bytes.matches(words[0], at: $0) })
    // The space of another column makes room for the rule.
    let old = Bytes("letter (id INTEGER PRIMARY KEY, page BLOB)".utf8)
    let new = Bytes("letter (id INTEGER PRIMARY KEY,p NOT NULL)".utf8)
    try #require(old.count == new.count)
    let table = start - (old.count - 10)
    specimen.bytes.replaceSubrange(table..<(table + old.count), with: new)
    let finding = try #require(specimen.said(.constraintBroken).first)
    #expect(finding.message == "1 row of 'letter' holds NULL where a column refuses it")
  }

  @Test func `NULL is counted for each column that refuses it`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["post.db"]
    try DatabaseBuilder([
      "CREATE TABLE post (id INTEGER PRIMARY KEY, a TEXT, b TEXT)",
      "INSERT INTO post (a, b) VALUES ('x', 'y'), (NULL, 'y'), (NULL, NULL)",
    ]).build(at: path)
    do {
      let connection = try Connection(path, mode: .app)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute(
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE post "
          + "(id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, c TEXT NOT NULL, "
          + "d NOT NULL DEFAULT 1)'")
    }
    let tree = try #require(Survey(main: try path.contents()).trees.first { $0.records == 3 })
    #expect(tree.nulls.count == 3)
    #expect(tree.nullCounts == ["a": 2, "b": 1, "c": 3])
  }

  @Test func `rows that end before a column that refuses NULL hold NULL there`() throws {
    func findings(_ column: String) throws -> [Finding] {
      let words = "CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT NOT NULL"
      let scratch = try ScratchFolder()
      let path = scratch["post.db"]
      try DatabaseBuilder(["\(words))", "INSERT INTO post (title) VALUES ('a'), ('b')"])
        .build(at: path)
      do {
        let connection = try Connection(path, mode: .app)
        connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
        try connection.execute(
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = '\(words), \(column))'")
      }
      return Survey(main: try path.contents()).findings.filter { $0.code == .constraintBroken }
    }
    #expect(
      try findings("slug TEXT NOT NULL").map(\.message) == [
        "2 rows of 'post' hold NULL where a column refuses it"
      ])
    #expect(try findings("slug TEXT").isEmpty)
    #expect(try findings("slug TEXT NOT NULL DEFAULT 1").isEmpty)
    #expect(try findings("slug TEXT NOT NULL DEFAULT 0, other TEXT").isEmpty)
  }

  @Test(arguments: [
    "INT DEFAULT 'q'", "INT DEFAULT '5'", "INT DEFAULT 1.5", "INT DEFAULT 1.0", "INT DEFAULT TRUE",
    "REAL DEFAULT 'x'", "REAL DEFAULT 5", "TEXT DEFAULT 5", "TEXT DEFAULT TRUE",
    "TEXT DEFAULT x'00'", "BLOB DEFAULT 'x'", "ANY DEFAULT 'x'", "INT DEFAULT ' 5 '",
    "INT DEFAULT '0x10'", "INT DEFAULT 9223372036854775808",
  ])
  func `a default that its column refuses breaks a rule in every row that ends before it`(
    _ column: String
  ) throws {
    for option in ["", " STRICT"] {
      let scratch = try ScratchFolder()
      let path = scratch["post.db"]
      try DatabaseBuilder([
        .init(stringLiteral: "CREATE TABLE post (id INTEGER PRIMARY KEY, n INT)\(option)"),
        "INSERT INTO post (n) VALUES (1), (2)",
      ]).build(at: path)
      do {
        let connection = try Connection(path, mode: .app)
        connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
        // Newer versions of SQLite refuse to add some of them.
        let words = column.replacing("'", with: "''")
        try connection.execute(
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
            + "'CREATE TABLE post (id INTEGER PRIMARY KEY, n INT, x \(words))\(option)'")
      }
      let said = try Connection(path, mode: .readOnly).value("PRAGMA integrity_check")
      let isSound = said?.utf8String == "ok"
      let found = Survey(main: try path.contents()).findings.filter { $0.code == .constraintBroken }
      #expect(
        found.map(\.message)
          == (isSound ? [] : ["2 rows of 'post' hold a default of a type that its column refuses"]),
        "\(column)\(option)")
    }
  }

  @Test func `rows with more fields than the table has columns are doubtful`() {
    let tree = CheckedTree.table { $0.unfit.add(fault(6)) }
    let findings = FormCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.rowDoubtful])
    #expect(findings.first?.message == "a row of 't' has fields that the table has not")
    #expect(findings.first?.place == .init(page: PageNumber(6), offset: 30, object: "t"))
  }
}
