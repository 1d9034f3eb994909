// SPDX-License-Identifier: Apache-2.0
// References in a renumbering merge: however a key is written, and where what they refer to is gone.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeDanglingTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  private static let keys = [
    "p (ID)", "p (\"Id\")", "P (\"Id\")", "P ([iD])", "\"P\" (`id`)", "\"P\" ([iD])", "p",
  ]

  @Test(arguments: keys, ["p INT, v, FOREIGN KEY (P) REFERENCES", "v, p REFERENCES"])
  func `references follow however the key that they refer to is written`(
    _ key: String, _ column: String
  ) throws {
    let tables = """
      CREATE TABLE p (id INTEGER PRIMARY KEY, v);
      CREATE TABLE c (id INTEGER PRIMARY KEY, \(column) \(key));
      """
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", tables, "INSERT INTO p VALUES (1, 'old')",
          "INSERT INTO c (id, p, v) VALUES (1, 1, 'old')"),
        try bench.make(
          "new.db", tables, "INSERT INTO p VALUES (1, 'new')",
          "INSERT INTO c (id, p, v) VALUES (1, 1, 'new')"),
      ], "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c JOIN p ON p.id = c.p ORDER BY c.id")
        == "new new\nold old")
  }

  private static let tables = """
    CREATE TABLE p (id INTEGER PRIMARY KEY, v);
    CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER REFERENCES p (id), v);
    """

  @Test func `a row that the newer input has too refers to the row that this has, and comes once`()
    throws
  {
    let rows = "INSERT INTO c VALUES (1, 1, 'a'), (2, 2, 'b')"
    let merged = try bench.merge(
      [
        try bench.make("phone.db", Self.tables, "INSERT INTO p VALUES (1, 'one')", rows),
        try bench.make(
          "laptop.db", Self.tables, "INSERT INTO p VALUES (1, 'one'), (2, 'two')", rows),
      ], "--renumber-all")
    #expect(merged.ending.status == 0, "\(merged.ending.all)")
    #expect(
      try merged.text("SELECT c.id, c.v, p.v FROM c LEFT JOIN p ON p.id = c.p ORDER BY 1")
        == "1 a one\n2 b two")
  }

  @Test func `a row that refers to none does not come to belong to a row of a newer input`() throws
  {
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", Self.tables, "INSERT INTO p VALUES (1, 'old')",
          "INSERT INTO c VALUES (1, 1, 'old'), (2, 2, 'lone')"),
        try bench.make(
          "new.db", Self.tables, "INSERT INTO p VALUES (1, 'new'), (2, 'new')"),
      ], "--renumber-all", dangling: 1)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c LEFT JOIN p ON p.id = c.p ORDER BY 1")
        == "lone -\nold old")
    #expect(try merged.ending.json["danglingReferences"]?.elements.first?["rows"]?.number == 1)
    #expect(try merged.rows("c", 0)["followed"]?.number == 1)
    let notes = try merged.ending.json["notes"]?.elements.compactMap(\.text) ?? []
    #expect(
      notes.contains { $0.hasPrefix("1 row of 'c' of old.db, by 'p', refers to rows of 'p'") })
    #expect(try merged.aside("SELECT \"table\", old FROM renumbered ORDER BY old") == "p 1\np 2")
  }

  @Test func `a row that refers to none is not adopted by a row of an older input`() throws {
    let merged = try bench.merge(
      [
        try bench.make(
          "oldest.db", Self.tables, "INSERT INTO p VALUES (3, 'oldest')",
          "INSERT INTO c VALUES (9, 3, 'oldest')"),
        try bench.make("old.db", Self.tables, "INSERT INTO c VALUES (2, 2, 'lone')"),
        try bench.make("new.db", Self.tables, "INSERT INTO p VALUES (2, 'new')"),
      ], "--renumber-all", dangling: 1)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c LEFT JOIN p ON p.id = c.p ORDER BY 1")
        == "lone -\noldest oldest")
  }

  @Test func `the rows of lost ones do not come to belong to others`() throws {
    func rows(_ table: String, _ values: String) -> String {
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO \(table) SELECT \(values) FROM n
      """
    }
    let old = try bench.make(
      "old.db", pageSize: 512, Self.tables, rows("p", "i, 'old parent ' || i"),
      rows("c", "i, i, 'old child'"))
    let new = try bench.make("new.db", Self.tables, rows("p", "i, 'new parent ' || i"))
    let leaf = try Oracle(old).pages.filter { $0.object == "p" && $0.kind == "leaf" }[1].number
    try old.replaceContents(
      with: Damage.zeroPage(leaf).applied(to: old.contents(), pageSize: 512))
    let merged = try bench.merge([old, new], "--renumber-all", dangling: nil)
    #expect(merged.ending.status == 14)
    #expect(
      try merged.text(
        "SELECT count(*) FROM c JOIN p ON p.id = c.p WHERE p.v LIKE 'new%'") == "0")
    #expect(try merged.text("SELECT count(*) FROM c") == "300")
    let dangling = try merged.ending.json["danglingReferences"]?.elements.first?["rows"]?.number
    #expect(dangling ?? 0 > 0)
  }

  @Test func `a row of the newest input that refers to none is not adopted in silence`() throws {
    let inputs = [
      try bench.make(
        "old.db", Self.tables, "INSERT INTO p VALUES (7, 'old')",
        "INSERT INTO c VALUES (1, 7, 'old')"),
      try bench.make(
        "new.db", Self.tables, "INSERT INTO c VALUES (9, 7, 'lone'), (8, NULL, 'none')"),
    ]
    let told = try bench.merge(inputs)
    #expect(told.ending.status == 13)
    let notes = try told.ending.json["notes"]?.elements.compactMap(\.text) ?? []
    #expect(
      notes.contains {
        $0.hasPrefix("1 row of 'c' of newer inputs, by 'p', referred to rows of 'p'")
      },
      "\(notes)")
    let merged = try bench.merge(inputs, "--renumber-all", dangling: 1)
    #expect(
      try merged.text("SELECT c.v, p.v FROM c LEFT JOIN p ON p.id = c.p ORDER BY 1")
        == "lone -\nnone -\nold old")
  }

  @Test func `a lone row is told also where the older input has no table of its kind`() throws {
    let merged = try bench.merge([
      try bench.make(
        "old.db", "CREATE TABLE p (id INTEGER PRIMARY KEY, v)", "INSERT INTO p VALUES (7, 'old')"),
      try bench.make("new.db", Self.tables, "INSERT INTO c VALUES (9, 7, 'lone')"),
    ])
    #expect(merged.ending.status == 13)
  }

  @Test(arguments: [[], ["--renumber-all"]])
  func `a row that both inputs have refers to the row that it refers to in one`(
    _ flags: [String]
  ) throws {
    let row = "INSERT INTO c VALUES (9, 7, 'same')"
    let inputs = [
      try bench.make("old.db", Self.tables, "INSERT INTO p VALUES (7, 'old')", row),
      try bench.make("new.db", Self.tables, row),
    ]
    let merged =
      try flags.isEmpty ? bench.merge(inputs) : bench.merge(inputs, "--renumber-all")
    #expect(merged.ending.status == 0)
    #expect(try merged.text("SELECT c.v, p.v FROM c JOIN p ON p.id = c.p") == "same old")
  }

  @Test(arguments: [true, false])
  func `a row that referred to none and refers to one now is told, whichever input it is of`(
    _ isOfOlder: Bool
  ) throws {
    let lone = try bench.make(
      "lone.db", Self.tables, "INSERT INTO p VALUES (1, 'one')",
      "INSERT INTO c VALUES (1, 5, 'lone'), (2, 1, 'one')")
    let other = try bench.make(
      "other.db", Self.tables, "INSERT INTO p VALUES (5, 'five')",
      "INSERT INTO c VALUES (9, 5, 'f')")
    let merged = try bench.merge(isOfOlder ? [lone, other] : [other, lone])
    #expect(merged.ending.status == 13)
    #expect(try notes(of: merged).contains { $0.contains("1 row of 'c'") && $0.contains("'p'") })
  }

  @Test(arguments: ["old", "new"])
  func `rows whose parent in the result is another one are told`(_ preferred: String) throws {
    let merged = try bench.merge(
      [
        try bench.make(
          "old.db", Self.tables, "INSERT INTO p VALUES (1, 'Alice'), (2, 'same')",
          "INSERT INTO c VALUES (1, 1, 'of Alice'), (2, 2, 'of the same')"),
        try bench.make(
          "new.db", Self.tables, "INSERT INTO p VALUES (1, 'Bob'), (2, 'same')",
          "INSERT INTO c VALUES (3, 1, 'of Bob'), (4, 1, 'of Bob')"),
      ], "--prefer", preferred)
    #expect(merged.ending.status == 14)
    let told = try notes(of: merged).filter { $0.contains("that were set aside") }
    #expect(told.count == 1)
    #expect(
      told.first?.hasPrefix(preferred == "old" ? "2 rows of 'c' of newer" : "1 row of 'c'") == true)
  }

  @Test func `a reference that leads to another table in the result is told`() throws {
    let parents =
      "CREATE TABLE p (id INTEGER PRIMARY KEY, v); CREATE TABLE q (id INTEGER PRIMARY KEY, v);"
    let merged = try bench.merge([
      try bench.make(
        "old.db", parents + "CREATE TABLE c (id INTEGER PRIMARY KEY, r REFERENCES q (id));",
        "INSERT INTO q VALUES (1, 'q')", "INSERT INTO c VALUES (1, 1)"),
      try bench.make(
        "new.db", parents + "CREATE TABLE c (id INTEGER PRIMARY KEY, r REFERENCES p (id));",
        "INSERT INTO p VALUES (1, 'p')"),
    ])
    #expect(merged.ending.status == 13)
    #expect(try notes(of: merged).contains { $0.contains("referred to 'q' there") })
  }

  private func notes(of merged: Merged) throws -> [String] {
    try merged.ending.json["notes"]?.elements.compactMap(\.text) ?? []
  }
}
