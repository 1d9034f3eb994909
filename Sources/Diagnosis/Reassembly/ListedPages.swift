// SPDX-License-Identifier: Apache-2.0
// Pages that both a tree and the free list have: an older page of the tree leads to what was freed,
// or an older page of the list names what came into use.

import SQLiteFormat

/// The pages of a free list of which nothing is wrong in itself.
struct ListedPages {
  /// All of them.
  let all: PageSet
  private let trunks: PageSet

  /// The pages of a survey's free list; none where it is not whole.
  init(_ survey: Survey) {
    let freelist = survey.isFreelistWhole ? survey.freelist : nil
    trunks = PageSet(freelist?.trunks ?? [])
    all = PageSet((freelist?.trunks ?? []) + (freelist?.leaves ?? []))
  }

  /// Those to which a tree leads though its rows there were deleted.
  ///
  /// A trunk is no leaf any more. Of another page, the rows were deleted if the tree's indexes know
  /// hardly one of them that is on no other page, although they know most rows of the tree.
  func withDeletedRows(
    in outline: Outline, of claimant: Claimant, _ pages: PageReader
  ) -> Set<PageNumber> {
    let listed = all.isEmpty ? [] : outline.leaves.filter(all.contains)
    guard !listed.isEmpty else { return [] }
    func rows(on page: PageNumber) -> [StoredRecord] {
      pages.rows(on: page, isTable: claimant.isTable)
    }
    let others = outline.leaves.lazy.filter { !all.contains($0) }
    let sample = others.prefix(Placement.sampleMax).flatMap(rows)
    let isKnowing = claimant.tally(sample).isEchoed
    let elsewhere = isKnowing ? Set(others.flatMap(rows).compactMap(\.rowID)) : []
    return Set(
      listed.filter { page in
        guard !trunks.contains(page) else { return true }
        let here = rows(on: page)
        var tally = claimant.tally(here.filter { $0.rowID.map { !elsewhere.contains($0) } ?? true })
        tally.rows = here.count
        return isKnowing && tally.isForgotten
      })
  }
}
