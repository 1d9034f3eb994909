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
