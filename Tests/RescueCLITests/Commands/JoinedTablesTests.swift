// SPDX-License-Identifier: Apache-2.0
// Tables and columns that a contract makes one: what was in each of them has to be there.

import DatabaseRescue
import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct JoinedTablesTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder(Self.before + ["PRAGMA user_version = 1"]).build(at: file)
  }

  private static let before: [DatabaseBuilder.Step] =
    [
      "CREATE TABLE drafts (id INTEGER PRIMARY KEY, x TEXT, y INT)",
      "CREATE TABLE sent (id INTEGER PRIMARY KEY, x TEXT, y INT)",
      "CREATE TABLE cache (k INTEGER PRIMARY KEY, v TEXT)",
    ]
    + [("drafts", 30), ("sent", 40), ("cache", 5)].map { table, count in
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO \(table) SELECT i, '\(table) ' || i \(table == "cache" ? "" : ", i * \(count)") FROM n
      """
    }

  /// Migrates with a contract for the database as it should be, to which entries are added.
  private func migrate(
    _ sql: String, to wanted: [DatabaseBuilder.Step], _ entries: [String: Any]
  ) throws -> Ending {
    let (new, contract) = (bench["new.db"], bench["c.json"])
    try DatabaseBuilder(wanted + ["PRAGMA user_version = 2"]).build(at: new)
    _ = try bench.run("contract", "capture", new, "--output", contract)
    var document = try #require(
      JSONSerialization.jsonObject(with: Data(contract.contents())) as? [String: Any])
    document.merge(entries) { $1 }
    try contract.replaceContents(
      with: Bytes(JSONSerialization.data(withJSONObject: document)))
    return try bench.tryMigration(of: file, sql, ["--contract", "\(contract)"])
  }

  @Test(
    arguments: [
      ("", 0, nil), ("WHERE id > 1", 18, "'drafts' and 'sent' had 70 rows and have, as 'sent', 69"),
    ] as [(String, Int32, String?)])
  func `a table that took in another one has the rows of both`(
    _ rows: String, status: Int32, says: String?
  ) throws {
    let ending = try migrate(
      "ALTER TABLE sent ADD COLUMN is_draft INT;"
        + "INSERT INTO sent (x, y, is_draft) SELECT x, y, 1 FROM drafts \(rows); DROP TABLE drafts;",
      to: [
        "CREATE TABLE sent (id INTEGER PRIMARY KEY, x TEXT, y INT, is_draft INT)",
        "CREATE TABLE cache (k INTEGER PRIMARY KEY, v TEXT)",
      ], ["renamedTables": ["drafts": "sent"]])
    #expect(ending.status == status, "\(ending.all)")
    if let says { #expect(ending.all.contains(says), "\(ending.all)") }
  }

  private static let mails: [DatabaseBuilder.Step] = [
    "CREATE TABLE cache (k INTEGER PRIMARY KEY, v TEXT)",
    "CREATE TABLE mails (id INTEGER PRIMARY KEY, src TEXT, x TEXT, y INT)",
  ]
  private static let made = "CREATE TABLE mails (id INTEGER PRIMARY KEY, src TEXT, x TEXT, y INT);"
  private static func take(_ table: String, _ rest: String = "") -> String {
    "INSERT INTO mails (src, x, y) SELECT '\(table)', x, y FROM \(table) \(rest);"
  }
  private static let drop = "DROP TABLE drafts; DROP TABLE sent;"

  @Test(
    arguments: [
      (take("drafts") + take("sent"), 0, nil),
      (take("drafts"), 18, "'drafts' and 'sent' had 70 rows and have, as 'mails', 30"),
      (take("sent"), 18, "'drafts' and 'sent' had 70 rows and have, as 'mails', 40"),
      (take("drafts") + take("sent", "WHERE id > 1"), 18, "as 'mails', 69"),
      (
        take("drafts") + "INSERT INTO mails (x, y) SELECT 'other ' || id, -id FROM sent;", 18,
        "'mails' has other rows than 'drafts' and 'sent' had"
      ),
      (
        take("drafts") + "INSERT INTO mails (x, y) SELECT x, -id FROM sent;", 0,
        "column 'mails.y' has other values than in 'drafts' and 'sent'"
      ),
    ] as [(String, Int32, String?)])
  func `a table that is made of two has the rows of both`(
    _ sql: String, status: Int32, says: String?
  ) throws {
    let ending = try migrate(
      Self.made + sql + Self.drop, to: Self.mails,
      ["renamedTables": ["drafts": "mails", "sent": "mails"]])
    #expect(ending.status == status, "\(ending.all)")
    #expect(ending.all.contains(says ?? "would verify"), "\(ending.all)")
    if says == nil { #expect(!ending.all.contains("unless it was meant"), "\(ending.all)") }
  }

  @Test func `of two columns that are one now, the one that is gone is told`() throws {
    let ending = try migrate(
      "ALTER TABLE sent ADD COLUMN z; UPDATE sent SET z = x; ALTER TABLE sent DROP COLUMN x;"
        + "ALTER TABLE sent DROP COLUMN y;",
      to: Self.before.dropLast(2).filter { !$0.sql.contains("sent") } + [
        "CREATE TABLE sent (id INTEGER PRIMARY KEY, z)"
      ], ["renamedColumns": ["sent": ["x": "z", "y": "z"]]])
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("column 'sent.y' with 40 values is gone"), "\(ending.all)")
  }

  @Test func `a table whose rows may go is told where it goes itself`() throws {
    let ending = try migrate(
      "DROP TABLE cache", to: Array(Self.before.prefix(2)), ["rowCounts": ["cache": "any"]])
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("table 'cache' with 5 rows is gone, as may be"), "\(ending.all)")
  }
}
