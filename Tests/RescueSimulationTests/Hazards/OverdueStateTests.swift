// SPDX-License-Identifier: Apache-2.0
// Others write between the look at a database and its replacement: nothing that they committed may
// be left out of what takes its place, nor be lost without having been counted.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct OverdueStateTests {
  private static let rows =
    "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)"

  let scratch: ScratchFolder
  let stage: Stage

  init() throws {
    scratch = try ScratchFolder()
    stage = Stage(root: scratch.path)
    try stage.makeFolders()
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE TABLE other (a)",
        DatabaseBuilder.Step(stringLiteral: "\(Self.rows) INSERT INTO t SELECT i, 'r' || i FROM n"),
      ]
    ).build(at: stage.database)
  }

  private func write(_ value: Int) throws {
    let connection = try Connection(stage.database, mode: .readWrite, schemaBy: .us)
    try connection.execute("INSERT INTO other VALUES (\(value))")
  }

  private func damage() throws {
    let leaf = try Oracle(stage.database).pages.first { $0.object == "t" && $0.kind == "leaf" }
    var bytes = try stage.database.contents()
    let start = (try #require(leaf).number - 1) * 512
    for index in start..<(start + 20) { bytes[index] = 0xEE }
    try stage.database.replaceContents(with: bytes)
  }

  /// Recovers while others write before each of so many approvals; gives the number of plans.
  private func recover(
    _ kind: RecoveryOption.Kind, writesMax: Int
  ) throws -> (plans: Int, lost: [Loss]) {
    var plans = 0
    var lost: [Loss] = []
    _ = try stage.rescue(seed: 5).recover(
      .recover, stage.database,
      contract: Contract(
        name: "t", userVersion: 0,
        freshSchema: ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", "CREATE TABLE other (a)"]),
      choose: { examination, options throws(RescueError) in
        if kind == .reset { return examination.resetOption }
        guard let option = options.first(where: { $0.kind == kind }) else {
          throw RescueError(.internal, "no option")
        }
        return option
      },
      approve: { plan throws(RescueError) in
        plans += 1
        lost = plan.option.outcomes.filter { $0.table == "other" }.map(\.lost)
        if plans <= writesMax {
          do { try write(plans) } catch { throw RescueError(.internal, "\(error)") }
        }
      })
    return (plans, lost)
  }

  @Test func `what is committed while a salvage asks is in what it puts in place`() throws {
    try damage()
    let done = try recover(.salvage, writesMax: 2)
    #expect(done.plans == 3)
    #expect(try Oracle(stage.database).count(of: "other") == 2)
  }

  @Test func `rows that come while a reset asks are counted before they go`() throws {
    let done = try recover(.reset, writesMax: 1)
    #expect(done.plans == 2)
    #expect(done.lost == [.exactly(1)])
    #expect(try Oracle(stage.database).count(of: "other") == 0)
  }

  @Test func `what does not depend on the rows is planned under the lock at last`() throws {
    let done = try recover(.reset, writesMax: 3)
    #expect(done.plans == 4)
    #expect(done.lost == [.exactly(3)])
    #expect(try Oracle(stage.database).count(of: "other") == 0)
  }

  @Test func `a damaged database that is written to without end is left alone`() throws {
    try damage()
    let error = #expect(throws: RescueError.self) { try recover(.salvage, writesMax: 100) }
    #expect(error?.kind == .busy)
    #expect(error?.change?.extent == .nothing)
    let rows = try Connection(stage.database, mode: .readOnly, schemaBy: .us)
      .value("SELECT count(*) FROM other")
    #expect(rows?.integerValue == 3)
    #expect(try stage.litter(expecting: []) == [])
  }
}
