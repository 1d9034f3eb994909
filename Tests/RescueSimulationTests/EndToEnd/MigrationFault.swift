// SPDX-License-Identifier: Apache-2.0
// Every way in which a migration goes wrong, as rows of a table: longer than other files.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

/// One way in which a migration goes wrong, or right, and what a guard must make of it.
struct MigrationFault: Sendable, CustomTestStringConvertible {
  /// What the command leaves, apart from what its script does.
  enum Result: Sendable {
    /// Nothing.
    case none
    /// The database with these changes committed.
    case changed(String)
    /// The same with the changes in a log, or in a transaction that was cut off.
    case leftover(Leftover)
    /// What is left of another database, of which `beside` puts only that in place.
    case leftoverOfOther(Leftover)
  }

  /// What becomes of the database.
  enum End: Sendable {
    /// Every byte is as it was.
    case untouched
    /// It holds what it held.
    case unchanged
    /// The backup is put back, where the policy says so.
    case restored
    /// The result is kept.
    case kept
  }

  /// What goes wrong.
  let testDescription: String
  /// What lies ready; the script puts it in place with `put`.
  var result = Result.none
  /// The command, for the shell.
  var script = "put"
  /// What the guard is told beside it.
  var flags: [String] = []
  /// What the contract says, where there is one, beside the schema of version 4.
  var contract: String?
  /// The journal modes in which that can be.
  var journals: Set<DatabaseBuilder.JournalMode> = [.delete, .wal]
  /// The exit status, when the backup is to be put back.
  let status: Int32
  /// What becomes of the database.
  let end: End
  /// What is said of it.
  var says: [String] = []
  /// What users are told of it where it is left as it is.
  var tellsUsers: String?

  /// How the database comes to be.
  static let steps: [DatabaseBuilder.Step] = [
    """
    CREATE TABLE item (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, price REAL CHECK (price > 0),
      note TEXT)
    """,
    "CREATE INDEX item_name ON item (name)",
    "CREATE TABLE tag (item INTEGER REFERENCES item (id), tag TEXT, PRIMARY KEY (item, tag))",
    "CREATE TABLE log (msg TEXT, at INTEGER)",
    "CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE member (item INTEGER, team INTEGER, PRIMARY KEY (item, team)) WITHOUT ROWID",
    """
    CREATE TABLE part (
      of INTEGER REFERENCES item ON DELETE CASCADE, at INT DEFAULT 7, word TEXT COLLATE NOCASE)
    """,
    "PRAGMA user_version = 3",
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO item (name, price, note) SELECT 'n' || i, i * 1.5, 'note ' || i FROM n
    """,
    "INSERT INTO log SELECT 'm' || id, id FROM item",
    "DELETE FROM item WHERE id > 190",
    "INSERT INTO tag SELECT id, 't' || (id % 7) FROM item",
    "INSERT INTO setting SELECT 'key ' || id, 'value ' || (id % 20) FROM item WHERE id <= 30",
    "INSERT INTO member SELECT id, id % 7 FROM item",
    "INSERT INTO part SELECT NULL, id % 9, 'word ' || id FROM item",
    "CREATE VIEW latest AS SELECT at FROM log",
    "CREATE TRIGGER tag_gone AFTER DELETE ON tag BEGIN SELECT 1; END",
  ]

  /// How another database comes to be.
  static let stepsOfOther: [DatabaseBuilder.Step] = [
    "CREATE TABLE other (x TEXT)",
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO other SELECT 'other ' || i FROM n
    """,
  ]

  /// All that belongs to version 4.
  private static let upgrade = "ALTER TABLE item ADD COLUMN unit TEXT; PRAGMA user_version = 4"

  /// A table made anew with what is said, and its rows.
  private static func rebuilt(_ table: String, _ definition: String, _ rows: String = "*") -> String
  {
    """
    CREATE TABLE new_\(table) \(definition);
    INSERT INTO new_\(table) SELECT \(rows) FROM \(table);
    DROP TABLE \(table);
    ALTER TABLE new_\(table) RENAME TO \(table)
    """
  }

  // MARK: The table

  static let all = commands + losses + schemas + versions + journals

  /// Commands that fail, or do not end.
  private static let commands: [MigrationFault] = [
    MigrationFault(
      testDescription: "exit 1 untouched", script: "exit 1", status: 16, end: .untouched,
      says: ["the command ended with status 1", "page for page what it was"]),
    MigrationFault(
      testDescription: "exit 1 half done", result: .changed("DELETE FROM log WHERE at > 50"),
      script: "put; exit 1", status: 16, end: .restored,
      says: ["the command ended with status 1", "'log' had 200 rows and has 50"]),
    MigrationFault(
      testDescription: "killed", result: .changed("DELETE FROM log WHERE at > 50"),
      script: "put; kill -9 $$", status: 16, end: .restored,
      says: ["the command was killed by signal 9"]),
    MigrationFault(
      testDescription: "hangs past the timeout", result: .changed("DELETE FROM log WHERE at > 50"),
      script: "put; sleep 60", flags: ["--timeout", "1"], status: 16, end: .restored,
      says: ["the command did not end in time and was stopped"]),
    MigrationFault(
      testDescription: "hangs and does not heed", result: .changed("DELETE FROM log"),
      script: "trap '' TERM; put; sleep 60", flags: ["--timeout", "1"], status: 16,
      end: .restored, says: ["the command did not end in time and was stopped"]),
    MigrationFault(
      testDescription: "a grandchild outlives it",
      script: "(sleep 2; rm -f \"$DBRESCUE_DATABASE\") & exit 0", status: 16, end: .untouched,
      says: ["what it had started went on until it was stopped"]),
    MigrationFault(
      testDescription: "a grandchild of another session outlives it",
      script: "setsid sh -c 'sleep 30; rm -f \"$DBRESCUE_DATABASE\"' & sleep 0.2; exit 0",
      status: 16, end: .untouched, says: ["what it had started went on until it was stopped"]),
    MigrationFault(
      testDescription: "an orphan of another session without its environment outlives it",
      script: "(setsid env -i F=\"$DBRESCUE_DATABASE\" /bin/sh -c 'sleep 30; rm -f \"$F\"' "
        + ">/dev/null 2>&1 &); sleep 0.2; exit 0",
      status: 16, end: .untouched, says: ["what it had started went on until it was stopped"]),
    MigrationFault(
      testDescription: "a pipe runs dry after it", result: .changed(upgrade),
      script: "put; (sleep 0.1) & exit 0", status: 0, end: .kept),
    MigrationFault(
      testDescription: "the disk is full",
      result: .changed("INSERT INTO log SELECT msg, at + 1 FROM log"),
      script: "ulimit -f 4; trap '' XFSZ; put", status: 16, end: .restored,
      says: ["the command ended with status 1"]),
    MigrationFault(
      testDescription: "removes the database", script: "rm \"$DBRESCUE_DATABASE\"", status: 18,
      end: .restored, says: ["table 'log' with 200 rows is gone"]),
    MigrationFault(
      testDescription: "chatters", script: "echo '{'; echo chatter >&2; exit 1", status: 16,
      end: .untouched),
  ]

  /// Rows and values that are gone, or are there too often.
  private static let losses: [MigrationFault] = [
    MigrationFault(
      testDescription: "drops a table", result: .changed("DROP TABLE log"), status: 18,
      end: .restored, says: ["table 'log' with 200 rows is gone"]),
    MigrationFault(
      testDescription: "drops a table that the contract does not know",
      result: .changed(upgrade + "; DROP TABLE log"), contract: "", status: 18, end: .restored,
      says: ["table 'log' with 200 rows is gone"]),
    MigrationFault(
      testDescription: "drops a table of which the contract says that its rows may go",
      result: .changed(upgrade + "; DROP TABLE log"), contract: "rowCounts: {log: 'any'},",
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "renames a table", result: .changed("ALTER TABLE log RENAME TO journal"),
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "renames a table and loses rows",
      result: .changed("DELETE FROM log WHERE at > 50; ALTER TABLE log RENAME TO journal"),
      status: 18, end: .restored, says: ["table 'log' with 200 rows is gone"]),
    MigrationFault(
      testDescription: "renames as the contract says and loses rows",
      result: .changed(
        upgrade + "; DELETE FROM log WHERE at > 50; ALTER TABLE log RENAME TO journal"),
      contract: "renamedTables: {log: 'journal'},", status: 18,
      end: .restored, says: ["'log' had 200 rows and has, as 'journal', 50"]),
    MigrationFault(
      testDescription: "duplicates", result: .changed("INSERT INTO log SELECT * FROM log"),
      status: 18, end: .restored,
      says: ["'log' has 200 rows more than before that are copies of others"],
      tellsUsers: "no entry is missing"),
    MigrationFault(
      testDescription: "deletes a half and doubles the rest",
      result: .changed("DELETE FROM log WHERE at <= 100; INSERT INTO log SELECT * FROM log"),
      status: 18, end: .restored,
      says: ["'log' has 100 rows more than before that are copies of others"],
      tellsUsers: "The update has removed some of your data."),
    MigrationFault(
      testDescription: "duplicates with new ids",
      result: .changed(
        "INSERT INTO item (name, price, note) SELECT name, price, note FROM item"),
      status: 18, end: .restored,
      says: ["'item' has 190 rows more than before that are copies of others"]),
    MigrationFault(
      testDescription: "duplicates on the way to a new column",
      result: .changed(
        upgrade + "; INSERT INTO item (name, price, note) SELECT name, price, note FROM item; "
          + "ALTER TABLE item ADD COLUMN more DEFAULT 'none'"),
      status: 18, end: .restored,
      says: ["'item' has 190 rows more than before that are copies of others"]),
    MigrationFault(
      testDescription: "beside an app that adds rows that are alike",
      result: .changed(
        upgrade + "; INSERT INTO log SELECT 'opened', NULL FROM log LIMIT 90; "
          + "UPDATE log SET msg = 'opened' WHERE at % 40 = 1"),
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "makes one row like another",
      result: .changed(
        upgrade + "; UPDATE log SET (at, msg) = (SELECT at, msg FROM log) WHERE at = 7"),
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "drops the column that told rows apart",
      result: .changed(
        upgrade + "; ALTER TABLE log DROP COLUMN msg; UPDATE log SET at = at % 3"),
      contract: "", status: 0, end: .kept),
    MigrationFault(
      testDescription: "nulls a column", result: .changed("UPDATE item SET note = NULL"),
      status: 18, end: .restored, says: ["column 'item.note' had 190 values and has 0"]),
    MigrationFault(
      testDescription: "empties a column", result: .changed("UPDATE item SET note = ''"),
      status: 18, end: .restored,
      says: ["column 'item.note' had different values and has one and the same"]),
    MigrationFault(
      testDescription: "swaps columns in a rebuild",
      result: .changed(
        rebuilt("tag", "(item, tag, PRIMARY KEY (item, tag))", "tag, item")),
      status: 18, end: .restored,
      says: ["column 'tag.item' has the values that were in 'tag'"]),
    MigrationFault(
      testDescription: "drops a column", result: .changed("ALTER TABLE item DROP COLUMN note"),
      status: 18, end: .restored, says: ["column 'item.note' with 190 values is gone"]),
    MigrationFault(
      testDescription: "changes every value",
      result: .changed("UPDATE item SET note = note || '.'"),
      status: 0, end: .kept,
      says: ["unless it was meant: column 'item.note' has other values than before"]),
    MigrationFault(
      testDescription: "exchanges values between rows",
      result: .changed("UPDATE item SET note = 'note ' || (191 - id)"), status: 0, end: .kept,
      says: ["unless it was meant: values of 'item' are in other rows than before"]),
    MigrationFault(
      testDescription: "deletes rows and adds as many",
      result: .changed("DELETE FROM item WHERE id BETWEEN 21 AND 70; \(others(50))"),
      status: 18, end: .restored,
      says: ["50 rows of 'item' are gone, and others are in their place"],
      tellsUsers: "The update has removed some of your data."),
    MigrationFault(
      testDescription: "deletes a row and adds more",
      result: .changed("DELETE FROM item WHERE id = 21; \(others(60))"),
      status: 18, end: .restored,
      says: ["1 row of 'item' is gone, and another one is in its place"]),
    MigrationFault(
      testDescription: "deletes all rows of a table without rowids and adds as many",
      result: .changed(
        """
        DELETE FROM setting;
        INSERT INTO setting SELECT 'other ' || id, 'text ' || id FROM item WHERE id <= 30
        """),
      status: 18, end: .restored,
      says: ["30 rows of 'setting' are gone, and others are in their place"]),
    MigrationFault(
      testDescription: "deletes a row of a table without rowids and adds more",
      result: .changed(
        "DELETE FROM setting WHERE name = 'key 30'; DELETE FROM setting WHERE name = 'key 10'; "
          + "INSERT INTO setting VALUES ('a', 'b'), ('c', 'd'), ('e', 'f')"),
      status: 18, end: .restored,
      says: ["2 rows of 'setting' are gone, and others are in their place"]),
    MigrationFault(
      testDescription: "deletes rows that are nothing but a key and adds as many",
      result: .changed(
        "DELETE FROM member; INSERT INTO member SELECT id + 1000, id % 5 + 50 FROM item"),
      status: 18, end: .restored,
      says: ["190 rows of 'member' are gone, and others are in their place"]),
    MigrationFault(
      testDescription: "gives rows of tables without rowids other keys",
      result: .changed(
        "UPDATE setting SET name = upper(name); UPDATE member SET team = team + 100"),
      status: 0, end: .kept,
      says: [
        "column 'setting.name' has other values than before",
        "column 'member.team' has other values than before",
      ]),
    MigrationFault(
      testDescription: "deletes rows and adds as many where the contract says that rows may go",
      result: .changed(
        "\(upgrade); DELETE FROM item WHERE id > 140; DELETE FROM tag WHERE item > 140; "
          + others(50)),
      contract: "rowCounts: {item: 'any', tag: 'any'},", status: 0, end: .kept),
    MigrationFault(
      testDescription: "gives rows other ids",
      result: .changed(
        "UPDATE item SET id = id + 1000, price = price * 2; UPDATE tag SET item = item + 1000"),
      status: 0, end: .kept,
      says: ["unless it was meant: 190 rows of 'item' have another id"]),
    MigrationFault(
      testDescription: "leaves references to nothing",
      result: .changed("UPDATE tag SET item = 9999 WHERE item = 7"), status: 18, end: .restored,
      says: ["1 row of 'tag' refers to rows that are not there, and did not before"]),
    MigrationFault(
      testDescription: "renames columns",
      result: .changed(
        "ALTER TABLE item RENAME COLUMN note TO remark; "
          + "ALTER TABLE item RENAME COLUMN name TO title"),
      status: 0, end: .kept),
  ]

  /// Rows of `item` that were not there.
  private static func others(_ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO item (name, price, note) SELECT 'm' || i, i + 0.25, 'other ' || i FROM n
    """
  }

  /// What the schema demanded and does not any more.
  private static let schemas: [MigrationFault] = [
    MigrationFault(
      testDescription: "forgets an index", result: .changed("DROP INDEX item_name"), status: 18,
      end: .restored, says: ["index 'item_name' is gone"]),
    MigrationFault(
      testDescription: "gives an index another name",
      result: .changed("DROP INDEX item_name; CREATE INDEX by_name ON item (name)"), status: 0,
      end: .kept),
    MigrationFault(
      testDescription: "forgets a view", result: .changed("DROP VIEW latest"), status: 18,
      end: .restored, says: ["view 'latest' is gone"]),
    MigrationFault(
      testDescription: "forgets a trigger in a rebuild",
      result: .changed(
        rebuilt("tag", "(item INTEGER REFERENCES item (id), tag TEXT, PRIMARY KEY (item, tag))")),
      status: 18, end: .restored, says: ["trigger 'tag_gone' of 'tag' is gone"]),
    MigrationFault(
      testDescription: "puts others in the place of a view and a trigger",
      result: .changed(
        "DROP VIEW latest; CREATE VIEW newest AS SELECT at FROM log; DROP TRIGGER tag_gone; "
          + "CREATE TRIGGER tag_made AFTER INSERT ON tag BEGIN SELECT 1; END"),
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "ends half done by the book of a framework",
      result: .changed(
        "CREATE TABLE schema_migrations (version uint64, dirty bool); "
          + "INSERT INTO schema_migrations VALUES (4, 1)"),
      status: 18, end: .restored, says: ["has failed in the middle"]),
    MigrationFault(
      testDescription: "loses a primary key",
      result: .changed(rebuilt("tag", "(item INTEGER REFERENCES item (id), tag TEXT)")),
      status: 18, end: .restored, says: ["'tag' has lost a primary key"]),
    MigrationFault(
      testDescription: "loses a foreign key",
      result: .changed(rebuilt("tag", "(item INTEGER, tag TEXT, PRIMARY KEY (item, tag))")),
      status: 18, end: .restored, says: ["'tag' has lost a foreign key"]),
    MigrationFault(
      testDescription: "loses what a foreign key does, and a collation",
      result: .changed(rebuilt("part", "(of INTEGER REFERENCES item, at INT, word TEXT)")),
      status: 18, end: .restored,
      says: [
        "foreign key (of) of 'part' has lost ON DELETE CASCADE",
        "column 'part.word' has lost COLLATE NOCASE",
      ]),
    MigrationFault(
      testDescription: "loses a default",
      result: .changed(
        rebuilt(
          "part",
          "(of INTEGER REFERENCES item ON DELETE CASCADE, at INT, word TEXT COLLATE NOCASE)")),
      status: 0, end: .kept, says: ["column 'part.at' has lost its DEFAULT"]),
    MigrationFault(
      testDescription: "changes what a foreign key does, a default and a collation",
      result: .changed(
        rebuilt(
          "part",
          "(of INTEGER REFERENCES item ON DELETE SET NULL, at INT DEFAULT 8, "
            + "word TEXT COLLATE RTRIM)")),
      status: 0, end: .kept),
    MigrationFault(
      testDescription: "loses NOT NULL and a check",
      result: .changed(
        "PRAGMA foreign_keys = OFF;"
          + rebuilt(
            "item", "(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, price REAL, note TEXT)")
          + "; UPDATE sqlite_sequence SET seq = 200; CREATE INDEX item_name ON item (name)"),
      status: 18, end: .restored,
      says: ["'item' has lost a check", "column 'item.name' does not refuse NULL any more"]),
  ]

  /// Versions and counters.
  private static let versions: [MigrationFault] = [
    MigrationFault(
      testDescription: "does what it should", result: .changed(upgrade), contract: "", status: 0,
      end: .kept, says: ["the migration is kept"]),
    MigrationFault(
      testDescription: "leaves the version",
      result: .changed("ALTER TABLE item ADD COLUMN unit TEXT"),
      contract: "", status: 18, end: .restored, says: ["the version is 3, and 4 is expected"]),
    MigrationFault(
      testDescription: "goes too far", result: .changed(upgrade + "; PRAGMA user_version = 5"),
      contract: "", status: 18, end: .restored, says: ["the version is 5, and 4 is expected"]),
    MigrationFault(
      testDescription: "does nothing", script: "exit 0", contract: "", status: 18,
      end: .untouched, says: ["the version is 3, and 4 is expected"]),
    MigrationFault(
      testDescription: "sets the version back", result: .changed("PRAGMA user_version = 2"),
      status: 18, end: .restored, says: ["the version went back from 3 to 2"]),
    MigrationFault(
      testDescription: "sets a counter back",
      result: .changed("UPDATE sqlite_sequence SET seq = 190"), status: 18, end: .restored,
      says: ["ids of 'item' may be used again: its counter went back from 200 to 190"]),
    MigrationFault(
      testDescription: "forgets a counter in a rebuild",
      result: .changed(
        rebuilt(
          "item",
          "(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, "
            + "price REAL CHECK (price > 0), note TEXT)")
          + "; CREATE INDEX item_name ON item (name)"),
      status: 18, end: .restored,
      says: ["ids of 'item' may be used again: its counter went back from 200 to 190"]),
  ]

  /// What lies beside the database afterwards.
  private static let journals: [MigrationFault] = [
    MigrationFault(
      testDescription: "ends within a transaction",
      result: .leftover(.hotJournal(["UPDATE item SET note = note || 'x'"])),
      journals: [.delete], status: 18,
      end: .unchanged, says: ["the command ended within a transaction, which is undone"]),
    MigrationFault(
      testDescription: "fails and leaves a WAL",
      result: .leftover(.wal(["DELETE FROM log WHERE at > 50"])), script: "put; exit 1",
      status: 16, end: .restored, says: ["'log' had 200 rows and has 50"]),
    MigrationFault(
      testDescription: "succeeds and leaves a WAL",
      result: .leftover(.wal(["UPDATE item SET note = note || 'x'"])), status: 0, end: .kept),
    MigrationFault(
      testDescription: "leaves the log of another database",
      result: .leftoverOfOther(.wal(["UPDATE other SET x = 'x'"])), script: "beside",
      status: 18, end: .restored, says: ["the -wal"]),
    MigrationFault(
      testDescription: "fails and leaves the journal of another database",
      result: .leftoverOfOther(.hotJournal(["UPDATE other SET x = 'x'"])),
      script: "beside; exit 1", status: 16, end: .restored, says: ["the -journal"]),
    MigrationFault(
      testDescription: "fails and leaves a folder in the place of the log",
      script: "mkdir \"$DBRESCUE_DATABASE\"-wal; exit 1", status: 16, end: .restored,
      says: ["a folder lies where SQLite looks for the -wal"]),
    MigrationFault(
      testDescription: "fails with another page size",
      result: .changed("PRAGMA journal_mode = DELETE; PRAGMA page_size = 8192; VACUUM"),
      script: "put; exit 1", status: 16, end: .restored),
  ]
}
