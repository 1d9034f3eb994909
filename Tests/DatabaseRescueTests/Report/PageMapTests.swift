// SPDX-License-Identifier: Apache-2.0
// That the page map shows each page, few enough squares, and never hides the worst.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct PageMapTests {
  private func map(_ survey: Survey) throws -> PageMap {
    try #require(PageMap(of: survey, survey.findings))
  }

  @Test func `every page of a small database has a square`() throws {
    let map = try map(ReportFixture.survey(sample: "zeroed-leaf.db"))
    #expect(map.cells.count == 103 && map.pagesPerCell == 1)
    #expect(map.counts.values.reduce(0, +) == 103)
    #expect(map.cells[48].kind == .damaged)
    #expect(map.cells[0] == PageMap.Cell(kind: .system, owner: nil))
    #expect(map.counts[.free] == 2)
    #expect(map.counts[.index] == 8)
  }

  @Test func `pages beyond the end of a cut file are missing`() throws {
    let map = try map(ReportFixture.survey(sample: "truncated.db"))
    #expect(map.pageCount == 103)
    #expect(map.counts[.missing] == 41)
    #expect(map.cells.last?.kind == .missing)
  }

  @Test func `pages that no tree leads to belong to nothing`() throws {
    let map = try map(ReportFixture.survey(sample: "lost-root.db"))
    #expect(map.counts[.unowned] == 4)
  }

  @Test func `many pages share squares, and damage shows`() throws {
    try ScratchFolder.with { folder in
      let path = folder["large.db"]
      try DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE t (a)",
          """
          INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c
          WHERE n < 9000) SELECT zeroblob(450) FROM c
          """,
        ]
      ).build(at: path)
      let sound = try map(ReportFixture.survey(path))
      #expect(sound.pageCount > 2 * PageMap.cellLimit)
      #expect(sound.cells.count <= PageMap.cellLimit)
      #expect(sound.cells.allSatisfy { $0.kind != .damaged })
      let bytes = Damage.zeroPage(7001).applied(to: try path.contents(), pageSize: 512)
      try path.replaceContents(with: bytes)
      let hurt = try map(ReportFixture.survey(path))
      #expect(hurt.cells[7000 / hurt.pagesPerCell].kind == .damaged)
      #expect(hurt.counts[.damaged] == 1)
      #expect(hurt.drawing.source.contains("shows the worst of them"))
      #expect(hurt.drawing.source.utf8.count < 200_000)
    }
  }

  @Test func `a page count that cannot be true does not empty the map`() throws {
    try ScratchFolder.with { folder in
      let path = folder["app.db"]
      try DatabaseBuilder(pageSize: 512, ["CREATE TABLE t (a)"]).build(at: path)
      var bytes = try path.contents()
      for offset in 28..<32 { bytes[offset] = 0xFF }
      try path.replaceContents(with: bytes)
      let map = try map(ReportFixture.survey(path))
      #expect(map.pageCount == 2 && map.counts[.missing] == nil)
    }
  }
}
