// SPDX-License-Identifier: Apache-2.0
// Every run leaves one line in the log, and a code that tells its essence without it.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct RunLogCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  @Test func `the log has the status of a run whose report could not be written`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let damaged = try bench.place("zeroed-leaf.db")
    let contract = bench.contract
    // Nobody can make a file there.
    let runs: [[any Word]] = [
      ["diagnose", file, "--report", "/proc/report.txt"],
      ["salvage", damaged, "--output", bench["new.db"], "--report", "/proc/report.json"],
      ["merge", file, file, "--output", bench["both.db"], "--report", "/proc/report.json"],
      ["playbook", "run", "pre-migration-backup", file, "--report", "/proc/record.json"],
      [
        "recover", damaged, "--choose", "salvage", "--yes", "--contract", contract, "--hand-over",
        "/proc/message.txt",
      ],
    ]
    for words in runs {
      let ending = try bench.run(words)
      #expect(ending.status != 0 && ending.status != 14, "\(words): \(ending.all)")
      let record = try #require(ending.record, "\(words): \(ending.all)")
      #expect(record.exitStatus == ending.status, "\(words)")
      let shown = try bench.run("log", "show", record.code.description, "--json")
      #expect(try shown.json["exit"]?.number == Int(ending.status), "\(words)")
    }
  }

  @Test func `each run leaves one line, which names it and can be shown`() throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let damaged = try bench.place("zeroed-leaf.db")
    let contract = bench.contract
    let runs: [(operation: String, words: [any Word])] = [
      ("check", ["check", file]), ("check", ["check", damaged, "--json"]),
      ("diagnose", ["diagnose", damaged]), ("backup", ["backup", file]),
      ("check", ["contract", "verify", file, "--contract", contract]),
      ("salvage", ["salvage", damaged, "--output", bench["new.db"]]),
      ("restore", ["restore", file, "--output", bench["restored.db"]]),
      ("reset", ["reset", file, "--schema", contract, "--yes", "--confirm", "app.db"]),
      ("restore", ["restore", file, "--yes"]), ("recover", ["recover", damaged]),
      ("guard", ["guard", file, "--", "/bin/true"]), ("guard", ["guard", damaged, "--", "true"]),
      ("playbook", ["playbook", "run", "pre-migration-backup", file]),
      ("salvage", ["salvage", damaged, "--output", bench["new.db"]]),
      ("backup", ["backup", bench["absent.db"]]),
    ]
    var codes: [String] = []
    for (operation, words) in runs {
      let before = try bench.records().count
      let ending = try bench.run(words)
      #expect(try bench.records().count == before + 1, "\(words)")
      let record = try #require(ending.record)
      #expect(record.operation.description == operation, "\(words)")
      #expect(record.exitStatus == ending.status, "\(words)")
      codes.append(record.code.description)
    }
    #expect(Set(codes).count == codes.count)

    for code in codes {
      let show = try bench.run("log", "show", code)
      #expect(show.status == 0)
      #expect(show.output.contains(code))
      let json = try bench.run("log", "show", code, "--json")
      #expect(try json.json["code"]?.text == code)
      #expect(try bench.run("explain", code).status == 0)
    }
    let list = try bench.run("log", "list", "--last", "100", "--json")
    #expect(try list.json["runs"]?.elements.compactMap { $0["code"]?.text } == codes)
    let last = try bench.run("log", "list", "--last", "3")
    #expect(last.output.split(separator: "\n").count == 4)
    // Looking things up is no run.
    #expect(try bench.records().count == codes.count)
  }

  @Test func `what leads to no run leaves no line`() throws {
    let file = try bench.place("healthy-v4.db")
    for words in [
      ["help"], ["man"], ["explain", "F060"], ["vault", "list", file], ["playbook", "list"],
      ["contract", "diff", file, file], ["check"], ["check", file, "--bogus"],
      ["check", "--help"], ["--version"], ["restore", file],
    ] as [[any Word]] {
      #expect(try bench.run(words).record == nil, "\(words)")
    }
    #expect(try !bench.log.exists)
  }

  @Test func `a code is explained without a log, however it is read out`() throws {
    let file = try bench.place("drifted-forgot-column.db")
    let run = try bench.run("check", file, "--contract", bench.contract)
    let code = try #require(run.record).code.description
    let other = try Workbench()
    let texts = [
      code, code.lowercased(), String(code.filter { $0 != "-" }), String(code.dropFirst(4)),
      String(code.map { $0 == "0" ? "O" : $0 }), String(code.map { $0 == "1" ? "l" : $0 }),
      code.split(separator: "-").joined(separator: " "),
    ]
    for text in texts {
      let explain = try other.run("explain", text, "--json")
      #expect(explain.status == 0, "\(text)")
      let lines = try #require(try explain.json["lines"]?.elements)
      func line(_ label: String) -> String? {
        lines.first { $0["label"]?.text == label }?["text"]?.text
      }
      #expect(line("verdict")?.hasPrefix("drifted") == true)
      #expect(line("finding")?.contains("DBR-F142") == true)
      #expect(line("version")?.hasPrefix("found 4, expected 4") == true)
      #expect(line("unsynced") == "rows wait to be sent and exist nowhere else")
      #expect(line("date") == "2026-11-21")
      #expect(line("next")?.contains("dbrescue diagnose") == true)
    }
    let show = try other.run("log", "show", code)
    #expect(show.status == 66)
    #expect(show.error.contains("dbrescue explain \(code)"))
    #expect(try !other.log.exists)
  }

  @Test(arguments: ["check", "backup", "salvage", "reset", "guard", "playbook"])
  func `a log that cannot be written only warns`(_ verb: String) throws {
    let file = try bench.place("healthy-v4.db", as: "app.db")
    let words: [any Word] =
      switch verb {
      case "salvage": ["salvage", file, "--output", bench["new.db"]]
      case "reset": ["reset", file, "--schema", bench.contract, "--yes", "--confirm", "app.db"]
      case "guard": ["guard", file, "--", "/bin/true"]
      case "playbook": ["playbook", "run", "pre-migration-backup", file]
      default: [verb, file]
      }
    // A folder where the log should be, and no place at all.
    for environment in [["DBRESCUE_LOG": bench.files.description], ["DBRESCUE_LOG": ""]] {
      for flags in [[], ["--json"]] as [[any Word]] {
        try SystemStorage().remove(bench["new.db"])
        let streams = Recorder()
        var values = environment.merging(["TMPDIR": bench.files.description]) { $1 }
        values["HOME"] = nil
        let line =
          Array(words.prefix(1)) + (verb == "playbook" ? [words[1]] : []) + flags
          + words.dropFirst(verb == "playbook" ? 2 : 1)
        let status = EntryPoint.run(
          arguments: line.map(\.bytes), world: .still(values), streams: streams.streams(),
          interruption: Interruption())
        #expect(status == 0, "\(streams.error)")
        #expect(streams.error.contains("dbrescue: warning: the run was not logged"), "\(line)")
      }
    }
  }

  @Test func `a torn line hides none of the others`() throws {
    let file = try bench.place("healthy-v4.db")
    try bench.run("check", file)
    let bytes = try bench.log.contents()
    try bench.log.replaceContents(with: bytes + Bytes("{\"schema\":1,\"code\":\"DBR-".utf8))
    let streams = Recorder()
    let world = World.still(["DBRESCUE_LOG": bench.log.description])
    for words in [["check", file.description], ["log", "list"]] {
      let status = EntryPoint.run(
        arguments: words.map { Array($0.utf8) }, world: world, streams: streams.streams(),
        interruption: Interruption())
      #expect(status == 0)
    }
    #expect(streams.error.contains("warning: 1 line cannot be read"))
    #expect(try RunLog(at: bench.log, in: World()).records().records.count == 2)
  }
}
