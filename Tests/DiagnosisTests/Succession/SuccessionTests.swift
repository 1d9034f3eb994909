// SPDX-License-Identifier: Apache-2.0
// What an app may do to its database between two backups, and what only somebody else can have done.

import Diagnosis
import SQLiteFormat
import Testing

@Suite struct SuccessionTests {
  private static func mark(
    _ counter: UInt32, _ rows: Int, _ hash: String, sequence: Int64? = nil
  ) -> StateMark {
    StateMark(
      changeCounter: counter, sequences: sequence.map { ["t": $0] } ?? [:],
      tables: [StateMark.Table(name: "t", rows: rows, contentHash: hash)])
  }

  private static func codes(
    _ now: StateMark, after then: StateMark, older: [StateMark] = [], isOldFile: Bool = true,
    lossMax: Int? = nil, shares: Bool = false, isMadeAnew: Bool = false
  ) -> [FindingCode] {
    var evidence = Succession.Evidence(
      isOldFile: isOldFile, lossMax: lossMax, sharesPages: { _ in shares })
    evidence.isMadeAnew = { _ in isMadeAnew }
    return Succession(
      of: now, after: Succession.Earlier("NEWEST", then),
      older: older.enumerated().map { Succession.Earlier("OLDER\($0.offset)", $0.element) },
      evidence: evidence
    ).findings.filter { $0.severity > .notice || $0.code == .databaseOlder }.map(\.code)
  }

  @Test func `a file whose counter fell is another file`() {
    let then = Self.mark(9, 1000, "b")
    #expect(Self.codes(Self.mark(4, 500, "a"), after: then) == [.databaseOlder])
    #expect(Self.codes(Self.mark(4, 1500, "a"), after: then) == [.databaseOlder])
    // The same rows, as after VACUUM INTO and a rename.
    #expect(Self.codes(Self.mark(1, 1000, "b"), after: then) == [])
    // One that was made since is a new installation, as far as anybody can tell.
    #expect(Self.codes(Self.mark(4, 500, "a"), after: then, isOldFile: false) == [])
    // The counter begins again after its last value.
    #expect(Self.codes(Self.mark(2, 900, "a"), after: Self.mark(.max - 3, 800, "b")) == [])
  }

  @Test func `rows that changed while no commit was counted are not SQLite's`() {
    func mark(_ counter: UInt32, _ hash: String, counts: Bool = true) -> StateMark {
      var mark = Self.mark(counter, 1000, hash)
      mark.countsCommits = counts
      return mark
    }
    let then = mark(9, "a")
    #expect(Self.codes(mark(9, "b"), after: then) == [.changedUncounted])
    #expect(Self.codes(mark(9, "a"), after: then) == [])
    #expect(Self.codes(mark(10, "b"), after: then) == [])
    // With a log, commits are not counted; and another file counts from the beginning.
    #expect(Self.codes(mark(9, "b", counts: false), after: then) == [])
    #expect(Self.codes(mark(9, "b"), after: mark(9, "a", counts: false)) == [])
    #expect(Self.codes(mark(9, "b"), after: then, isOldFile: false) == [])
    // Another database that an app has made with as many commits has no page in common.
    #expect(Self.codes(mark(9, "b"), after: then, isMadeAnew: true) == [])
  }

  @Test func `the very state of an older backup is named`() throws {
    let then = Self.mark(9, 1000, "c", sequence: 1000)
    let older = [Self.mark(6, 800, "b", sequence: 800), Self.mark(4, 500, "a", sequence: 500)]
    let succession = Succession(
      of: older[1], after: Succession.Earlier("NEWEST", then),
      older: [Succession.Earlier("MIDDLE", older[0]), Succession.Earlier("OLDEST", older[1])],
      evidence: Succession.Evidence(isOldFile: false))
    let finding = try #require(succession.findings.first)
    #expect(finding.code == .databaseOlder && finding.severity == .warning)
    #expect(finding.message.contains("NEWEST") && finding.message.contains("backup OLDEST holds"))
    #expect(
      succession.losses == [Succession.Loss(table: "t", before: 1000, after: 500)])
    // A row that came and went leaves the rows of an older backup, and a higher counter.
    #expect(Self.codes(Self.mark(11, 500, "a"), after: then, older: older) == [])
    // An app that starts from nothing again has the rows of its first, empty backup.
    #expect(
      Self.codes(
        Self.mark(1, 0, "0"), after: then, older: [Self.mark(1, 0, "0")], isOldFile: false) == [])
  }

  @Test func `an AUTOINCREMENT counter that fell is told from one that was set back`() {
    let then = Self.mark(9, 1000, "b", sequence: 1000)
    let now = Self.mark(9, 500, "a", sequence: 500)
    #expect(Self.codes(now, after: then, shares: true) == [.databaseOlder])
    #expect(Self.codes(now, after: then, shares: false) == [])
    #expect(Self.codes(Self.mark(12, 500, "a", sequence: 500), after: then, shares: true) == [])
    #expect(Self.codes(Self.mark(9, 0, "0"), after: then, shares: true) == [])
    #expect(
      Self.codes(
        Self.mark(12, 500, "a", sequence: 500), after: then,
        older: [Self.mark(4, 500, "a", sequence: 500)]) == [.databaseOlder])
  }

  @Test func `lost rows are a note, and a refusal above the limit`() throws {
    let then = StateMark(
      changeCounter: 5, sequences: [:],
      tables: [
        .init(name: "t", rows: 100, contentHash: "a"),
        .init(name: "log", rows: 10, contentHash: "b"),
      ])
    let now = StateMark(
      changeCounter: 7, sequences: [:], tables: [.init(name: "t", rows: 90, contentHash: "c")])
    func findings(_ limit: Int?, free: Set<Name> = []) -> [Finding] {
      Succession(
        of: now, after: Succession.Earlier("NEWEST", then), older: [],
        evidence: Succession.Evidence(isOldFile: true, lossMax: limit, freeTables: free)
      ).findings
    }
    let note = try #require(findings(nil).first)
    #expect(note.code == .rowsFewer && note.severity == .notice)
    #expect(note.message.contains("'t' has 90 rows and had 100"))
    #expect(note.message.contains("'log' with 10 rows is gone"))
    #expect(findings(50).map(\.severity) == [.warning])
    #expect(findings(50, free: ["log"]).map(\.severity) == [.notice])
    #expect(findings(50, free: ["LOG"]).map(\.severity) == [.notice])
    #expect(findings(9, free: ["log"]).map(\.severity) == [.warning])
    #expect(findings(10, free: ["log"]).map(\.severity) == [.notice])
  }

  @Test func `a table that has another name is not gone`() throws {
    func mark(_ tables: (name: Name, rows: Int, hash: String?)...) -> StateMark {
      StateMark(
        changeCounter: 5, sequences: [:],
        tables: tables.map { .init(name: $0.name, rows: $0.rows, contentHash: $0.hash) })
    }
    func losses(_ now: StateMark, _ then: StateMark, _ given: [Name: Name] = [:]) -> [String] {
      Succession(
        of: now, after: Succession.Earlier("NEWEST", then), older: [],
        evidence: Succession.Evidence(isOldFile: true, lossMax: 1, renamedTables: given)
      ).findings.map(\.message)
    }
    let then = mark(("a", 100, "A"), ("b", 150, "B"))
    #expect(losses(mark(("a", 100, "A"), ("c", 150, "B")), then) == [])
    #expect(losses(mark(("b", 100, "A"), ("c", 150, "B")), then) == [])
    // The same rows beside their table, and the rows of a table that is there as well.
    #expect(losses(mark(("a", 0, "0"), ("b", 150, "B"), ("c", 100, "A")), then).count == 1)
    #expect(losses(mark(("b", 150, "B"), ("c", 150, "B")), then).count == 1)
    #expect(losses(mark(("a", 100, "A"), ("c", 150, "C")), then).count == 1)
    #expect(losses(mark(("a", 100, "A"), ("c", 150, nil)), then).count == 1)
    // Rows came and went since; a contract says which table it is.
    let given: [Name: Name] = ["a": "b", "b": "c"]
    #expect(losses(mark(("b", 101, "D"), ("c", 151, "E")), then, given) == [])
    #expect(
      losses(mark(("b", 90, "D"), ("c", 151, "E")), then, given) == [
        "since backup NEWEST, 'a', now 'b', has 90 rows and had 100, which is more than 1 %"
      ])
  }
}
