// SPDX-License-Identifier: Apache-2.0
// The last resort: nothing goes without a name typed, an export of what was not sent, and a way
// back.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ResetCommandTests {
  let bench: Workbench
  let file: FilePath
  let original: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    original = bench["original.db"]
    try FitnessLog.create(file, version: 3, workouts: 10)
    try original.replaceContents(with: file.contents())
  }

  private var words: [any Word] { ["reset", file, "--schema", bench.contract] }

  @Test func `the name has to be typed`() throws {
    let before = try bench.look()
    let refused: [(words: [any Word], answers: [String]?, status: Int32)] = [
      ([], nil, 20), (["--yes"], nil, 20), (["--confirm", "app.db"], nil, 20),
      (["--yes", "--confirm", "App.db"], nil, 64), (["--yes", "--confirm", ""], nil, 64),
      ([], ["y"], 21), ([], ["yes"], 21), ([], [""], 21), ([], [], 21), (["--yes"], ["y"], 21),
      ([], ["other.db"], 21),
    ]
    for (more, answers, status) in refused {
      let ending = try bench.run(words + more, answers: answers)
      #expect(ending.status == status, "\(more) \(answers ?? []): \(ending.all)")
    }
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.run(words, answers: ["app.db"]).status == 0)
    #expect(try Oracle(file).count(of: "sets") == 0)
  }

  @Test func `a table with two marks of what was not sent is exported once`() throws {
    let queue = bench["queue.db"]
    try DatabaseBuilder([
      "CREATE TABLE note (id INTEGER PRIMARY KEY, a, is_synced INTEGER, dirty INTEGER)",
      "INSERT INTO note VALUES (1, 'x', 0, 0), (2, 'y', 1, 1), (3, 'z', 1, 0)",
    ]).build(at: queue)
    let schema = bench["queue.sql"]
    try schema.replaceContents(with: Bytes("CREATE TABLE note (id INTEGER PRIMARY KEY, a);".utf8))
    let ending = try bench.run(
      "reset", queue, "--schema", schema, "--yes", "--confirm", "queue.db", "--json")
    #expect(ending.status == 0, "\(ending.all)")
    let exported = try #require(try ending.json["exported"]?.elements, "\(ending.all)")
    #expect(exported.count == 1 && exported[0]["rows"] == .integer(2), "\(ending.all)")
  }

  @Test func `what was not sent is exported with the types of its values`() throws {
    let queue = bench["queue.db"]
    try DatabaseBuilder([
      "CREATE TABLE outbox (id INTEGER PRIMARY KEY, a, b)",
      "INSERT INTO outbox VALUES (1, 1.0, 1), (2, 9e999, -9e999)",
      "INSERT INTO outbox VALUES (3, 'a \"b\"/', x'01'), (4, '1', NULL)",
    ]).build(at: queue)
    let contract = bench["queue.json5"]
    try contract.replaceContents(
      with: Bytes(
        """
        {schema: 1, name: 'q', userVersion: 0, unsynced: [{name: 'o', table: 'outbox', where: '1'}],
        freshSchema: ['CREATE TABLE outbox (id INTEGER PRIMARY KEY, a, b)']}
        """.utf8))
    let ending = try bench.run(
      "reset", queue, "--schema", contract, "--yes", "--confirm", "queue.db")
    #expect(ending.status == 0, "\(ending.all)")
    let code = try #require(ending.record?.code)
    let folder = queue.adding(suffix: ".rescue").appending("quarantine").appending(
      FilePath("\(code)"))
    let text = try String(
      decoding: folder.appending("unsynced-outbox.jsonl").contents(), as: UTF8.self)
    #expect(
      text == """
        {"a":1.0,"b":1,"id":1}
        {"a":9e999,"b":-9e999,"id":2}
        {"a":"a \\"b\\"/","b":{"base64":"AQ=="},"id":3}
        {"a":"1","b":null,"id":4}

        """)
  }

  @Test func `a dry run shows the plan and changes nothing`() throws {
    let before = try bench.look()
    let text = try bench.run(words + ["--dry-run"])
    #expect(text.status == 0)
    #expect(text.output.contains("plan: start with an empty database"))
    let json = try bench.run(words + ["--dry-run", "--json"])
    #expect(json.status == 0)
    let tables = try #require(try json.json["tables"]?.elements)
    #expect(tables.allSatisfy { $0["kept"]?.number == 0 })
    let steps = try #require(try json.json["steps"]?.elements).compactMap { $0["name"]?.text }
    // Last before the rows go: until then more can come.
    #expect(
      steps == [
        "build-empty", "verify-new", "export-unsynced", "replace-content", "verify-installed",
      ])
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `what was not sent is exported row by row`() throws {
    let pending = try Connection(original, mode: .readOnly, schemaBy: .us).rows(
      "SELECT id, kind, row_id, payload, status FROM outbox WHERE status = 'pending' ORDER BY id")
    #expect(pending.count == 40)
    let ending = try bench.run(words + ["--yes", "--confirm", "app.db", "--json"])
    #expect(ending.status == 0, "\(ending.all)")
    let export = try #require(try ending.json["exported"]?.elements.first)
    #expect(export["rows"]?.number == pending.count)
    let path = FilePath(try #require(export["path"]?.text))
    let lines = try JSON.lines(String(decoding: path.contents(), as: UTF8.self))
    let rows: [JSON] = pending.map { row in
      .object([
        "id": .integer(Int(row[0].integerValue ?? 0)), "kind": .string(row[1].utf8String ?? ""),
        "row_id": .integer(Int(row[2].integerValue ?? 0)),
        "payload": .string(row[3].utf8String ?? ""), "status": .string(row[4].utf8String ?? ""),
      ])
    }
    let byID: (JSON, JSON) -> Bool = { ($0["id"]?.number ?? 0) < ($1["id"]?.number ?? 0) }
    #expect(lines.sorted(by: byID) == rows)
  }

  @Test func `rows are exported from a damaged database too`() throws {
    let damaged = try bench.place("zeroed-leaf.db", as: "damaged.db")
    let bytes = try damaged.contents()
    let ending = try bench.run(
      "reset", damaged, "--schema", bench.contract, "--yes", "--confirm", "damaged.db", "--json")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try ending.json["exported"]?.elements.first?["rows"]?.number == 40)
    let kept = FilePath(try #require(try ending.json["quarantine"]?.text))
    let isEvidence = try kept.appending("damaged.db").contents() == bytes
    #expect(isEvidence)
  }

  @Test(arguments: [FitnessLog.Journal.wal, .delete])
  func `the new database is what the schema says, and undo brings everything back`(
    _ journal: FitnessLog.Journal
  ) throws {
    let file = bench["live.db"]
    let copy = bench["copy.db"]
    try FitnessLog.create(file, version: 3, workouts: 10, seed: 3, journal: journal)
    try file.copyFileSet(to: copy)
    let ending = try bench.run(
      "reset", file, "--schema", bench.contract, "--yes", "--confirm", "live.db", "--json")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try ending.json["verdict"]?.text == "healthy")
    #expect(try bench.run("check", file, "--contract", bench.contract).status == 0)
    let oracle = try Oracle(file)
    for table in try oracle.tables { #expect(try oracle.count(of: table) == 0, "\(table)") }
    let code = try #require(try ending.json["code"]?.text)
    #expect(try bench.run("undo", code, file, "--yes").status == 0)
    #expect(try Oracle.firstDifference(expected: copy, actual: file) == nil)
  }

  @Test func `an undo of a reset counts new rows under old numbers as lost`() throws {
    let ending = try bench.run(words + ["--yes", "--confirm", "app.db", "--json"])
    let code = try #require(try ending.json["code"]?.text)
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(
      "INSERT INTO exercises (id, name, muscle_group) VALUES (1, 'new one', 'x'), (2, 'new', 'y')")
    let plan = try bench.run("undo", code, file, "--dry-run", "--json")
    let tables = try #require(try plan.json["tables"]?.elements)
    let exercises = try #require(tables.first { $0["table"]?.text == "exercises" })
    #expect(exercises["lost"]?["rows"]?.number == 2, "\(plan.all)")
    #expect(try plan.json["verdict"]?.text == "healthy")
    let done = try bench.run("undo", code, file, "--yes")
    #expect(done.all.contains("2 rows that came in since are only in the files"), "\(done.all)")
    #expect(done.output.contains("app.db: now healthy"), "\(done.all)")
    #expect(try #require(done.record).flags.rowsLost)
  }

  @Test func `a reset needs a schema that builds`() throws {
    let before = try bench.look()
    #expect(try bench.run("reset", file, "--yes", "--confirm", "app.db").status == 64)
    let photo = Checkout.samples.appending("not-a-database.jpg")
    let bad = try bench.run("reset", file, "--schema", photo, "--yes", "--confirm", "app.db")
    #expect(bad.status == 65)
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a database of a newer app is not reset`() throws {
    let newer = try bench.place("newer-v5.db")
    let before = try bench.look()
    let ending = try bench.run(
      "reset", newer, "--schema", bench.contract, "--yes", "--confirm", "newer-v5.db")
    #expect(ending.status == 11)
    #expect(ending.error.contains("newer"))
    #expect(try before.changes(until: bench.look()) == [])
  }
}
