// SPDX-License-Identifier: Apache-2.0
// That the page map shows each page, few enough squares, and never hides the worst.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct PageMapTests {
  private func map(_ survey: Survey) throws -> PageMap {
    try #require(PageMap(of: survey, Reconstruction(survey).findings))
  }

  /// A table with so many rows, each on a leaf of its own.
  private func build(leaves: Int, at path: FilePath) throws {
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE t (a)",
        """
        INSERT INTO t WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c
        WHERE n < \(leaves)) SELECT zeroblob(450) FROM c
        """,
      ]
    ).build(at: path)
  }

  @Test func `every page of a small database has a square`() throws {
    let map = try map(ReportFixture.survey(sample: "zeroed-leaf.db"))
    #expect(map.cells.count == 103 && map.pagesPerCell == 1)
    #expect(map.counts.values.reduce(0, +) == 103)
    #expect(map.kind(of: map.cells[48]) == .damaged)
    #expect(map.damaged == [49])
    #expect(map.kind(of: map.cells[0]) == .system)
    #expect(map.counts[.free] == 2)
    #expect(map.counts[.index] == 8)
  }

  @Test func `a damaged page shows without its colour`() throws {
    let map = try map(ReportFixture.survey(sample: "zeroed-leaf.db"))
    let squares = map.drawing.source.split(separator: "\n").filter { $0.contains("h22v22") }
    #expect(squares.count > 2)
    for square in squares {
      let isDamaged = square.contains("class=\"damaged\"")
      #expect(square.contains("zl22 22m0-22l-22 22") == isDamaged)
    }
  }

  @Test func `a name in the legend keeps its writing direction to itself`() throws {
    let map = try map(ReportFixture.survey(sample: "zeroed-leaf.db"))
    let name = try #require(map.owners.first?.name)
    #expect(map.drawing.source.contains("table <bdi class=\"name\">\(name)</bdi>: "))
  }

  @Test func `pages beyond the end of a cut file are missing`() throws {
    let map = try map(ReportFixture.survey(sample: "truncated.db"))
    #expect(map.pageCount == 103)
    #expect(map.counts[.missing] == 41)
    #expect(map.cells.last.map(map.kind) == .missing)
  }

  @Test func `pages that no tree leads to belong to nothing`() throws {
    let map = try map(ReportFixture.survey(sample: "lost-root.db"))
    #expect(map.counts[.unowned] == 4)
  }

  @Test func `many pages share squares, and damage shows`() throws {
    try ScratchFolder.with { folder in
      let path = folder["large.db"]
      try build(leaves: 9000, at: path)
      let survey = try ReportFixture.survey(path)
      let sound = try #require(
        PageMap(of: survey, Reconstruction(survey).findings, cellLimit: 4000))
      #expect(sound.pageCount > 8000)
      #expect(sound.cells.count <= 4000)
      #expect(sound.cells.allSatisfy { sound.kind(of: $0) != .damaged })
      // Pages that share a point have the colour of their table.
      #expect(sound.cells.contains { $0 >= PageMap.firstOwnerColour })
      // With room, each page has a point.
      let whole = try map(survey)
      #expect(whole.pagesPerCell == 1 && whole.cells.count == whole.pageCount)
      #expect(whole.drawing.source.contains("data:image/png;base64,"))
      let bytes = Damage.zeroPage(7001).applied(to: try path.contents(), pageSize: 512)
      try path.replaceContents(with: bytes)
      let broken = try ReportFixture.survey(path)
      let hurt = try #require(PageMap(of: broken, Reconstruction(broken).findings, cellLimit: 4000))
      #expect(hurt.kind(of: hurt.cells[7000 / hurt.pagesPerCell]) == .damaged)
      #expect(hurt.counts[.damaged] == 1)
      #expect(hurt.drawing.source.contains("shows the worst of them"))
      #expect(hurt.drawing.source.utf8.count < 200_000)
    }
  }

  @Test func `every damaged page shows, however many there are`() throws {
    try ScratchFolder.with { folder in
      let path = folder["app.db"]
      try build(leaves: 2000, at: path)
      let leaves = try Oracle(path).pages.filter { $0.kind == "leaf" }.map(\.number).suffix(1000)
      let bytes = leaves.reduce(try path.contents()) { bytes, page in
        Damage.zeroPage(page).applied(to: bytes, pageSize: 512)
      }
      try path.replaceContents(with: bytes)
      let map = try map(ReportFixture.survey(path))
      #expect(map.counts[.damaged] == 1000)
      #expect(leaves.allSatisfy { map.kind(of: map.cells[$0 - 1]) == .damaged })
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

extension PageMap {
  /// What a cell shows.
  fileprivate func kind(of cell: UInt8) -> Kind {
    guard cell >= Self.firstOwnerColour else {
      return Kind.allCases.first { $0.colour == cell } ?? .unowned
    }
    return owners[Int(cell - Self.firstOwnerColour)].isIndex ? .index : .table
  }
}
