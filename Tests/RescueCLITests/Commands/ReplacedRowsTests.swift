// SPDX-License-Identifier: Apache-2.0
// Rows that a migration replaces by others are lost, also where one column happens to keep its values;
// rows that only get other ids are not.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ReplacedRowsTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, status INT)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
      INSERT INTO t SELECT i, 'a' || i, i % 3 FROM n
      """,
      "PRAGMA user_version = 1",
    ]).build(at: file)
  }

  private func migrate(_ sql: String) throws -> Ending {
    try bench.tryMigration(of: file, sql)
  }

  @Test(arguments: [
    "DELETE FROM t WHERE id = 5; INSERT INTO t VALUES (100, 'x', 2)",
    "DELETE FROM t WHERE id = 5; INSERT INTO t SELECT 100, a, status FROM t WHERE id = 8",
    "UPDATE t SET id = id + 100, a = 'other ' || id",
  ])
  func `rows whose place others take are gone`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains("in its place") || ending.all.contains("in their place"))
  }

  private static let rebuild = "CREATE TABLE new (id INTEGER PRIMARY KEY, a TEXT, status INT);"
  private static let rename = "DROP TABLE t; ALTER TABLE new RENAME TO t"

  /// How the values of a row are made of its number: of few values, or each its own.
  private static let few = ["7919", "6007", "4231"].map { "i * i * \($0) % 10007 % 6" }
  private static let own = ["'n' || i", "'m' || i", "i * 31"]

  @Test(arguments: [(few, 60, 60), (few, 60, 40), (own, 60, 20), (own, 400, 12)])
  func `rows are gone where others are under their keys, few values or many`(
    _ columns: [String], _ count: Int, _ replaced: Int
  ) throws {
    let other = bench["other.db"]
    func rows(_ range: ClosedRange<Int>, _ shift: Int) -> String {
      "WITH RECURSIVE n(j) AS (SELECT \(range.lowerBound) UNION ALL SELECT j + 1 FROM n WHERE j < "
        + "\(range.upperBound)), m AS (SELECT j, j + \(shift) AS i FROM n) "
        + "INSERT OR REPLACE INTO t SELECT j, \(columns.joined(separator: ", ")) FROM m"
    }
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)", .init(stringLiteral: rows(1...count, 0)),
      "PRAGMA user_version = 1",
    ]).build(at: other)
    let ending = try bench.tryMigration(of: other, rows(1...replaced, 5003))
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains("rows of 't' are gone, and others are in their place"))
  }

  @Test func `values that were taken out of some rows are told, and not taken for other rows`()
    throws
  {
    let other = bench["other.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b, c)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO t SELECT i, 'n' || i, 'm' || i, i * 31 FROM n
      """, "PRAGMA user_version = 1",
    ]).build(at: other)
    let ending = try bench.tryMigration(
      of: other, "UPDATE t SET a = 'gone', b = 'gone', c = 0 WHERE id % 3 = 0")
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test(arguments: [1, 7])
  func `rows are gone where those behind them have their numbers`(_ count: Int) throws {
    let ending = try migrate(
      Self.rebuild
        + "INSERT INTO new (a, status) SELECT a, status FROM t WHERE id > 5 + \(count) OR id <= 5 ORDER BY id;"
        + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
        + " INSERT INTO new (a, status) SELECT 'b' || i, 1 FROM n;" + Self.rename)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains(count == 1 ? "1 row of 't' is gone" : "7 rows of 't' are gone"))
  }

  @Test func `rows that have each other's numbers are all there`() throws {
    let ending = try migrate(
      Self.rebuild + "INSERT INTO new (a, status) SELECT a, status FROM t ORDER BY a;" + Self.rename
    )
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test(arguments: [
    (
      "DELETE FROM t; WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 120)"
        + " INSERT INTO t SELECT i, 'b' || i, 9 FROM n",
      "20 rows of 't' are gone, and others are in their"
    ),
    ("UPDATE t SET a = '' WHERE id = 3", "column 't.a' has other values than before"),
    (
      "DELETE FROM t WHERE id = 4; UPDATE t SET a = '' WHERE id = 3",
      "column 't.a' has other values"
    ),
    ("UPDATE t SET id = id + 100", "20 rows of 't' have another id"),
  ])
  func `what becomes of rows that may come and go is told`(_ sql: String, _ notice: String) throws {
    let (next, contract) = (bench["next.db"], bench["c.json"])
    try next.replaceContents(with: file.contents())
    try Connection(next, mode: .readWrite, schemaBy: .us).execute("PRAGMA user_version = 2")
    _ = try bench.run("contract", "capture", next, "--output", contract)
    let text = String(decoding: try contract.contents(), as: UTF8.self).drop { $0 != "{" }
    try contract.replaceContents(
      with: Bytes(#"{"rowCounts": {"t": "any"}, \#(text.dropFirst())"#.utf8))
    let ending = try bench.tryMigration(of: file, sql, ["--contract", "\(contract)"])
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains(notice), "\(ending.all)")
  }

  @Test(arguments: [
    "UPDATE t SET id = id + 100", "UPDATE t SET id = id + 100, status = status + 1",
    "UPDATE t SET id = id + 100, status = min(status, 1); INSERT INTO t VALUES (50, 'x', 1)",
  ])
  func `rows with other ids are there`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("20 rows of 't' have another id"), "\(ending.all)")
  }

  @Test(arguments: [
    ("CREATE TABLE slot (id INTEGER PRIMARY KEY, state)", 3),
    ("CREATE TABLE slot (id INTEGER PRIMARY KEY, state)", 1),
    ("CREATE TABLE slot (state)", 3),
  ])
  func `rows that only their ids tell apart may become more`(_ table: String, count: Int) throws {
    let other = bench["other.db"]
    let rows = Array(repeating: "('free')", count: count).joined(separator: ", ")
    try DatabaseBuilder([
      .init(stringLiteral: table), .init(stringLiteral: "INSERT INTO slot (state) VALUES \(rows)"),
      "PRAGMA user_version = 1",
    ]).build(at: other)
    let ending = try bench.tryMigration(
      of: other, "INSERT INTO slot (state) SELECT state FROM slot")
    // Without ids nothing tells new rows from copies.
    #expect(ending.status == (table.contains("id") ? 0 : 18), "\(ending.all)")
  }

  static let lostBesideNew = [
    "UPDATE t SET a = NULL WHERE id = 1": "'t.a' had 20 values and has 19 in the rows that were",
    "UPDATE t SET a = ''": "'t.a' had different values and has one and the same",
    "UPDATE t SET a = status, status = a": "'t.status' has the values that were in 'a'",
    "UPDATE t SET a = NULL; INSERT INTO t (a) SELECT 'x' || id FROM t":
      "'t.a' had 20 values and has",
  ]

  @Test(arguments: lostBesideNew)
  func `values that rows have lost are told where other rows came`(
    _ sql: String, _ problem: String
  ) throws {
    let ending = try migrate("\(sql); INSERT INTO t VALUES (100, 'new', 7)")
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains(problem), "\(ending.all)")
  }

  @Test func `values that are others are told where rows came`() throws {
    let ending = try migrate(
      "UPDATE t SET a = 'other ' || id || a; INSERT INTO t VALUES (100, 'new', 7)")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("column 't.a' has other values than before"), "\(ending.all)")
  }

  @Test(arguments: [
    "INSERT INTO t VALUES (100, NULL, NULL)",
    // Made anew in another order: the ids are those of other rows.
    """
    CREATE TABLE n (id INTEGER PRIMARY KEY, a TEXT, status INT, b);
    INSERT INTO n (a, status) SELECT NULL, 5 UNION ALL SELECT a, status FROM
      (SELECT * FROM t ORDER BY id DESC);
    DROP TABLE t; ALTER TABLE n RENAME TO t
    """,
  ])
  func `rows that came have lost nothing`(_ sql: String) throws {
    let ending = try migrate(sql)
    #expect(ending.status == 0, "\(ending.all)")
  }

  private func make(_ table: String) throws {
    let fill = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO u SELECT i, 'k' || i, i * 3 FROM n
      """
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("\(table); \(fill)")
  }

  static let keys = [
    "CREATE TABLE u (a INT, b TEXT PRIMARY KEY, v)", "CREATE TABLE u (a INT, b TEXT, v)",
    "CREATE TABLE u (a INT, b TEXT, v, PRIMARY KEY (a, b))",
    "CREATE TABLE u (a INT, b TEXT, v, PRIMARY KEY (a, b)) WITHOUT ROWID",
  ]

  @Test(arguments: keys)
  func `rows whose place others take are gone, whatever their key is`(_ table: String) throws {
    try make(table)
    let ending = try migrate(
      """
      DELETE FROM u WHERE a <= 3;
      INSERT INTO u VALUES (101, 'x', 1), (102, 'y', 1), (103, 'z', 1), (104, 'w', 1)
      """)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains("3 rows of 'u' are gone, and others are in their"), "\(ending.all)")
  }

  @Test(arguments: keys)
  func `rows that stay are there, whatever their key is`(_ table: String) throws {
    try make(table)
    let ending = try migrate(
      "INSERT INTO u VALUES (101, 'x', 1); UPDATE u SET v = v + 1 WHERE a = 7; "
        + "ALTER TABLE u ADD COLUMN w; UPDATE u SET w = v")
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test func `a table that is made anew without its gaps has its rows`() throws {
    try make("CREATE TABLE u (a INT, b TEXT, v)")
    try Connection(file, mode: .readWrite, schemaBy: .us).execute("DELETE FROM u WHERE a = 9")
    let ending = try migrate(
      """
      CREATE TABLE n (a INT, b TEXT, v); INSERT INTO n SELECT a, upper(b), v FROM u; DROP TABLE u;
      ALTER TABLE n RENAME TO u
      """)
    #expect(ending.status == 0, "\(ending.all)")
  }

  /// Two tables of one form, each with 40 rows of its own; the state is the same in half of them.
  private func makeTwins() throws {
    func fill(_ table: String, _ values: String) -> String {
      """
      CREATE TABLE \(table) (id INTEGER PRIMARY KEY, name TEXT, owner INT, state INT, at INT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO \(table) SELECT i, \(values) FROM n;
      """
    }
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(
      fill("own", "'name ' || i, i % 7, i % 2, i * 60")
        + fill("twin", "'other ' || i, i * i % 5, i / 2 % 2, 90007 + i * i"))
  }

  static let underTheSameIDs = [
    "DELETE FROM own; INSERT INTO own SELECT * FROM twin; UPDATE own SET at = at + 1":
      "40 rows of 'own' are gone, and others are in their place",
    // One of its values is there again.
    "DELETE FROM own WHERE id = 5; INSERT INTO own VALUES (50, 'p', 1, 1, 300), (51, 'q', 1, 1, 1)":
      "1 row of 'own' is gone, and another one is in its place",
    "DELETE FROM own WHERE id > 20; INSERT INTO own SELECT * FROM twin WHERE id > 20":
      "20 rows of 'own' are gone, and others are in their place",
    """
    CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT, owner INT, at INT, state INT, more);
    INSERT INTO n SELECT id, name, owner, at, state, 0 FROM twin; INSERT INTO n (at) VALUES (1);
    DROP TABLE own; ALTER TABLE n RENAME TO own
    """: "40 rows of 'own' are gone, and others are in their place",
    "ALTER TABLE own RENAME TO n; ALTER TABLE twin RENAME TO own; ALTER TABLE n RENAME TO twin":
      "'twin' has the rows that were in 'own', and not its own",
    "DELETE FROM own; INSERT INTO own SELECT * FROM twin":
      "'own' has the rows that were in 'twin', and not its own",
  ]

  @Test(arguments: underTheSameIDs)
  func `rows that have the ids of others do not stand for them`(
    _ sql: String, _ problem: String
  ) throws {
    try makeTwins()
    let ending = try migrate(sql)
    #expect(ending.status == 18, "\(ending.all)")
    #expect(ending.all.contains(problem), "\(ending.all)")
  }

  @Test(arguments: [
    // Every value is converted.
    "UPDATE own SET name = upper(name), owner = owner + 100, state = state * 2, at = at * 1000",
    "UPDATE own SET name = hex(randomblob(8)), owner = hex(randomblob(8)), "
      + "state = hex(randomblob(8)), at = hex(randomblob(8))",
    // The ids are those of other rows.
    """
    CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT, owner INT, state INT, at INT, more);
    INSERT INTO n SELECT row_number() OVER (ORDER BY name DESC), name, owner, state + 1, at, 0
      FROM own;
    DROP TABLE own; ALTER TABLE n RENAME TO own
    """,
    // A few rows are written anew, or many in some columns.
    "UPDATE own SET name = 'new ' || id, owner = id * 3 % 8, state = 7 - id, at = id WHERE id < 5",
    "UPDATE own SET name = 'new ' || id, owner = id * 3 % 8, at = 9 - id",
  ])
  func `rows that have the same ids and other values are the same`(_ sql: String) throws {
    try makeTwins()
    let ending = try migrate(sql)
    #expect(ending.status == 0, "\(ending.all)")
  }

  @Test(arguments: [
    "ALTER TABLE own ADD COLUMN more DEFAULT 7",
    "UPDATE own SET name = upper(name), owner = 1 - owner",
    "UPDATE own SET id = id + 100", "INSERT INTO own VALUES (50, 'p', 1, 1, 5)",
  ])
  func `a table with another name and other values is there`(_ sql: String) throws {
    try makeTwins()
    let ending = try migrate("\(sql); ALTER TABLE own RENAME TO ours")
    #expect(ending.status == 0, "\(ending.all)")
    let lost = try migrate("\(sql); ALTER TABLE own RENAME TO ours; UPDATE ours SET state = NULL")
    #expect(lost.status == 18, "\(lost.all)")
    #expect(lost.all.contains("column 'ours.state'"), "\(lost.all)")
  }

  @Test func `one row more in a log is no copy`() throws {
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(
      "CREATE TABLE log (m); INSERT INTO log VALUES ('start'), ('stop')")
    #expect(try migrate("INSERT INTO log VALUES ('start')").status == 0)
    #expect(try migrate("INSERT INTO log SELECT * FROM log").status == 18)
  }

  @Test func `a refusal says how a contract allows what is meant`() throws {
    let ending = try migrate("DELETE FROM t WHERE id = 1")
    #expect(ending.all.contains("rowCounts"), "\(ending.all)")
    let contract = bench["c.json"]
    _ = try bench.run("contract", "capture", file, "--output", contract)
    let text = String(decoding: try contract.contents(), as: UTF8.self)
    let next = text.replacing(#""userVersion" : 1"#, with: #""userVersion" : 2"#)
    #expect(next != text)
    try contract.replaceContents(with: Bytes(next.utf8))
    let bound = try bench.tryMigration(
      of: file, "DELETE FROM t WHERE id = 1", ["--contract", "\(contract)"])
    #expect(bound.all.contains("in the contract lets rows go"), "\(bound.all)")
  }
}
