// SPDX-License-Identifier: Apache-2.0
// The stretches of a table in which rows are missing, where a leaf of it is gone.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct GapTests {
  @Test func `a lost leaf leaves the rowids between its neighbours`() throws {
    let specimen = try Specimen()
    let leaves = specimen.pages(of: "note", "leaf")
    let sound = Survey(main: specimen.bytes)
    let image = try #require(sound.image)
    let rowIDs = try leaves.map { number in
      let page = try image.btreePage(try #require(PageNumber(number)))
      return image.cells(of: page).cells.compactMap(\.rowID)
    }
    let first = try #require(rowIDs[3].first)
    let last = try #require(rowIDs[3].last)
    let rebuilt = Reconstruction(main: specimen.with(.zeroPage(leaves[3])).bytes)
    let note = try #require(rebuilt.survey.tree(named: "note"))
    let gaps = rebuilt.gaps(in: note)
    #expect(gaps.count == 1)
    guard case .rowIDs(let from?, let to?)? = gaps.first else {
      Issue.record("the gap is open")
      return
    }
    #expect(from == first && to == last)
  }

  @Test func `a cell of zeros has no rowid, and those beside it bound the gap`() throws {
    var specimen = try Specimen()
    let leaf = try #require(specimen.pages(of: "note", "leaf").dropFirst(3).first)
    let sound = Survey(main: specimen.bytes)
    let image = try #require(sound.image)
    let page = try image.btreePage(try #require(PageNumber(leaf)))
    let cells = image.cells(of: page).cells
    let start = specimen[page: leaf].lowerBound + cells[2].offset
    specimen.bytes.replaceSubrange(start..<start + 12, with: Bytes(repeating: 0, count: 12))
    let rebuilt = Reconstruction(main: specimen.bytes)
    let gaps = rebuilt.gaps(in: try #require(rebuilt.survey.tree(named: "note")))
    let lost = try #require(cells[2].rowID)
    #expect(gaps.count == 1)
    guard case .rowIDs(lost, lost)? = gaps.first else {
      Issue.record("\(gaps)")
      return
    }
  }

  @Test func `a sound table has no gap, and one without its root is nothing else`() throws {
    let specimen = try Specimen()
    let sound = Reconstruction(main: specimen.bytes)
    #expect(sound.gaps(in: try #require(sound.survey.tree(named: "note"))).isEmpty)
    let root = try specimen.root(of: "note")
    let broken = Reconstruction(main: specimen.with(.zeroPage(root)).bytes)
    let note = try #require(broken.survey.tree(named: "note"))
    #expect(!broken.gaps(in: note).isEmpty)
  }
}
