// SPDX-License-Identifier: Apache-2.0
// What is said of rollback journals.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct JournalCheckTests {
  private func findings(_ name: String, _ change: (inout Bytes) -> Void = { _ in }) throws
    -> [Finding]
  {
    let scratch = try ScratchFolder()
    let path = try Recipe.named(name).build(in: scratch.path)
    var journal = try path.adding(suffix: "-journal").contents()
    change(&journal)
    return JournalCheck.findings(in: Survey(main: try path.contents(), journal: journal))
  }

  @Test func `a hot journal is worth a notice`() throws {
    let findings = try findings("hot-journal")
    #expect(findings.map(\.code) == [.hotJournal])
    let words = try #require(findings.first?.message)
    #expect(words.hasPrefix("a transaction was cut off; "))
    #expect(words.hasSuffix(" taken from the -journal"))
  }

  @Test func `a journal whose header is zero is stale`() throws {
    let findings = try findings("journal-persisted")
    #expect(findings.map(\.code) == [.journalStale])
    #expect(findings.first?.message == "the -journal is not hot and is not applied")
  }

  @Test func `a hot journal that breaks off is a loss`() throws {
    let findings = try findings("hot-journal") { journal in
      // The checksum of the first record.
      let (sector, pageSize) = (Int(journal.bigEndian(at: 20)), Int(journal.bigEndian(at: 24)))
      journal[sector + 4 + pageSize] ^= 1
    }
    #expect(findings.map(\.code) == [.hotJournal, .journalDamaged])
    #expect(findings.last?.message == "the -journal breaks before its end")
    #expect(findings.last?.severity == .loss)
  }
}
