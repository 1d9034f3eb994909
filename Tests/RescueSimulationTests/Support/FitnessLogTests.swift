// SPDX-License-Identifier: Apache-2.0
// The sample app migrates as it should, and makes exactly the mistakes that it is asked for.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct FitnessLogTests {
  static let tables = ["exercises", "workouts", "sets", "notes", "outbox"]

  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func counts(_ path: FilePath) throws -> [String: Int] {
    let oracle = try Oracle(path)
    let tables = try oracle.tables
    return try Dictionary(uniqueKeysWithValues: tables.map { ($0, try oracle.count(of: $0)) })
  }

  private func isSound(_ path: FilePath) throws -> Bool {
    let oracle = try Oracle(path)
    return try oracle.integrityErrors == []
      && oracle.value("SELECT count(*) FROM pragma_foreign_key_check") == .integer(0)
      && oracle.value("PRAGMA application_id") == .integer(FitnessLog.applicationID)
      && FitnessLog.invariants.values.allSatisfy { try oracle.value($0) == nil }
  }

  /// What a schema means: every column of every table, and all other objects.
  private func schema(_ path: FilePath) throws -> [[Value]] {
    let connection = try Connection(path, mode: .readOnly, schemaBy: .us)
    return try connection.rows(
      """
      SELECT m.type, m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk
      FROM sqlite_schema m LEFT JOIN pragma_table_xinfo(m.name) c
      WHERE m.name NOT LIKE 'sqlite_%' ORDER BY 1, 2, c.cid
      """)
  }

  @Test(arguments: FitnessLog.versions)
  func `every version is made sound`(_ version: Int) throws {
    let path = scratch["log.db"]
    try FitnessLog.create(path, version: version, workouts: 50)
    #expect(try isSound(path))
    #expect(try Oracle(path).value("PRAGMA user_version") == .integer(Int64(version)))
    let counts = try counts(path)
    #expect(counts["workouts"] == 50)
    #expect(try #require(counts["sets"]) > 250)
    #expect(counts["outbox"] == counts["sets"])
    #expect((counts["notes"] != nil) == (version >= 2))
  }

  @Test func `the same seed gives the same bytes, another seed does not`() throws {
    for (name, seed) in [("a", 1), ("b", 1), ("c", 2)] as [(FilePath, UInt64)] {
      try FitnessLog.create(scratch[name], workouts: 20, seed: seed)
    }
    let isSame = try scratch["a"].contents() == scratch["b"].contents()
    #expect(isSame)
    let isOther = try scratch["a"].contents() != scratch["c"].contents()
    #expect(isOther)
  }

  @Test(arguments: 1...3, [FitnessLog.Journal.wal, .delete])
  func `a migration keeps every row`(_ version: Int, _ journal: FitnessLog.Journal) throws {
    let path = scratch["log.db"]
    let fresh = scratch["fresh.db"]
    try FitnessLog.create(path, version: version, workouts: 50, journal: journal)
    try FitnessLog.create(fresh, workouts: 1)
    let before = try counts(path)
    try FitnessLog.migrate(path)
    let after = try counts(path)
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    #expect(try isSound(path))
    #expect(try schema(path) == schema(fresh))
  }

  @Test func `step by step gives the same as at once`() throws {
    for name in ["steps", "leap"] as [FilePath] {
      try FitnessLog.create(scratch[name], version: 1, workouts: 30)
    }
    for version in 2...4 { try FitnessLog.migrate(scratch["steps"], to: version) }
    try FitnessLog.migrate(scratch["leap"])
    for table in Self.tables {
      let steps = try oracleRows(scratch["steps"], table)
      let leap = try oracleRows(scratch["leap"], table)
      #expect(firstDifference(expected: steps, actual: leap) == nil)
    }
  }

  @Test func `the forgetful migration only loses a column and its index`() throws {
    let path = scratch["log.db"]
    try FitnessLog.create(path, version: 3, workouts: 50)
    let before = try counts(path)
    try FitnessLog.migrate(path, mistakes: [.forgetColumn])
    #expect(try counts(path) == before)
    #expect(try isSound(path))
    let oracle = try Oracle(path)
    #expect(try oracle.value("PRAGMA user_version") == .integer(4))
    #expect(try !oracle.columns(of: "workouts").contains("timezone"))
  }

  @Test func `the migration that drops rows passes every check but the count`() throws {
    let path = scratch["log.db"]
    let fresh = scratch["fresh.db"]
    try FitnessLog.create(path, version: 3, workouts: 50)
    try FitnessLog.create(fresh, workouts: 1)
    try FitnessLog.migrate(path, mistakes: [.dropRows])
    let after = try counts(path)
    #expect(after["workouts"] == 50)
    #expect(after["sets"] == 0)
    #expect(after["notes"] == 0)
    #expect(try isSound(path))
    #expect(try schema(path) == schema(fresh))
  }

  @Test(arguments: [FitnessLog.Journal.wal, .delete])
  func `a crash midway changes nothing`(_ journal: FitnessLog.Journal) throws {
    let path = scratch["log.db"]
    try FitnessLog.create(path, version: 3, workouts: 100, journal: journal)
    let rows = try oracleRows(path, "sets")
    let file = try path.contents()
    let outcome = try Command(
      Products.fitnessLog, ["migrate", path.description, "--crash-midway"]
    ).run()
    #expect(outcome.end == .signalled(9))
    let sidecar = path.adding(suffix: journal == .wal ? "-wal" : "-journal")
    #expect(try !sidecar.contents().isEmpty)
    let isTouched = try path.contents() != file
    #expect(isTouched == (journal == .delete))
    #expect(try firstDifference(expected: rows, actual: oracleRows(path, "sets")) == nil)
    #expect(try Oracle(path).value("PRAGMA user_version") == .integer(3))
  }

  @Test func `a newer database and a stranger's are refused`() throws {
    let path = scratch["log.db"]
    try FitnessLog.create(path, version: 4, workouts: 1)
    #expect(throws: AppError.self) { try FitnessLog.migrate(path, to: 3) }
    #expect(throws: AppError.self) { try FitnessLog.create(path) }
    let stranger = try Recipe.named("autoincrement").build(in: scratch.path)
    #expect(throws: AppError.self) { try FitnessLog.migrate(stranger) }
  }

  @Test(arguments: FitnessLog.versions)
  func `the script makes the schema of its version`(_ version: Int) throws {
    let made = scratch["made.db"]
    try FitnessLog.create(made, version: version, workouts: 1)
    let script = scratch["script.db"]
    try Connection(script, mode: .create, schemaBy: .us).execute(
      FitnessLog.script(version: version))
    #expect(try schema(script) == schema(made))
    #expect(try Oracle(script).value("PRAGMA user_version") == .integer(Int64(version)))
  }

  @Test func `two writers at work leave a sound database`() throws {
    let path = scratch["log.db"]
    try FitnessLog.create(path, workouts: 20, journal: .wal)
    let writers = try (1...2).map { seed in
      try Command(
        Products.fitnessLog,
        ["write", path.description, "--seconds", "0.3", "--seed", String(seed)]
      ).start()
    }
    for writer in writers {
      let outcome = try writer.wait()
      #expect(outcome.status == 0, "\(outcome)")
      #expect(try #require(Int(outcome.text.split(separator: " ")[0])) > 0)
    }
    #expect(try isSound(path))
    #expect(try counts(path)["workouts"] != 20)
  }
}

@Suite struct FitnessLogCommandTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func run(_ arguments: String...) throws -> Command.Outcome {
    try Command(Products.fitnessLog, arguments).run()
  }

  @Test func `create, migrate, contract and damage work from the command line`() throws {
    let path = scratch["log.db"].description
    let create = try run(
      "create", path, "--schema-version", "3", "--workouts", "40", "--seed", "9",
      "--journal", "wal")
    #expect(create.status == 0, "\(create)")
    #expect(try run("migrate", path, "--to", "4").status == 0)
    #expect(try run("contract", "--schema-version", "4").text == FitnessLog.script(version: 4))
    #expect(try Oracle(FilePath(path)).integrityErrors == [])
    #expect(try run("damage", path, "--kind", "truncate:60").status == 0)
    #expect(try Oracle(FilePath(path)).integrityErrors != [])
  }

  @Test(arguments: [
    [], ["bogus"], ["create"], ["create", "x.db", "--seed"], ["create", "x.db", "--seed", "one"],
    ["create", "x.db", "--journal", "off"], ["create", "x.db", "more"], ["damage", "x.db"],
    ["damage", "x.db", "--kind", "bang"], ["write", "x.db"],
  ])
  func `a command line that is not understood is refused`(_ arguments: [String]) throws {
    let outcome = try Command(Products.fitnessLog, arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errorText.contains("usage:"))
    #expect(outcome.output.isEmpty)
  }

  @Test func `failures are told on standard error`() throws {
    let outcome = try run("migrate", scratch["absent.db"].description)
    #expect(outcome.status == 1)
    #expect(outcome.errorText.hasPrefix("fitness-log: error: "))
  }
}
