// SPDX-License-Identifier: Apache-2.0
// A chain of migrations on copies of many databases: what was given stays as it is, and every way is
// told of.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RehearsalTests {
  private let scratch: ScratchFolder
  private let folder: FilePath
  private let rescue: Rescue

  init() throws {
    scratch = try ScratchFolder()
    folder = scratch["migrations"]
    for path in [folder, scratch["tmp"]] { try SystemStorage().createFolder(path) }
    rescue = Rescue(
      world: World(environment: [
        "DBRESCUE_LOG": scratch["log/runs.jsonl"].description,
        "TMPDIR": scratch["tmp"].description,
      ]))
    try write("0001_a.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY, x INT, y TEXT NOT NULL)")
    try write("0002_b.sql", "ALTER TABLE a ADD COLUMN z REAL; CREATE INDEX a_y ON a (y)")
    try write(
      "0003_c.sql",
      """
      CREATE TABLE new_a (id INTEGER PRIMARY KEY, x INT, y TEXT NOT NULL, z REAL, w TEXT);
      INSERT INTO new_a SELECT id, x, y, z, upper(y) FROM a;
      DROP TABLE a;
      ALTER TABLE new_a RENAME TO a;
      CREATE INDEX a_y ON a (y);
      """)
  }

  private func write(_ name: FilePath, _ sql: String) throws {
    try folder.appending(name).replaceContents(with: Bytes(sql.utf8))
  }

  private func database(_ name: FilePath, version: Int, _ more: String = "") throws -> FilePath {
    let path = scratch[name]
    let steps = try MigrationFolder(folder).files.prefix(version).map { file in
      String(decoding: try folder.appending(file.name).contents(), as: UTF8.self)
    }
    try DatabaseBuilder(
      (steps + [
        "INSERT INTO a (x, y) VALUES (1, 'one'), (2, 'two')", more,
        "PRAGMA user_version = \(version)",
      ]).filter { !$0.isEmpty }.map { DatabaseBuilder.Step(stringLiteral: $0) }
    ).build(at: path)
    return path
  }

  private func rehearse(
    _ starts: [FilePath], seed: UInt64 = 3
  ) throws -> RehearsalReport {
    let report = try rescue.rehearse(
      .files(MigrationFolder(folder)), from: starts, options: RehearsalOptions(seed: seed)
    ).value
    #expect(try SystemStorage().names(in: scratch["tmp"]) == [])
    return report
  }

  @Test func `every version of every start is brought to the newest, at once and step by step`()
    throws
  {
    let starts = try [
      database("one.db", version: 1), database("two.db", version: 2),
      database("three.db", version: 3),
    ]
    let before = try starts.map { try $0.contents() }
    let report = try rehearse(starts)
    #expect(report.exitStatus == 0)
    #expect(
      report.cases.map { "\($0.start) \($0.from ?? 0) \($0.to ?? 0) \($0.way) \($0.outcome)" } == [
        "one.db 1 3 straight passed", "one.db 1 3 steps passed", "two.db 2 3 straight passed",
        "three.db 3 3 straight passed",
      ])
    #expect(report.cases.allSatisfy { $0.rowsBefore == 2 && $0.rowsAfter == 2 })
    #expect(report.cases[1].steps.map(\.version) == [2, 3])
    #expect(try starts.map { try $0.contents() } == before)
    for start in starts { #expect(try !start.adding(suffix: ".rescue").exists) }
  }

  @Test func `without a start the files make one of each version, with rows`() throws {
    let report = try rehearse([])
    #expect(report.starts.map(\.name) == ["version 1", "version 2"])
    #expect(report.starts.allSatisfy { $0.kind == .built && ($0.seeding?.rows ?? 0) > 10 })
    #expect(report.exitStatus == 0, "\(report.cases.flatMap(\.problems))")
  }

  @Test func `a migration that fails, loses rows or cannot begin has a status of its own`() throws {
    let good = try database("good.db", version: 2)
    let damaged = scratch["damaged.db"]
    try damaged.replaceContents(with: Checkout.samples.appending("zeroed-leaf.db").contents())
    let damagedReport = try rehearse([good, damaged])
    #expect(damagedReport.exitStatus == 65)
    #expect(damagedReport.cases.map(\.outcome) == [.passed, .impossible])
    #expect(
      damagedReport.cases[1].problems == [
        "'damaged.db' has version 4, and the last file is for version 3"
      ])

    try write("0003_c.sql", "DELETE FROM a WHERE id = 1")
    let lossy = try rehearse([good])
    #expect(lossy.exitStatus == 18)
    #expect(lossy.cases[0].problems.first == "'a' had 2 rows and has 1")

    try write("0003_c.sql", "DROP TABLE missing")
    let failed = try rehearse([good, scratch["missing.db"]])
    #expect(failed.exitStatus == 16)
    #expect(failed.cases.map(\.outcome) == [.failed, .impossible])
    let xml = String(decoding: failed.junit, as: UTF8.self)
    #expect(
      xml.contains("<testsuites name=\"dbrescue rehearse\" tests=\"2\" failures=\"1\" errors=\"1\"")
    )
    #expect(xml.contains("0003_c.sql:1: no such table: missing"))
  }

  @Test func `a schema is a start, and its rows show what no empty database would`() throws {
    let script = scratch["v2.sql"]
    try script.replaceContents(
      with: Bytes(
        """
        CREATE TABLE a (id INTEGER PRIMARY KEY, x INT, y TEXT NOT NULL, z REAL);
        CREATE INDEX a_y ON a (y); PRAGMA user_version = 2;
        """.utf8))
    try write(
      "0003_c.sql",
      "CREATE TABLE b (x INT NOT NULL); INSERT INTO b SELECT x FROM a; DROP TABLE a")
    let report = try rehearse([script])
    #expect(report.starts.first?.kind == .schema)
    #expect(report.exitStatus == 16)
    #expect(report.cases.first?.problems.first?.contains("NOT NULL constraint failed: b.x") == true)
  }

  @Test
  func `rows are made up that conditions of several columns admit, and what stays empty is told`()
    throws
  {
    let script = scratch["rules.sql"]
    try script.replaceContents(
      with: Bytes(
        """
        CREATE TABLE a (id TEXT CHECK (length(id) = 36), j TEXT CHECK (json_valid(j)));
        CREATE TABLE b (id TEXT NOT NULL UNIQUE CHECK (length(id) = 36), m TEXT CHECK (m LIKE '%@%'),
          n INT CHECK (n BETWEEN 3 AND 9));
        CREATE TABLE c (x INT CHECK (x > 5 AND x < 3) NOT NULL);
        """.utf8))
    let report = try rehearse([script])
    let seeding = try #require(report.starts.first?.seeding)
    #expect(seeding.failures.map(\.table) == ["c"])
    #expect(seeding.rows > 8)
    let xml = String(decoding: report.junit, as: UTF8.self)
    #expect(xml.contains("skipped=\"1\""), "\(xml)")
    #expect(xml.contains("name=\"rows of c\""), "\(xml)")
  }

  @Test func `a command is given a copy, and never what was named`() throws {
    let start = scratch["v3.db"]
    try FitnessLog.create(start, version: 3, workouts: 3)
    let before = try start.contents()
    let app = FilePath(try Products.fitnessLog.description)
    var options = RehearsalOptions(seed: 1)
    options.contract = try ContractSource.load(Checkout.samples.appending("fitness-log-v4.sql"))
    let report = try rescue.rehearse(
      .command([app, "migrate", "{db}"]), from: [start], options: options
    ).value
    #expect(report.exitStatus == 0, "\(report.cases.flatMap(\.problems))")
    #expect(report.cases.first?.to == 4)
    let forgetful = try rescue.rehearse(
      .command([app, "migrate", "{db}", "--forget-column"]), from: [start], options: options
    ).value
    #expect(forgetful.exitStatus == 18)
    let isUntouched = try start.contents() == before
    #expect(isUntouched)
  }
}
