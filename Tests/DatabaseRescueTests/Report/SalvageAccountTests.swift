// SPDX-License-Identifier: Apache-2.0
// What the account of a salvage says, word for word.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import DatabaseRescue

@Suite struct SalvageAccountTests {
  @Test func `the text of a salvage with doubtful rows`() throws {
    let expected = """
      wrong-page.db → rescued.db: partial — what could be read is in the fresh database; \
      rows are lost or set aside
      support code \(ReportFixture.code)

        tables             seen  = written  + duplicates  + set aside  lost
        exercises            20         20             0            0  none
        workouts             18         18             0            0  none
        outbox              148        148             0            0  none
        notes                 7          7             0            0  none
        sets                103        103             0            0  exactly 45 rows
        of no known table    10          0             0           10  none
        together            306        296             0           10  exactly 45 rows

      rowids at which rows are missing
        sets: 43-87

      doubtful rows
        10 rows set aside in rescued.db.quarantine.db, each with its table, page, byte
        and reason
        rows that a table lost may be among them
        what is left of 45 lost rows is in rescued.db.quarantine.db too

      SQLite’s check of rescued.db: ok

      next: dbrescue check rescued.db

      """
    #expect(try ReportFixture.account(sample: "wrong-page.db").text == expected)
  }

  @Test func `a complete salvage says so`() throws {
    let account = try ReportFixture.account(sample: "wiped-header.db")
    #expect(account.isComplete && account.quarantine == nil)
    #expect(
      account.text.hasPrefix(
        "wiped-header.db → rescued.db: complete — every row of every table is in the fresh database"
      ))
    #expect(account.html.contains("<strong>No row is lost.</strong>"))
  }

  @Test func `what was not made and what does not hold is named`() {
    var balance = Balance(table: "notes")
    balance.seen = 5
    balance.written = 4
    let report = SalvageReport(
      output: "/home/alice/new.db", quarantine: "/home/alice/new.db.quarantine.db",
      balances: [balance], unrestored: [("totals", "no such column: weight")],
      notes: ["run ANALYZE"], integrityProblems: ["row 3 missing from index i"],
      danglingReferences: [("sets", 1)])
    let account = SalvageAccount(
      of: report, file: "/home/alice/old.db", code: ReportFixture.code,
      created: ReportFixture.created)
    #expect(account.word == "unsound")
    for words in [
      "do not use the fresh database yet", "totals: no such column: weight", "run ANALYZE",
      "row 3 missing from index i", "1 row of 'sets' refers to rows that are not there",
      "next: dbrescue diagnose new.db",
    ] {
      #expect(account.text.contains(words), "\(words)")
    }
    #expect(account.html.contains("does not hold"))
  }

  @Test func `where rows are missing is told by their rowids`() {
    var balance = Balance(table: "notes")
    balance.lost = .atLeast(20)
    balance.missing.add(.init(first: 120, last: 340))
    balance.missing.add(.init(first: 512, last: 512, rows: 1))
    for start in 1...8 {
      balance.missing.add(.init(first: Int64(start) * 1000, last: nil))
    }
    let report = SalvageReport(
      output: "new.db", quarantine: nil, balances: [balance], unrestored: [], notes: [],
      integrityProblems: [], danglingReferences: [])
    let account = SalvageAccount(
      of: report, file: "old.db", code: ReportFixture.code, created: ReportFixture.created)
    #expect(
      account.text.contains(
        """
        rowids at which rows are missing
          notes: 120-340, 512, 1000 and above, 2000 and above, 3000 and above, 4000 and
          above, 5000 and above, 6000 and above … and 2 more
        """))
    #expect(account.html.contains("notes: 120-340, 512"))
  }

  @Test func `no folder gets into an account`() throws {
    let report = SalvageReport(
      output: "/home/alice/new.db", quarantine: "/home/alice/new.db.quarantine.db", balances: [],
      unrestored: [], notes: [], integrityProblems: [], danglingReferences: [])
    let account = SalvageAccount(
      of: report, file: PlainName("/home/alice/old.db"), code: ReportFixture.code,
      created: ReportFixture.created)
    for rendering in try account.renderings() { #expect(!rendering.contains("alice")) }
  }

  @Test func `JSON has the documented members and no other`() throws {
    let documented = try JSON.published("salvage")
    var balance = Balance(table: "t")
    (balance.seen, balance.written, balance.lost) = (1, 1, .exactly(3))
    balance.missing.add(.init(first: 4, last: 9, rows: 3))
    var report = SalvageReport(
      output: "new.db", quarantine: "q.db", balances: [balance],
      unrestored: [("v", "r")], notes: ["n"], integrityProblems: ["p"],
      danglingReferences: [("t", 2)])
    report.origins = [
      RestoredRows(table: "t", backup: "b.gz", created: ReportFixture.created, rows: 2)
    ]
    report.reservations = ["b"]
    report.unchecked = [Unchecked(.keys, of: "i", because: "r")]
    func paths(_ account: SalvageAccount) throws -> Set<String> {
      try JSON(account.json()).paths()
    }
    let full = SalvageAccount(
      of: report, file: "old.db",
      inputs: [
        .init(name: "old.db", before: "00", after: "00"),
        .init(name: "sparse.db", before: "partial-sha256:00", after: "partial-sha256:00"),
      ],
      code: ReportFixture.code, created: ReportFixture.created)
    #expect(try paths(full) == documented)
    #expect(try paths(ReportFixture.account(sample: "lost-root.db")).isSubset(of: documented))
  }
}
