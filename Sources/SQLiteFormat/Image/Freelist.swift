// SPDX-License-Identifier: Apache-2.0
// The list of unused pages: a chain of trunks, each naming leaves.
//
// offset size
//      0    4  next trunk; 0 on the last
//      4    4  number of leaves that follow
//      8   4n  leaf page numbers

/// The list of unused pages, as far as it can be followed.
///
/// File format, section 1.5.
package struct Freelist: Hashable, Sendable {
  /// The trunk pages in order.
  package let trunks: [PageNumber]
  /// The pages that the trunks name.
  package let leaves: [PageNumber]
  /// Where and why the list could not be followed further, or what in it is wrong.
  package let faults: [FormatError]

  /// The number of pages in the list.
  package var count: Int { trunks.count + leaves.count }
}

extension Freelist {
  /// Follows the list of an image from its first trunk; never longer than the file has pages.
  package init(_ image: Image, first: PageNumber?) {
    var trunks: [PageNumber] = []
    var leaves: [PageNumber] = []
    var faults: [FormatError] = []
    var seen: Set<PageNumber> = []
    let capacity = image.geometry.trunkCapacity
    var next = first
    while let trunk = next {
      guard seen.insert(trunk).inserted else {
        faults.append(FormatError(.claimedTwice, page: trunk))
        break
      }
      guard let bytes = try? image.bytes(of: trunk), let following = bytes.big32(at: 0),
        let count = bytes.big32(at: 4)
      else {
        faults.append(FormatError(.pageMissing, page: trunk))
        break
      }
      trunks.append(trunk)
      if count > capacity { faults.append(FormatError(.listCount, page: trunk, offset: 4)) }
      for index in 0..<min(Int(count), capacity) {
        let offset = 8 + 4 * index
        guard let leaf = PageNumber(bytes.big32(at: offset) ?? 0),
          leaf.number <= image.pageCount, seen.insert(leaf).inserted
        else {
          faults.append(FormatError(.chainAstray, page: trunk, offset: offset))
          continue
        }
        leaves.append(leaf)
      }
      next = PageNumber(following)
    }
    self.trunks = trunks
    self.leaves = leaves
    self.faults = faults
  }
}

extension Geometry {
  /// How many leaves a trunk page can name.
  fileprivate var trunkCapacity: Int { usable / 4 - 2 }
}

extension Image {
  /// Those of some pages that can be trunks of a free list, whether or not anything leads there, with
  /// the leaves that they name.
  ///
  /// Such a page names at least one leaf, and none but pages that `canBeFree`.
  package func possibleTrunks(
    among pages: some Sequence<PageNumber>, naming canBeFree: (PageNumber) -> Bool = { _ in true }
  ) -> [(trunk: PageNumber, leaves: [PageNumber])] {
    func free(_ number: UInt32) -> PageNumber? {
      PageNumber(number).flatMap { $0.number <= pageCount && canBeFree($0) ? $0 : nil }
    }
    return pages.compactMap { page in
      guard let bytes = try? bytes(of: page), let next = bytes.big32(at: 0),
        let count = bytes.big32(at: 4), count > 0, count <= geometry.trunkCapacity,
        next == 0 || free(next) != nil
      else { return nil }
      let leaves = (0..<Int(count)).compactMap { free(bytes.big32(at: 8 + 4 * $0) ?? 0) }
      return leaves.count == Int(count) ? (page, leaves) : nil
    }
  }
}
