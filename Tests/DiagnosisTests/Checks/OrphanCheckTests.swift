// SPDX-License-Identifier: Apache-2.0
// What is said of pages of rows that no tree leads to.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OrphanCheckTests {
  @Test func `rows that their table gets back are damage`() throws {
    let specimen = try Specimen()
    let root = try specimen.root(of: "note")
    let finding = try #require(specimen.with(.zeroPage(root)).said(.orphanRows).first)
    #expect(
      finding.message
        == "301 rows of 'note' lie on pages that its tree has lost; indexes, rowids or their form "
        + "prove whose they are")
    #expect(finding.place.object == "note")
    #expect(finding.severity == .damage)
  }

  @Test func `pages behind the end of a whole database hold nothing that is lost`() throws {
    let old = try Specimen()
    var specimen = try Specimen("DROP TABLE word; DELETE FROM note WHERE id > 50; VACUUM")
    specimen.bytes += old.bytes.dropFirst(specimen.bytes.count)
    let findings = Survey(main: specimen.bytes).findings
    #expect(findings.map(\.code) == [.pageCountMismatch])
    #expect(findings.map(\.severity) == [.notice])
    // Where a tree misses pages, they may be among those.
    let damaged = specimen.with(.zeroPage(try specimen.root(of: "note")))
    #expect(!damaged.said(.orphanRows).isEmpty)
  }

  @Test func `what a value holds is no row, whatever it looks like`() throws {
    var specimen = try Specimen()
    let leaf = try #require(specimen.pages(of: "note", "leaf").first)
    let rows = Bytes(specimen.bytes[specimen[page: leaf]].dropFirst(4))
    // 35 bytes and three times 508 fill three overflow pages, each as the leaf looks from its 5th byte.
    let value = Bytes([UInt8](repeating: 1, count: 35)) + rows + rows + rows
    let digits = value.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
    specimen = try Specimen("INSERT INTO letter VALUES (3, x'\(digits)')")
    let damaged = specimen.with(.zeroPage(try specimen.root(of: "note")))
    #expect(damaged.said(.orphanRows).map(\.place.object) == ["note"])
  }
}
