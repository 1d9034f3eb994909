// SPDX-License-Identifier: Apache-2.0
// Migrations that came half-way, and those that came to a wrong end.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct MigrationCauseTests {
  private static let rows: DatabaseBuilder.Step =
    """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO orders SELECT i, 'number ' || i FROM n
    """

  private func causes(
    _ steps: [DatabaseBuilder.Step], before: Circumstances.Before? = nil
  ) throws -> CauseAnswer {
    var around = Circumstances()
    around.before = before
    return try checked(steps).amid(around).causes
  }

  private func checked(_ steps: [DatabaseBuilder.Step]) throws -> Examination {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(steps).build(at: path)
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value
  }

  /// Names of tables on the way to take the place of others, and whether nobody else has them.
  static let left: [(String, Bool)] = [
    ("ef_temp_orders", true), ("__new_orders", true), ("orders__tmp__", true),
    ("_alembic_tmp_orders", true), ("new_orders", false), ("orders_backup", false),
  ]

  @Test(arguments: left)
  func `what a framework leaves of a table is a rebuild that was cut off`(
    _ name: String, _ isTelling: Bool
  ) throws {
    let tables: [DatabaseBuilder.Step] = [
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)", Self.rows,
      "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, number TEXT)",
    ]
    #expect((try causes(tables).leading?.kind == .migrationCutOff) == isTelling)
    let gone = try causes(tables + ["DROP TABLE orders"])
    #expect((gone.leading?.kind == .migrationCutOff) == isTelling)
    // A check says it, too, and no more than that.
    let checked = try checked(tables)
    #expect(checked.findings.map(\.code) == (isTelling ? [.migrationUnfinished] : []))
    #expect(checked.verdict == .healthy)
  }

  private static let orders: [DatabaseBuilder.Step] = [
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)", rows,
  ]

  /// A rebuild by hand that stopped, and how sure it is.
  static let rebuilds: [(DatabaseBuilder.Step, Confidence?)] = [
    ("CREATE TABLE orders_old AS SELECT * FROM orders; DELETE FROM orders", .likely),
    ("CREATE TABLE _orders_old AS SELECT * FROM orders; DELETE FROM orders", .likely),
    ("CREATE TABLE tmp_orders AS SELECT * FROM orders; DELETE FROM orders", .likely),
    ("CREATE TABLE orders_backup AS SELECT * FROM orders; DELETE FROM orders", .possible),
    ("CREATE TABLE orders_old AS SELECT * FROM orders", nil),
    ("CREATE TABLE orders_old AS SELECT id, 1 AS a FROM orders; DELETE FROM orders", nil),
    ("CREATE TABLE new_orders AS SELECT * FROM orders; DROP TABLE orders", nil),
    (
      """
      CREATE VIEW late AS SELECT number FROM orders;
      CREATE TABLE new_orders AS SELECT * FROM orders; DROP TABLE orders
      """, .likely
    ),
    ("CREATE TABLE lines (o REFERENCES orders); ALTER TABLE orders RENAME TO orders_old", .likely),
    ("CREATE TABLE orders_new_0123456789ab AS SELECT * FROM orders", .likely),
    ("CREATE TABLE orders_new_version AS SELECT * FROM orders", nil),
  ]

  /// How sure it is, after a step, that a migration was cut off.
  private func expectCutOff(_ made: (step: DatabaseBuilder.Step, confidence: Confidence?)) throws {
    let found = try causes(Self.orders + [made.step]).causes.first { $0.kind == .migrationCutOff }
    #expect(found?.confidence == made.confidence, "\(made.step)")
  }

  @Test(arguments: rebuilds.indices) func `a rebuild that stopped half-way is named`(
    _ index: Int
  ) throws {
    try expectCutOff(Self.rebuilds[index])
  }

  /// A rebuild by hand that stopped after its copy, and tables that only have such names.
  static let copies: [(DatabaseBuilder.Step, Confidence?)] = [
    (
      """
      CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, number TEXT, due TEXT);
      INSERT INTO _new_orders SELECT id, number, NULL FROM orders
      """, .likely
    ),
    (
      """
      CREATE TABLE tmp_orders (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO tmp_orders SELECT * FROM orders WHERE id <= 40
      """, .possible
    ),
    (
      """
      CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO _new_orders SELECT * FROM orders; DROP TABLE orders
      """, .possible
    ),
    // Of its own: other rows, other columns, an index, somebody who needs it, an ordinary name.
    (
      """
      CREATE TABLE new_orders (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO new_orders SELECT id, 'new ' || number FROM orders
      """, nil
    ),
    (
      """
      CREATE TABLE new_orders (id INTEGER PRIMARY KEY, reason TEXT);
      INSERT INTO new_orders SELECT * FROM orders
      """, nil
    ),
    (
      """
      CREATE TABLE new_orders (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO new_orders SELECT * FROM orders; CREATE INDEX fresh ON new_orders (number)
      """, nil
    ),
    (
      """
      CREATE TABLE new_orders (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO new_orders SELECT * FROM orders;
      CREATE TABLE lines (o REFERENCES new_orders)
      """, nil
    ),
    (
      """
      CREATE TABLE new_parties (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO new_parties SELECT * FROM orders
      """, nil
    ),
    (
      """
      CREATE TABLE orders_backup (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO orders_backup SELECT * FROM orders
      """, nil
    ),
  ]

  /// The table moved out of the way and a new one made, and what was copied; and tables put aside.
  static let moved: [(DatabaseBuilder.Step, Confidence?)] = [
    (
      made("orders_old", "INSERT INTO orders SELECT *, NULL FROM orders_old WHERE id <= 40"),
      .likely
    ),
    (made("_orders_old", "INSERT INTO orders SELECT *, NULL FROM _orders_old"), .possible),
    (made("old_orders", ""), .likely),
    // In use since then: other rows, and more of them.
    (made("orders_old", "INSERT INTO orders SELECT id, 'changed', NULL FROM orders_old"), nil),
    (
      made(
        "orders_old",
        """
        INSERT INTO orders SELECT *, NULL FROM orders_old;
        INSERT INTO orders VALUES (999, 'later', NULL)
        """), nil
    ),
    // Put aside by the app: made after the table, also with the same rows; other columns; empty.
    (
      """
      CREATE TABLE orders_old (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO orders_old SELECT * FROM orders
      """, nil
    ),
    (
      """
      CREATE TABLE orders_old (id INTEGER PRIMARY KEY, number TEXT);
      INSERT INTO orders_old SELECT id + 1000, number FROM orders
      """, nil
    ),
    ("CREATE TABLE orders_old (id INTEGER PRIMARY KEY, reason TEXT)", nil),
    ("CREATE TABLE orders_old (id INTEGER PRIMARY KEY, number TEXT)", nil),
  ]

  /// The table renamed, and a new one of its name, with another column.
  private static func made(_ left: String, _ copy: String) -> DatabaseBuilder.Step {
    """
    ALTER TABLE orders RENAME TO \(left);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT, due TEXT); \(copy)
    """
  }

  @Test(arguments: moved.indices) func `a table moved out of the way and left there is named`(
    _ index: Int
  ) throws {
    try expectCutOff(Self.moved[index])
  }

  /// A table for rows that have not been copied yet, and tables that only have such names.
  static let unfilled: [(DatabaseBuilder.Step, Confidence?)] = [
    ("CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, number TEXT, due TEXT)", .likely),
    ("CREATE TABLE new__orders (id INTEGER PRIMARY KEY, number TEXT)", .likely),
    ("CREATE TABLE new_orders (id INTEGER PRIMARY KEY, number TEXT)", nil),
    ("CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, reason TEXT)", nil),
    ("CREATE TABLE _new_parties (id INTEGER PRIMARY KEY, number TEXT)", nil),
    (
      """
      CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, number TEXT);
      CREATE INDEX fresh ON _new_orders (number)
      """, nil
    ),
  ]

  @Test(arguments: unfilled.indices) func `a table made for a rebuild and left empty is named`(
    _ index: Int
  ) throws {
    try expectCutOff(Self.unfilled[index])
  }

  @Test(arguments: copies.indices) func `a copy that has not taken its table's place is named`(
    _ index: Int
  ) throws {
    try expectCutOff(Self.copies[index])
  }

  @Test func `what Room makes of a table tells where that is gone`() throws {
    let answer = try causes([
      "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY, identity_hash TEXT)",
      "INSERT INTO room_master_table VALUES (42, '0123456789abcdef0123456789abcdef')",
      "CREATE TABLE _new_orders (id INTEGER PRIMARY KEY, number TEXT)",
      "INSERT INTO _new_orders VALUES (1, 'one')",
    ])
    #expect(answer.leading?.kind == .migrationCutOff && answer.leading?.confidence == .likely)
  }

  @Test func `a lock of EF Core that nobody has taken away is a migration without an end`() throws {
    let books: [DatabaseBuilder.Step] = [
      """
      CREATE TABLE "__EFMigrationsHistory" ("MigrationId" TEXT PRIMARY KEY, "ProductVersion" TEXT);
      CREATE TABLE "__EFMigrationsLock" ("Id" INTEGER PRIMARY KEY, "Timestamp" TEXT)
      """
    ]
    #expect(try causes(books).leading == nil)
    let locked = try causes(books + ["INSERT INTO __EFMigrationsLock VALUES (1, 'then')"])
    #expect(locked.leading?.kind == .migrationCutOff)
  }

  /// What names a table as it was called during a rebuild, and whether that is left wrong.
  static let names: [(DatabaseBuilder.Step, Bool)] = [
    ("CREATE TABLE lines (o REFERENCES orders_old)", true),
    ("CREATE VIEW late AS SELECT number FROM orders_old", true),
    ("CREATE TABLE lines (o REFERENCES parties)", false),
    ("CREATE TABLE lines (old_orders, new_orders)", false),
    (
      """
      CREATE TABLE lines (id, new_orders);
      CREATE TRIGGER t AFTER INSERT ON orders BEGIN UPDATE lines SET new_orders = 1; END
      """, false
    ),
  ]

  @Test(arguments: names.indices)
  func `what names a table that a rebuild has dropped is left wrong`(
    _ index: Int
  ) throws {
    let (step, isWrong) = Self.names[index]
    let answer = try causes(Self.orders + [step])
    #expect((answer.leading?.kind == .migrationLeftWrong) == isWrong, "\(step)")
    #expect(answer.causes.isEmpty == !isWrong)
  }

  /// A view or trigger in a database with a version, and whether what it names is not there.
  static let users: [(DatabaseBuilder.Step, Bool)] = [
    ("CREATE VIEW late AS SELECT number FROM parties", true),
    ("CREATE TRIGGER t AFTER INSERT ON orders BEGIN DELETE FROM parties; END", true),
    ("CREATE VIEW late AS WITH parties AS (SELECT 1) SELECT * FROM parties", false),
    (
      "CREATE VIEW late AS SELECT * FROM main.orders o JOIN orders p ON o.id IS DISTINCT FROM p.id",
      false
    ),
    ("CREATE VIEW late AS SELECT * FROM json_each('[1]') JOIN pragma_table_list", false),
    (
      "CREATE TRIGGER t AFTER UPDATE OF number ON orders BEGIN UPDATE OR FAIL orders SET id = 1; END",
      false
    ),
  ]

  @Test(arguments: users.indices) func `a view or trigger of what is not there is left wrong`(
    _ index: Int
  ) throws {
    let (step, isWrong) = Self.users[index]
    #expect(try causes(Self.orders + [step]).causes.isEmpty, "\(step)")
    let answer = try causes(Self.orders + [step, "PRAGMA user_version = 3"])
    #expect((answer.leading?.kind == .migrationLeftWrong) == isWrong, "\(step)")
    #expect(answer.causes.isEmpty == !isWrong)
  }

  @Test func `a table of other columns is no rebuild`() throws {
    let answer = try causes([
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)",
      "CREATE TABLE __new_orders (key TEXT, value BLOB)",
    ])
    #expect(answer.leading == nil)
  }

  @Test func `a table that was changed and has fewer rows may have lost them then`() throws {
    let old = "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT)"
    let new: [DatabaseBuilder.Step] = [
      "CREATE TABLE orders (id INTEGER PRIMARY KEY, number TEXT UNIQUE)", Self.rows,
    ]
    for (rows, isSaid) in [(150, true), (105, false), (100, false)] {
      let before = Circumstances.Before(
        backup: "b", userVersion: 0, rows: [Name("orders"): rows], schema: [old])
      let answer = try causes(new, before: before)
      #expect(answer.leading == nil)
      #expect(answer.causes.contains { $0.kind == .migrationLeftWrong } == isSaid, "\(rows)")
    }
    let same = Circumstances.Before(
      backup: "b", userVersion: 0, rows: [Name("orders"): 150], changeCounter: nil)
    #expect(try causes(new, before: same).causes.isEmpty)
  }
}
