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
  /// Where the number of a page stands.
  package struct Link: Hashable, Sendable {
    /// The page on which it stands.
    package let page: PageNumber
    /// The byte within that page.
    package let offset: Int
  }

  /// The trunk pages in order.
  package let trunks: [PageNumber]
  /// How many leaves each of them names that can be free pages.
  package let leafCounts: [Int]
  /// The pages that the trunks name.
  package let leaves: [PageNumber]
  /// Where and why the list could not be followed further, or what in it is wrong.
  package let faults: [FormatError]
  /// How many wrong numbers of leaves are kept.
  private static let faultsMax = 256
  /// Where the number stands that could not be followed; nil where the list comes to its end.
  package let brokenLink: Link?

  /// The number of pages in the list.
  package var count: Int { trunks.count + leaves.count }
}

extension Freelist {
  /// Follows the list of an image from its first trunk; never longer than the file has pages.
  package init(_ image: Image, first: PageNumber?) {
    var trunks: [PageNumber] = []
    var leaves: [PageNumber] = []
    var leafCounts: [Int] = []
    var link = Link(page: .first, offset: 32)
    var isBroken = false
    var faults: [FormatError] = []
    var seen: Set<PageNumber> = []
    let capacity = image.geometry.trunkCapacity
    var next = first
    while let trunk = next {
      guard seen.insert(trunk).inserted else {
        faults.append(FormatError(.claimedTwice, page: trunk))
        isBroken = true
        break
      }
      let bytes: Bytes
      do {
        bytes = try image.bytes(of: trunk)
      } catch {
        faults.append(error)
        isBroken = true
        break
      }
      guard let following = bytes.big32(at: 0), let count = bytes.big32(at: 4) else {
        faults.append(FormatError(.pageMissing, page: trunk))
        isBroken = true
        break
      }
      // Where neither number can be one of a trunk, the page is none, and free pages are not named.
      guard count <= capacity || following <= image.pageCount else {
        faults.append(FormatError(.listCount, page: trunk, offset: 4))
        isBroken = true
        break
      }
      trunks.append(trunk)
      if count > capacity { faults.append(FormatError(.listCount, page: trunk, offset: 4)) }
      let known = leaves.count
      for index in 0..<min(Int(count), capacity) {
        let offset = 8 + 4 * index
        guard let leaf = PageNumber(bytes.big32(at: offset) ?? 0),
          leaf.number <= image.pageCount, seen.insert(leaf).inserted
        else {
          if faults.count < Self.faultsMax {
            faults.append(FormatError(.chainAstray, page: trunk, offset: offset))
          }
          continue
        }
        leaves.append(leaf)
      }
      leafCounts.append(leaves.count - known)
      link = Link(page: trunk, offset: 0)
      next = PageNumber(following)
    }
    self.trunks = trunks
    self.leafCounts = leafCounts
    brokenLink = isBroken ? link : nil
    self.leaves = leaves
    self.faults = faults
  }
}

extension Geometry {
  /// How many leaves a trunk page can name.
  var trunkCapacity: Int { usable / 4 - 2 }
}

extension Image {
  /// How many trunks of a free list are looked at to tell whether a page is another one.
  private static var trunksMax: Int { 64 }

  /// Whether a page may be a trunk of the free list: the list tells, where it is whole and short.
  func mayBeTrunk(_ page: PageNumber) -> Bool {
    guard let bytes = try? bytes(of: .first), let header = DatabaseHeader(bytes), header.hasMagic
    else { return true }
    var next = header.firstFreelistTrunk
    var left = header.freelistCount
    for _ in 0..<Self.trunksMax {
      guard let trunk = next else { return left != 0 }
      guard trunk != page, let bytes = try? self.bytes(of: trunk),
        let following = bytes.big32(at: 0), let count = bytes.big32(at: 4),
        count <= geometry.trunkCapacity, count < left
      else { return true }
      left -= 1 + Int(count)
      next = PageNumber(following)
    }
    return true
  }

  /// Those of some pages that can be trunks of a free list, whether or not anything leads there, with
  /// the leaves that they name, and the next trunk.
  ///
  /// Such a page names at least one leaf, and hardly one but different pages that `canBeFree`: of many
  /// numbers a few may be damaged.
  package func possibleTrunks(
    among pages: some Sequence<PageNumber>, naming canBeFree: (PageNumber) -> Bool = { _ in true }
  ) -> [(trunk: PageNumber, leaves: [PageNumber], next: PageNumber?)] {
    func free(_ number: UInt32) -> PageNumber? {
      PageNumber(number).flatMap { $0.number <= pageCount && canBeFree($0) ? $0 : nil }
    }
    return pages.compactMap { page in
      guard let bytes = try? bytes(of: page), let next = bytes.big32(at: 0),
        let count = bytes.big32(at: 4), count > 0, count <= geometry.trunkCapacity,
        next == 0 || free(next) != nil
      else { return nil }
      var seen: Set<PageNumber> = []
      let leaves = (0..<Int(count)).compactMap { free(bytes.big32(at: 8 + 4 * $0) ?? 0) }
        .filter { seen.insert($0).inserted }
      return (Int(count) - leaves.count) * 8 <= Int(count) ? (page, leaves, PageNumber(next)) : nil
    }
  }
}
