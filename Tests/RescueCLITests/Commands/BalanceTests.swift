// SPDX-License-Identifier: Apache-2.0
// A salvage whose rows do not add up is a defect, and never passes for a result.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue
@testable import RescueCLI

@Suite struct BalanceTests {
  @Test func `rows that do not add up end in status 70, after the report`() throws {
    let bench = try Workbench()
    let file = try bench.place("healthy-v4.db")
    let report = bench["report.json"]
    var bodies = EntryPoint.bodies
    let body: CommandBody = { invocation, context throws(RescueError) in
      let output = invocation.requiredPath(.output)
      let result = try context.rescue.salvage(context.input(invocation), to: output)
      var value = result.value
      value.balances[0].seen += 1
      let wrong = RunResult(
        value: value, code: result.code, started: result.started, inputs: result.inputs,
        logFailure: nil)
      var files = context.files(invocation)
      let report = try context.reportFile(invocation, in: &files)
      return try context.finish(wrong, report: report, file: file, output: output, schema: nil)
    }
    bodies["salvage"] = body
    let outcome = run(
      ["salvage", "\(file)", "-o", "\(bench["new.db"])", "--report", "\(report)"],
      environment: ["DBRESCUE_LOG": "\(bench.log)"], bodies: bodies)
    #expect(outcome.status == 70)
    #expect(outcome.error.contains("do not add up"), "\(outcome.error)")
    #expect(outcome.error.contains("must not be trusted"))
    let json = try JSON(String(decoding: report.contents(), as: UTF8.self))
    #expect(json["rows"]?["balanced"]?.bool == false)
    #expect(json["complete"]?.bool == false)
  }

  @Test func `a fresh table with another number of rows does not hold`() {
    var balance = Balance(table: "t")
    balance.seen = 3
    balance.written = 2
    balance.quarantined = 1
    #expect(balance.holds)
    balance.counted = 2
    #expect(balance.holds)
    balance.counted = 1
    #expect(!balance.holds && !balance.isComplete)
  }
}
