// SPDX-License-Identifier: Apache-2.0
// What a diagnosis says of an option is what carrying it out gives.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct PredictionTests {
  /// What an option does with one table, in numbers and words that do not depend on the report.
  private struct Outcome: Equatable {
    let table: String?
    let kept: Int?
    let setAside: Int?
    let loss: String?
  }

  @Test(arguments: SampleRow.all, [false, true])
  func `what a diagnosis promises is what a recovery gives`(
    _ row: SampleRow, isContractGiven: Bool
  ) throws {
    let bench = try Workbench()
    let given: [any Word] = isContractGiven ? ["--contract", bench.contract] : []
    let file = try bench.place(FilePath(row.name))
    let diagnosis = try bench.run(["diagnose", file, "--json"] + given).json
    let options = diagnosis["options"]?.elements.filter {
      ["salvage", "rebuild-indexes"].contains($0["name"]?.text)
    }
    for option in options ?? [] {
      let name = try #require(option["name"]?.text)
      let copy = try bench.place(FilePath(row.name), as: FilePath("\(name).db"))
      let words: [any Word] = ["recover", copy, "--choose", name, "--yes", "--json"]
      let ending = try bench.run(words + given)
      let promised = (option["tables"]?.elements ?? []).map { table in
        Outcome(
          table: table["table"]?.text, kept: table["kept"]?.number,
          setAside: table["quarantined"]?.number, loss: Self.words(table["lost"]))
      }
      let done = try ending.json["salvage"]?["tables"]?.elements ?? []
      let given = done.map { table in
        Outcome(
          table: table["table"]?.text, kept: table["written"]?.number,
          setAside: table["quarantined"]?.number, loss: Self.words(table["lost"]))
      }
      #expect(!promised.isEmpty)
      #expect(promised.filter { !given.contains($0) } == [], "\(name): \(ending.all)")
      let unplaced = done.first { $0["table"]?.text == nil }?["quarantined"]?.number ?? 0
      #expect(option["unplaced"]?.number == unplaced)
      #expect(option["estimated"] == nil)
    }
  }

  private static func words(_ loss: JSON?) -> String? {
    switch (loss?["kind"]?.text, loss?["rows"]?.number) {
    case ("none", _): Loss.none.description
    case ("exactly", let count?): Loss.exactly(count).description
    case ("at-least", let count?): Loss.atLeast(count).description
    case ("unknown", _): Loss.unknown.description
    default: nil
    }
  }

  @Test func `rows without a table are counted, and the schema is asked for`() throws {
    let bench = try Workbench()
    let file = bench["app.db"]
    try FitnessLog.create(file, version: 4, workouts: 30)
    let bytes = try file.contents()
    try file.replaceContents(with: Bytes(Array(repeating: 0, count: 4096) + bytes.dropFirst(4096)))
    let ending = try bench.run("diagnose", file, "--json")
    let report = try ending.json
    #expect((report["rows"]?["unplaced"]?.number ?? 0) > 100, "\(ending.all)")
    #expect(report["rows"]?["lost"]?["kind"]?.text == "unknown")
    #expect(report["next"]?.text?.contains("--schema") == true)
    // With the schema, they have a table.
    let informed = try bench.run("diagnose", file, "--contract", bench.contract, "--json").json
    let salvage = informed["options"]?.elements.first { $0["name"]?.text == "salvage" }
    #expect((salvage?["kept"]?.number ?? 0) > 100)
  }

  @Test func `a diagnosis that cannot try it says that its figures are estimates`() throws {
    let bench = try Workbench()
    let file = try bench.place("zeroed-leaf.db")
    // There can be no private folder in a file.
    let world = World(
      environment: ["TMPDIR": file.description, "DBRESCUE_LOG": bench.log.description])
    let diagnosed = try Rescue(world: world).diagnose(
      InputFiles(file, storage: SystemStorage())
    ).value
    #expect(diagnosed.trial == nil)
    let salvage = try #require(diagnosed.options.first { $0.kind == .salvage })
    guard case .estimated = salvage.basis else {
      Issue.record("what was not tried passes for tried")
      return
    }
  }
}
