// SPDX-License-Identifier: Apache-2.0
// What a guard says of changes without a contract: what no row tells, and values beside new ids.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct GuardedChangesTests {
  /// A change, and what is said of it.
  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let before: [String]
    let after: [String]
    let status: Int32
    /// Lines of the answer; none where nothing at all is to be said.
    let says: [String]

    init(
      _ name: String, _ before: [String], _ after: [String], status: Int32 = 0, says: [String] = []
    ) {
      (testDescription, self.before, self.after) = (name, before, after)
      (self.status, self.says) = (status, says)
    }
  }

  @Test(arguments: ids + contents + links + gone + alike + numbering + objects + columns)
  func `a change is refused or told`(_ change: Change) throws {
    let bench = try Workbench()
    let (file, new) = (bench["app.db"], bench["new.db"])
    let before = change.before.map { DatabaseBuilder.Step(stringLiteral: $0) }
    try DatabaseBuilder(before).build(at: file)
    try DatabaseBuilder(before + change.after.map { DatabaseBuilder.Step(stringLiteral: $0) })
      .build(at: new)
    let ending = try bench.run("guard", file, "--on-failure", "restore", "--", "/bin/cp", new, file)
    #expect(ending.status == change.status, "\(ending.all)")
    for words in change.says { #expect(ending.all.contains(words), "\(words)\n\(ending.all)") }
    if change.says.isEmpty { #expect(!ending.all.contains("unless it was meant"), "\(ending.all)") }
  }

  // MARK: Rows with other ids

  private static let rows = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, k, v)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
      + "INSERT INTO t SELECT i, 'k' || i, 'v' || i FROM c",
  ]
  private static let regions = [
    "CREATE VIRTUAL TABLE r USING rtree (id, x0, x1, +au)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) "
      + "INSERT INTO r SELECT i, i, i + 1, 'a' || i FROM c",
  ]
  private static let texts = [
    "CREATE VIRTUAL TABLE f USING fts5 (a, b UNINDEXED)",
    "INSERT INTO f VALUES ('one', 'u1'), ('two', 'u2'), ('three', 'u3')",
  ]

  /// The rows of a table put in again with other ids.
  private static func again(_ table: String, _ id: String, _ columns: String) -> [String] {
    [
      "CREATE TABLE z AS SELECT \(id) AS i, * FROM \(table)", "DELETE FROM \(table)",
      "INSERT INTO \(table) (\(id), \(columns.split(separator: "=")[0])) "
        + "SELECT i + 100, \(columns.split(separator: "=")[1]) FROM z",
      "DROP TABLE z",
    ]
  }

  static let ids: [Change] = [
    Change(
      "other ids alone", rows, ["UPDATE t SET id = id + 100"],
      says: ["20 rows of 't' have another id"]),
    Change(
      "other ids, and other values", rows, ["UPDATE t SET id = id + 100, v = 'junk' || id"],
      says: ["20 rows of 't' have another id", "column 't.v' has other values than before"]),
    Change(
      "other ids, and values in other rows", rows,
      ["UPDATE t SET id = id + 100, v = 'v' || (21 - id)"],
      says: ["20 rows of 't' have another id", "values of 't' are in other rows than before"]),
    Change(
      "other ids, other values and more rows", rows,
      ["UPDATE t SET id = id + 100, v = 'junk' || id", "INSERT INTO t (k, v) VALUES ('n', 'n')"],
      says: ["another id", "values of 't' are others than before, or in other rows"]),
    Change(
      "another id, and another value", rows, ["UPDATE t SET id = 99, v = 'junk' WHERE id = 1"],
      says: ["1 row of 't' has another id", "column 't.v' has other values than before"]),
    Change(
      "an R-tree's other column", regions, again("r", "id", "x0, x1, au=x0, x1, 'junk' || i"),
      says: ["20 rows of 'r' have another id", "column 'r.au' has other values than before"]),
    Change(
      "an R-tree's other column in other rows", regions,
      again("r", "id", "x0, x1, au=x0, x1, 'a' || (21 - i)"),
      says: ["20 rows of 'r' have another id", "values of 'r' are in other rows than before"]),
    Change(
      "a full-text table's other column", texts, again("f", "rowid", "a, b=a, 'junk' || i"),
      says: ["3 rows of 'f' have another id", "column 'f.b' has other values than before"]),
  ]

  @Test(arguments: ["rowid", "without rowid"])
  func `another encoding changes no value`(_ kind: String) throws {
    let bench = try Workbench()
    let (file, new) = (bench["app.db"], bench["new.db"])
    let steps = ["UTF-8", "UTF-16"].map { encoding -> [DatabaseBuilder.Step] in
      [
        .init(stringLiteral: "PRAGMA encoding = '\(encoding)'"),
        .init(
          stringLiteral: "CREATE TABLE e (k TEXT PRIMARY KEY, v TEXT DEFAULT 'ä')"
            + (kind == "rowid" ? "" : " WITHOUT ROWID")),
        "INSERT INTO e VALUES ('one', 'größer'), ('two', '日本'), ('three', '')",
        "ALTER TABLE e ADD COLUMN w TEXT DEFAULT 'später'",
      ]
    }
    try DatabaseBuilder(steps[0]).build(at: file)
    try DatabaseBuilder(steps[1]).build(at: new)
    let ending = try bench.run("guard", file, "--on-failure", "restore", "--", "/bin/cp", new, file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(!ending.all.contains("unless it was meant"), "\(ending.all)")
  }

  private static let textsTwice = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
    "INSERT INTO t (a) VALUES ('one'), ('two'), ('three')",
    "CREATE VIRTUAL TABLE f USING fts5 (a)", "INSERT INTO f (rowid, a) SELECT id, a FROM t",
  ]

  static let contents: [Change] = [
    Change(
      "a full-text table that leaves its texts to a table that has them", textsTwice,
      [
        "DROP TABLE f", "CREATE VIRTUAL TABLE f USING fts5 (a, content = t, content_rowid = id)",
        "INSERT INTO f (f) VALUES ('rebuild')",
      ], says: ["verified"])
  ]

  // MARK: Rows that refer to rows with other ids

  private static let linked = [
    "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)",
    "CREATE TABLE e (id INTEGER PRIMARY KEY, a REFERENCES a (id), amount INT)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30) "
      + "INSERT INTO a SELECT i, 'name ' || i FROM c", "DELETE FROM a WHERE id = 2",
    "INSERT INTO e SELECT id + 7, id, id * 10 FROM a WHERE id < 30",
  ]
  private static let numberedAnew = [
    "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO n (name) SELECT name FROM a ORDER BY id",
  ]
  private static let inPlace = ["DROP TABLE a", "ALTER TABLE n RENAME TO a"]

  static let links: [Change] = [
    Change(
      "parents numbered anew, and what refers to them not", linked, numberedAnew + inPlace,
      status: 18, says: ["27 rows of 'e' refer to other rows of 'a' than before"]),
    Change(
      "parents numbered anew, and what refers to them", linked,
      numberedAnew + [
        "UPDATE e SET a = (SELECT n.id FROM n JOIN a USING (name) WHERE a.id = e.a)"
      ] + inPlace,
      says: ["28 rows of 'a' have another id", "column 'e.a' has other values than before"]),
    Change(
      "parents that have the ids of each other", linked,
      [
        "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT)",
        "INSERT INTO n SELECT CASE id WHEN 1 THEN 3 WHEN 3 THEN 1 ELSE id END, name FROM a",
      ] + inPlace,
      status: 18, says: ["2 rows of 'e' refer to other rows of 'a' than before"]),
    Change(
      "ids closed up, and what refers to them, which are other ids now",
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE e (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id), k TEXT)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30) "
          + "INSERT INTO a SELECT i * 3, 'name ' || i FROM c",
        "INSERT INTO e SELECT id / 3, id, 'k' || id FROM a",
      ], ["UPDATE e SET a = a / 3", "UPDATE a SET id = id / 3"],
      says: ["30 rows of 'a' have another id", "column 'e.a' has other values than before"]),
    Change(
      "texts for ids, and all of them the first one's", linked,
      [
        "CREATE TABLE n (id TEXT PRIMARY KEY NOT NULL, name TEXT)",
        "INSERT INTO n SELECT 'uuid-' || id, name FROM a", "UPDATE e SET a = 'uuid-1'",
      ] + inPlace, status: 18, says: ["27 rows of 'e' refer to other rows of 'a' than before"]),
    Change(
      "texts for ids, and each its own", linked,
      [
        "CREATE TABLE n (id TEXT PRIMARY KEY NOT NULL, name TEXT)",
        "INSERT INTO n SELECT 'uuid-' || id, name FROM a", "UPDATE e SET a = 'uuid-' || a",
      ] + inPlace, says: ["29 rows of 'a' have another id"]),
    Change(
      "parents in another order while one came, and what refers to them not", linked,
      inOrder + inPlace + ["INSERT INTO a (name) VALUES ('one that came')"], status: 18,
      says: ["27 rows of 'e' refer to other rows of 'a' than before"]),
    Change(
      "parents in another order while one came, and what refers to them", linked,
      inOrder + [
        "UPDATE e SET a = (SELECT n.id FROM n JOIN a USING (name) WHERE a.id = e.a)"
      ] + inPlace + ["INSERT INTO a (name) VALUES ('one that came')"], says: ["verified"]),
    Change(
      "parents in another order with a column converted, and what refers to them not",
      linked + ["ALTER TABLE a ADD COLUMN mail TEXT", "UPDATE a SET mail = 'M' || id || '@x.y'"],
      [
        "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT, mail TEXT)",
        "INSERT INTO n (name, mail) SELECT name, lower(mail) FROM a ORDER BY name",
      ] + inPlace, status: 18, says: ["27 rows of 'e' refer to other rows of 'a' than before"]),
    Change(
      "parents without a name of their own in another order, while one came", orders,
      [
        "CREATE TABLE n (id INTEGER PRIMARY KEY, who INT, total REAL, state TEXT)",
        "INSERT INTO n (who, total, state) SELECT who, total, state FROM a ORDER BY who, total",
        "INSERT INTO n (who, total, state) VALUES (1, 0.5, 'new')",
      ] + inPlace, status: 18, says: ["of 'e' refer to other rows of 'a' than before"]),
    Change(
      "an order among parents that is another one",
      orders + ["ALTER TABLE a ADD COLUMN place INT", "UPDATE a SET place = id"],
      ["UPDATE a SET place = 31 - id"], says: ["verified"]),
    Change(
      "rows in another order that refer to each other",
      [
        "CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT, above REFERENCES a (id))",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30) "
          + "INSERT INTO a SELECT i, 'name ' || i, nullif(i / 2, 0) FROM c",
      ],
      [
        "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT, above REFERENCES a (id))",
        "INSERT INTO n (name, above) SELECT name, above FROM a ORDER BY name",
      ] + inPlace, status: 18, says: ["of 'a' refer to other rows of 'a' than before"]),
    Change(
      "one gets another name, and a row that came the one that it had", linked,
      ["UPDATE a SET name = 'else' WHERE id = 5", "INSERT INTO a (name) VALUES ('name 5')"],
      says: ["verified"]),
  ]

  private static let orders = [
    "CREATE TABLE a (id INTEGER PRIMARY KEY, who INT, total REAL, state TEXT)",
    "CREATE TABLE e (id INTEGER PRIMARY KEY, a REFERENCES a (id), amount INT)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 30) "
      + "INSERT INTO a SELECT i, i * 7 % 11, i * 13 % 29 / 4.0, iif(i % 3, 'new', 'old') FROM c",
    "INSERT INTO e SELECT id + 7, id, id * 10 FROM a",
  ]

  private static let inOrder = [
    "CREATE TABLE n (id INTEGER PRIMARY KEY, name TEXT)",
    "INSERT INTO n (name) SELECT name FROM a ORDER BY name",
  ]

  // MARK: Rows that are gone while others came and all of them were converted

  private static func texts(_ key: String) -> [String] {
    [
      "CREATE TABLE t (\(key), a TEXT, b TEXT)",
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 12) "
        + "INSERT INTO t SELECT i, 'a' || i, 'b' || i FROM c",
    ]
  }

  static let gone: [Change] = [
    Change(
      "a column is converted, two rows go and three come", texts("id INTEGER PRIMARY KEY"),
      [
        "UPDATE t SET a = upper(a)", "DELETE FROM t WHERE id IN (3, 7)",
        "INSERT INTO t (a, b) VALUES ('X', 'x'), ('Y', 'y'), ('Z', 'z')",
      ], status: 18, says: ["2 rows of 't' are gone, and others are in their place"]),
    Change(
      "every column is converted, two rows go and three come", texts("id INTEGER PRIMARY KEY"),
      [
        "UPDATE t SET a = upper(a), b = upper(b)", "DELETE FROM t WHERE id IN (3, 7)",
        "INSERT INTO t (a, b) VALUES ('X', 'x'), ('Y', 'y'), ('Z', 'z')",
      ], status: 18, says: ["2 rows of 't' are gone, and others are in their place"]),
    Change(
      "a column is converted, two keys that are words go and three come",
      texts("k TEXT PRIMARY KEY NOT NULL"),
      [
        "UPDATE t SET a = upper(a)", "DELETE FROM t WHERE k IN ('3', '7')",
        "INSERT INTO t VALUES ('x', 'X', 'x'), ('y', 'Y', 'y'), ('z', 'Z', 'z')",
      ], status: 18, says: ["2 rows of 't' are gone, and others are in their place"]),
    Change(
      "two keys that are words become others while a column is converted and one row comes",
      texts("k TEXT PRIMARY KEY NOT NULL"),
      [
        "UPDATE t SET a = upper(a)", "UPDATE t SET k = 'number ' || k WHERE k IN ('3', '7')",
        "INSERT INTO t VALUES ('x', 'X', 'x')",
      ], says: ["2 keys of 't' are not there any more"]),
    Change(
      "each number goes on to the one of the next row",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, low INT, high INT)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 12) "
          + "INSERT INTO t SELECT i, i * 10, i * 10 + 10 FROM c",
      ], ["UPDATE t SET low = low + 10, high = high + 10"],
      says: ["column 't.low' has other values than before"]),
    Change(
      "two columns have each other's values",
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, low INT, high INT)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 12) "
          + "INSERT INTO t SELECT i, i * 10, i * 10 + 10 FROM c",
      ], ["UPDATE t SET low = high, high = low"], status: 18,
      says: ["column 't.low' has the values that were in 'high'"]),
  ]

  // MARK: Rows that become like others

  private static let messages = [
    "CREATE TABLE m (id INTEGER PRIMARY KEY, body TEXT, read INT)",
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 40) "
      + "INSERT INTO m SELECT i, 'b' || (i / 2), i % 2 FROM c",
  ]
  private static let words = [
    "CREATE TABLE w (id INTEGER PRIMARY KEY, n TEXT)",
    "INSERT INTO w (n) VALUES ('Ab'), ('ab'), ('cd'), ('CD'), ('e'), (NULL), ('')",
  ]

  static let alike: [Change] = [
    Change(
      "a mark on every row", messages, ["UPDATE m SET read = 1"],
      says: ["column 'm.read' has other values than before"]),
    Change(
      "a mark on every row without ids",
      messages.map { $0.replacing("id INTEGER PRIMARY KEY", with: "at INT") },
      ["UPDATE m SET at = 1, read = 1 WHERE at > 0", "UPDATE m SET at = 2 WHERE body < 'b15'"],
      says: ["column 'm.read' has other values than before"]),
    Change(
      "texts in small letters", words, ["UPDATE w SET n = lower(n)"],
      says: ["column 'w.n' has other values than before"]),
    Change(
      "an empty text for NULL in a rebuild", words,
      [
        "CREATE TABLE x (id INTEGER PRIMARY KEY, n TEXT NOT NULL)",
        "INSERT INTO x SELECT id, coalesce(n, '') FROM w", "DROP TABLE w",
        "ALTER TABLE x RENAME TO w",
      ], says: ["column 'w.n' has other values than before"]),
    Change(
      "one half is gone, and the other is there twice by the same ids",
      [
        "CREATE TABLE m (id INTEGER PRIMARY KEY, body TEXT)",
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 40) "
          + "INSERT INTO m SELECT i, 'b' || i FROM c",
      ], ["DELETE FROM m WHERE id > 20", "INSERT INTO m (body) SELECT body FROM m"], status: 18,
      says: ["'m' has 20 rows more than before that are copies of others"]),
    Change(
      "few values are left of many", rows, ["UPDATE t SET v = 'junk' WHERE id > 1"],
      says: ["column 't.v' has other values than before: about 20 different ones have become 2"]),
  ]

  // MARK: The numbers of rows

  private static func rebuilt(_ key: String) -> [String] {
    [
      "CREATE TABLE n (id \(key), k, v)", "INSERT INTO n SELECT * FROM t", "DROP TABLE t",
      "ALTER TABLE n RENAME TO t",
    ]
  }

  static let numbering: [Change] =
    ["INT PRIMARY KEY", "BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY DESC"]
    .map { key in
      Change(
        "rows get no number by \(key)", rows, rebuilt(key), status: 18,
        says: ["column 't.id' takes NULL now; a row without a value there got a number"])
    } + [
      Change(
        "rows that need a number of their own", rows, rebuilt("INT NOT NULL PRIMARY KEY"),
        says: ["rows get no number in column 't.id' any more"]),
      Change(
        "AUTOINCREMENT", rows, rebuilt("INTEGER PRIMARY KEY AUTOINCREMENT"),
        says: ["'t' has AUTOINCREMENT now"]),
      Change(
        "AUTOINCREMENT of an empty table is lost",
        ["CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, k, v)"],
        rebuilt("INTEGER PRIMARY KEY"), status: 18,
        says: ["the primary key of 't' is another one than before"]),
      Change("rows that get a number now", rebuiltByHand, rebuilt("INTEGER PRIMARY KEY")),
    ]

  private static let rebuiltByHand = [
    "CREATE TABLE t (id INT PRIMARY KEY, k, v)",
    "INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', 'd')",
  ]

  // MARK: Objects

  private static let audited = [
    "CREATE TABLE p (id INTEGER PRIMARY KEY, n)", "INSERT INTO p VALUES (1, 'one')",
    "CREATE TABLE audit (v)",
    "CREATE TRIGGER tr AFTER UPDATE ON p BEGIN INSERT INTO audit VALUES (new.n); END",
    "CREATE VIEW w AS SELECT p.n, audit.v FROM p, audit",
  ]
  private static let indexed = [
    "CREATE TABLE p (id INTEGER PRIMARY KEY, n)", "INSERT INTO p VALUES (1, 'one')",
    "CREATE VIRTUAL TABLE f USING fts5 (n, content='p', content_rowid='id')",
    "INSERT INTO f (f) VALUES ('rebuild')",
    "CREATE TRIGGER ai AFTER INSERT ON p BEGIN INSERT INTO f (rowid, n) VALUES (new.id, new.n); END",
  ]

  static let objects: [Change] = [
    Change(
      "an empty table with what names it", audited,
      ["DROP TRIGGER tr", "DROP VIEW w", "DROP TABLE audit"],
      says: [
        "table 'audit' is gone; it had no rows",
        "trigger 'tr' of 'p' is gone, with a table that it names",
        "view 'w' is gone, with a table that it names",
      ]),
    Change(
      "an empty table with another name", ["CREATE TABLE p (a)", "CREATE TABLE audit (v)"],
      ["ALTER TABLE audit RENAME TO trail"]),
    Change(
      "a full-text index with its trigger", indexed, ["DROP TRIGGER ai", "DROP TABLE f"],
      says: [
        "full-text table 'f' is gone", "trigger 'ai' of 'p' is gone, with a table that it names",
      ]),
    Change(
      "a full-text table that is none any more",
      ["CREATE VIRTUAL TABLE f USING fts5 (n)", "INSERT INTO f VALUES ('one')"],
      [
        "CREATE TABLE z (n)", "INSERT INTO z (rowid, n) SELECT rowid, n FROM f", "DROP TABLE f",
        "ALTER TABLE z RENAME TO f",
      ], says: ["'f' is no virtual table of fts5 any more"]),
    Change(
      "another tokenizer",
      ["CREATE VIRTUAL TABLE f USING fts5 (n)", "INSERT INTO f VALUES ('one')"],
      [
        "CREATE TABLE z AS SELECT * FROM f", "DROP TABLE f",
        "CREATE VIRTUAL TABLE f USING fts5 (n, tokenize=porter)", "INSERT INTO f SELECT n FROM z",
        "DROP TABLE z",
      ], says: ["the virtual table 'f' is another one than before"]),
    Change(
      "the texts of a full-text index have another name", indexed,
      ["DROP TRIGGER ai", "ALTER TABLE p RENAME COLUMN n TO title"], status: 18,
      says: ["full-text table 'f' cannot be read: the texts that it finds words in are not there"]),
    Change(
      "words that are kept nowhere else",
      [
        "CREATE VIRTUAL TABLE f USING fts5 (n, content='')",
        "INSERT INTO f (rowid, n) VALUES (1, 'one and two'), (2, 'three')",
      ],
      [
        "INSERT INTO f (f) VALUES ('delete-all')",
        "INSERT INTO f (rowid, n) VALUES (1, 'one'), (2, 'three')",
      ], says: ["texts of 'f' have more or fewer words than before"]),
    Change(
      "texts with the ids of each other",
      [
        "CREATE VIRTUAL TABLE f USING fts5 (n)",
        "INSERT INTO f (rowid, n) VALUES (1, 'one'), (2, 'two'), (3, 'three')",
      ],
      [
        "DELETE FROM f", "INSERT INTO f (rowid, n) VALUES (1, 'two'), (2, 'one'), (3, 'three')",
      ], says: ["2 rows of 'f' have another id"]),
    Change(
      "a key that told less apart",
      ["CREATE TABLE p (n COLLATE NOCASE, PRIMARY KEY (n COLLATE NOCASE)) WITHOUT ROWID"],
      [
        "CREATE TABLE z (n COLLATE NOCASE, PRIMARY KEY (n COLLATE BINARY)) WITHOUT ROWID",
        "DROP TABLE p", "ALTER TABLE z RENAME TO p",
      ], status: 18, says: ["the primary key of 'p' is another one than before"]),
  ]

  // MARK: Columns

  private static let computed = [
    "CREATE TABLE g (id INTEGER PRIMARY KEY, a, e, b AS (a + 1))",
    "INSERT INTO g (a) VALUES (1), (2)",
  ]

  static let columns: [Change] = [
    Change(
      "an empty column that is filled from another one",
      rows + ["ALTER TABLE t ADD COLUMN w", "ALTER TABLE t ADD COLUMN n NOT NULL DEFAULT 0"],
      ["UPDATE t SET w = v, n = id"],
      says: [
        "column 't.w' has other values than before", "column 't.n' has other values than before",
      ]),
    Change(
      "a computed column", computed, ["ALTER TABLE g DROP COLUMN b"], status: 18,
      says: ["column 'g.b', which was computed, is gone"]),
    Change("a computed column with another name", computed, ["ALTER TABLE g RENAME b TO c"]),
    Change(
      "a column without values", computed, ["ALTER TABLE g DROP COLUMN e"],
      says: ["column 'g.e' is gone; it had no values"]),
    Change(
      "another computation", computed,
      [
        "CREATE TABLE z (id INTEGER PRIMARY KEY, a, e, b AS (a * 100))",
        "INSERT INTO z SELECT id, a, e FROM g", "DROP TABLE g", "ALTER TABLE z RENAME TO g",
      ], says: ["column 'g.b' is computed in another way"]),
  ]
}
