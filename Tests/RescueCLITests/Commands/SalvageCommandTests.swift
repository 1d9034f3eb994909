// SPDX-License-Identifier: Apache-2.0
// What a salvage hands over: a sound database, no row that was not there, and an account that adds
// up.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvageCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// What the account says of one table.
  struct Account {
    let name: String?
    let seen: Int
    let written: Int
    let duplicates: Int
    let quarantined: Int
    /// Of these, rows that were never committed.
    let uncommitted: Int
    /// How much is known of lost rows: `none`, `exactly`, `at-least` or `unknown`.
    let loss: String
    /// How many rows are lost, as far as that is known.
    let lost: Int?

    init(_ json: JSON) throws {
      name = json["table"]?.text
      seen = try #require(json["seen"]?.number)
      written = try #require(json["written"]?.number)
      duplicates = try #require(json["duplicates"]?.number)
      quarantined = try #require(json["quarantined"]?.number)
      uncommitted = try #require(json["uncommitted"]?.number)
      loss = try #require(json["lost"]?["kind"]?.text)
      lost = json["lost"]?["rows"]?.number
    }

    /// Whether every row is in the new file.
    var isComplete: Bool { seen == written + uncommitted && loss == "none" }

    /// So many rows are lost, where that is said exactly.
    var exactLoss: Int? {
      loss == "none" || loss == "exactly" ? lost : nil
    }
  }

  /// Salvages a file and holds the result against the original; gives the account by table.
  @discardableResult
  private func salvage(
    _ file: FilePath, original: FilePath, more words: [any Word] = []
  ) throws -> (ending: Ending, accounts: [Account]) {
    let output = bench[FilePath("salvaged-\(file.name).db")]
    let before = try bench.look()
    let ending = try bench.run(["salvage", file, "--output", output, "--json"] + words)
    #expect(try before.changes(until: bench.look()).allSatisfy { $0.hasPrefix("added salvaged-") })
    let json = try ending.json
    let accounts = try #require(json["tables"]?.elements).map(Account.init)

    let (new, old) = (try Oracle(output), try Oracle(original))
    #expect(try new.integrityErrors == [])
    #expect(json["integrityProblems"]?.elements == [])
    for account in accounts {
      #expect(account.seen == account.written + account.duplicates + account.quarantined)
      guard let name = account.name, try new.tables.contains(name) else { continue }
      #expect(try new.count(of: name) == account.written, "\(name)")
      let known = Set(try old.rows(of: name))
      let invented = try new.rows(of: name).filter { !known.contains($0) }
      #expect(invented == [], "\(name)")
      if let loss = account.exactLoss, account.quarantined == 0 {
        #expect(account.written + account.duplicates + loss == known.count, "\(name)")
      }
    }
    try checkQuarantine(json, accounts, output)
    let isComplete =
      accounts.allSatisfy(\.isComplete) && json["unrestored"]?.elements.isEmpty == true
    #expect(json["complete"]?.bool == isComplete)
    #expect((ending.status == 0) == isComplete, "\(ending.status)")
    #expect([0, 13, 14].contains(ending.status))
    return (ending, accounts)
  }

  /// The rows that were set aside lie in a file of their own, each with its place and reason.
  private func checkQuarantine(
    _ json: JSON, _ accounts: [Account], _ output: FilePath
  ) throws {
    let aside = accounts.reduce(0) { $0 + $1.quarantined }
    let quarantine = output.adding(suffix: ".quarantine.db")
    let isExpected = aside > 0 || accounts.contains { $0.loss != "none" }
    #expect(try quarantine.exists == isExpected)
    #expect(json["quarantine"]?.text == (isExpected ? quarantine.name.description : nil))
    guard isExpected else { return }
    let oracle = try Oracle(quarantine)
    #expect(try oracle.integrityErrors == [])
    #expect(try oracle.count(of: "rows") + oracle.count(of: "conflicts") == aside)
    for table in ["rows", "conflicts"] {
      let nameless = try oracle.value(
        "SELECT count(*) FROM \(table) WHERE page IS NULL OR \"offset\" IS NULL OR reason IS NULL")
      #expect(nameless == .integer(0))
    }
  }

  @Test(arguments: SampleRow.all.filter { [0, 12, 13, 14].contains($0.status) })
  func `a sample is salvaged without inventing anything`(_ sample: SampleRow) throws {
    let file = try bench.place(FilePath(sample.name))
    // Damaged samples come of the healthy one; the others are their own truth.
    let isDamaged = sample.status >= 13
    let original =
      isDamaged
      ? Checkout.samples.appending("healthy-v4.db")
      : Checkout.samples.appending(FilePath(sample.name))
    guard sample.name != "freelist-loop.db" else {
      // Its notes were deleted: SQLite reads all of it.
      try salvage(file, original: file)
      return
    }
    let (ending, accounts) = try salvage(file, original: original)
    switch sample.status {
    case 0, 12: #expect(ending.status == 0)
    case 14: #expect(ending.status == 14)
    // Whether the row or the index is right, nothing tells.
    case _ where sample.name == "index-disagrees.db":
      #expect(accounts.contains { $0.quarantined == 1 })
    // Every row is there, and what its statement said is a guess.
    case _ where sample.name == "broken-schema-sql.db": #expect(ending.status == 13)
    default: #expect(ending.status == 0)
    }
  }

  @Test func `a file whose schema is lost is not complete`() throws {
    let healthy = Checkout.samples.appending("healthy-v4.db")
    let file = bench["app.db"]
    try file.replaceContents(
      with: Damage.zeroPage(1).applied(to: healthy.contents(), pageSize: 4096))
    let (ending, accounts) = try salvage(file, original: healthy)
    #expect(ending.status == 14)
    #expect(accounts.contains { $0.name == nil && $0.loss == "unknown" })
  }

  @Test func `rows of a lost root come back where an index proves whose they are`() throws {
    let file = try bench.place("lost-root.db")
    let healthy = Checkout.samples.appending("healthy-v4.db")
    let (ending, accounts) = try salvage(file, original: healthy)
    #expect(ending.status == 0)
    let sets = try #require(accounts.first { $0.name == "sets" })
    #expect(try sets.isComplete && sets.written == Oracle(healthy).count(of: "sets"))
  }

  @Test func `rows of a lost root are set aside where nothing proves whose they are`() throws {
    let file = bench["app.db"]
    // Two tables of one shape, without an index: nothing tells their leaves apart.
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE first (id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE TABLE second (id INTEGER PRIMARY KEY, body TEXT)",
        """
        INSERT INTO first SELECT value, hex(zeroblob(40))
        FROM (WITH RECURSIVE n(value) AS (VALUES (1) UNION ALL SELECT value + 1 FROM n LIMIT 90)
          SELECT value FROM n)
        """, "INSERT INTO second SELECT id, body FROM first",
      ]
    ).build(at: file)
    let original = bench["original.db"]
    try file.copyFileSet(to: original)
    for root in [2, 3] {
      try file.replaceContents(
        with: Damage.zeroPage(root).applied(to: file.contents(), pageSize: 512))
    }
    try salvage(file, original: original)
    let quarantine = try Oracle(bench["salvaged-app.db.db.quarantine.db"])
    #expect(
      try quarantine.value(#"SELECT count(*) FROM rows WHERE "table" IS NULL"#) == .integer(180))
  }

  @Test func `rows of version 3 go into version 4, with its defaults and its limits`() throws {
    let file = bench["app.db"]
    try FitnessLog.create(file, version: 3, workouts: 60)
    let without = try #require(
      try Oracle(file).value("SELECT count(*) FROM sets WHERE weight_kg IS NULL")?.integerValue)
    #expect(without > 0)
    let output = bench["new.db"]
    let ending = try bench.run(
      "salvage", file, "--output", output, "--schema", bench.contract, "--json")
    // NULL was stored, and version 4 forbids it: to write the default would invent a value.
    #expect(ending.status == 14)
    let check = try bench.run("check", output, "--contract", bench.contract)
    #expect(check.status == 0, "\(check.all)")
    let oracle = try Oracle(output)
    #expect(
      try oracle.value("SELECT group_concat(DISTINCT timezone) FROM workouts") == .text("UTC"))
    let difference = firstDifference(
      expected: try oracleRows(file, "workouts").map { row in
        ExactRow(rowID: row.rowID, row.values + [.text("UTC")])
      }, actual: try oracle.rows(of: "workouts"))
    #expect(difference == nil)
    let aside = try Oracle(output.adding(suffix: ".quarantine.db"))
    #expect(try aside.count(of: "conflicts") == Int(without))
    #expect(try oracle.count(of: "sets") + Int(without) == Oracle(file).count(of: "sets"))
  }

  @Test func `the report is text for people too`() throws {
    let file = try bench.place("wrong-page.db")
    let ending = try bench.run("salvage", file, "--output", bench["new.db"])
    #expect(ending.status == 14)
    for line in ["tables", "seen", "exercises", "doubtful rows", "partial"] {
      #expect(ending.output.contains(line))
    }
  }

  @Test(arguments: ["txt", "json", "html"])
  func `the report is written to a file`(_ format: String) throws {
    let file = try bench.place("wrong-page.db")
    let report = bench[FilePath("report.\(format)")]
    try bench.run("salvage", file, "--output", bench["new.db"], "--report", report)
    #expect(try String(decoding: report.contents(), as: UTF8.self).contains("wrong-page.db"))
  }

  // MARK: A real database

  static let chinook = SharedData.file("chinook.sqlite")
  private static let missing = SharedData.missing("chinook.sqlite")

  @Test(.enabled(if: chinook != nil, "\(missing)"))
  func `a real database is salvaged whole`() throws {
    let original = try #require(Self.chinook)
    let file = bench["chinook.db"]
    try original.copyFileSet(to: file)
    let (ending, accounts) = try salvage(file, original: original)
    #expect(ending.status == 0)
    #expect(accounts.reduce(0) { $0 + $1.written } == 15_607)
    let output = bench["salvaged-chinook.db.db"]
    #expect(try Oracle.firstDifference(expected: original, actual: output) == nil)
  }

  @Test(
    .enabled(if: chinook != nil, "\(missing)"),
    arguments: [Damage.truncatePercent(60), .zeroPage(100), .wipeHeader, .prepend(count: 333)])
  func `a real database is salvaged as far as it can be read`(_ damage: Damage) throws {
    let original = try #require(Self.chinook)
    let bytes = try original.contents()
    let pageSize = Int(bytes[16]) << 8 | Int(bytes[17])
    let file = bench["chinook.db"]
    try file.replaceContents(with: damage.applied(to: bytes, pageSize: pageSize))
    let (ending, accounts) = try salvage(file, original: original)
    let written = accounts.reduce(0) { $0 + $1.written }
    // Page 100 is one of an index, which is made anew.
    if case .truncatePercent = damage {
      #expect(ending.status == 14)
      #expect(written > 6_000)
    } else {
      #expect(ending.status == 0)
      #expect(written == 15_607)
    }
  }

  @Test(.enabled(if: chinook != nil, "\(missing)"))
  func `a leaf that is gone costs its rows and no others`() throws {
    let original = try #require(Self.chinook)
    let leaf = try #require(
      try Oracle(original).pages.first { $0.object == "InvoiceLine" && $0.kind == "leaf" })
    let file = bench["chinook.db"]
    try file.replaceContents(
      with: Damage.zeroPage(leaf.number).applied(to: try original.contents(), pageSize: 4096))
    let (ending, accounts) = try salvage(file, original: original)
    #expect(ending.status == 14)
    let lossy = accounts.filter { !$0.isComplete }
    #expect(lossy.map(\.name) == ["InvoiceLine"])
    let loss = try #require(lossy.first?.exactLoss)
    #expect(loss > 10)
  }
}
