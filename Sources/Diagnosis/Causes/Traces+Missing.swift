// SPDX-License-Identifier: Apache-2.0
// What is missing at the end of a file, and what stands there instead.

import SQLiteFormat

extension Traces {
  /// How much of the file's end is missing.
  struct Missing: Sendable {
    /// The bytes that are there.
    let present: Int
    /// The bytes that should be there.
    let expected: Int
    /// Whether the file ends inside a page.
    let isInsidePage: Bool

    /// How much is missing, in percent, and at least one.
    var percent: Int {
      max(1, Int((Double(expected - present) / Double(expected) * 100).rounded()))
    }
  }

  /// How much of the file's end is missing; nil where it is as long as it says.
  var missing: Missing? {
    guard let image = survey.image, let header, header.isPageCountValid, header.hasMagic,
      image.start >= 0, codes.contains(.truncated) || codes.contains(.partialLastPage)
    else { return nil }
    let size = image.geometry.pageSize
    let present = image.files.main.byteCount - image.start
    let expected = header.pageCount * size
    // A number that was damaged would make a short file of every file.
    guard present < expected, expected / 64 < max(present, 1 << 20) else { return nil }
    return Missing(present: present, expected: expected, isInsidePage: present % size != 0)
  }

  /// Whether the file has as many pages as its own first page counts, and more are counted by a newer
  /// first page in its log.
  ///
  /// A checkpoint writes the first page with the others: the file is of before it.
  var isOlderThanLog: Bool {
    guard let image = survey.image, image.start == 0, image.origin(of: .first) == .wal,
      let bytes = try? image.files.main.read(at: 0, count: DatabaseHeader.byteCount),
      let own = DatabaseHeader(bytes), own.hasMagic, own.isPageCountValid, let header
    else { return false }
    let present = image.files.main.byteCount
    return own.pageCount * image.geometry.pageSize == present && header.pageCount > own.pageCount
      && image.missingPages > 0
  }

  /// Whether everything that is wrong lies in what is missing at the end.
  var isOnlyEndMissing: Bool {
    guard missing != nil, let image = survey.image else { return false }
    let trees = survey.trees + (survey.schema.map { [$0.tree] } ?? [])
    let last = max(1, (image.files.main.byteCount - image.start) / image.geometry.pageSize)
    return wounds.isEmpty && !isConverted
      && wrong.isDisjoint(with: [
        .pageClaimedTwice, .keyOrder, .treeUneven, .rowDoubtful, .walForeign, .journalForeign,
        .headOfAnother,
        .bytesNotRead,
      ])
      && trees.allSatisfy { tree in
        tree.pageFaults.first.allSatisfy { fault in
          fault.problem == .pageMissing || fault.problem == .pageIncomplete
            || (fault.page?.number ?? 0) > last
        }
          && tree.cellFaults.first.allSatisfy { fault in
            [.pageMissing, .chainTooShort, .pageIncomplete].contains(fault.problem)
              || (fault.page?.number ?? 0) > last
          }
      }
  }

  /// Whether a tree leads to pages behind so many: they are the database's, and its first page is of an
  /// earlier time.
  func usesPages(behind count: Int) -> Bool {
    if leadsBeyondEnd { return true }
    var isUsed = false
    survey.claims.forEach(from: count + 1) { _, owner in isUsed = isUsed || owner.tree != nil }
    return isUsed
  }

  /// The file as its bytes lie, also where pages were put back for reading.
  var bytesAsTheyLie: (any PageSource)? {
    survey.image.map { $0.files.mainAsItLies ?? $0.files.main }
  }

  /// Whether a transfer as text is proven: that carriage returns are missing is only probable.
  var isConverted: Bool {
    survey.transfer != nil && survey.transfer != .carriageReturnsDropped
  }

  /// Whether something that is there leads to pages beyond the end.
  var leadsBeyondEnd: Bool { survey.leadsBeyondEnd }

  /// How many pages at the end of the file are zeros although something should be on them.
  var blankTail: Int {
    guard let image = survey.image, isDamaged else { return 0 }
    let blank = Set(scars.filter { $0.look == .zeros }.map(\.page.number))
    guard !blank.isEmpty else { return 0 }
    var page = image.pageCount
    while page > 0, blank.contains(page) { page -= 1 }
    return image.pageCount - page
  }
}
