// SPDX-License-Identifier: Apache-2.0
// The kinds of damage of the benchmark, and what each does to a database: drawn by a seed.

import SQLiteFormat

/// A kind of damage: a line of the benchmark's table.
package enum DamageKind: String, CaseIterable, Sendable {
  case zeroedPages = "pages zeroed"
  case randomPages = "pages random"
  case leaves = "leaves zeroed"
  case interiors = "interior pages zeroed"
  case roots = "roots zeroed"
  case pageHeaders = "page headers zeroed"
  case schema = "schema zeroed"
  case firstPage = "page 1 zeroed"
  case header = "file header zeroed"
  case cutOff = "cut off at the end"
  case sectors = "sectors zeroed"
  case swapped = "pages swapped"
  case older = "older pages"
  case olderFirst = "older page 1"
  case pointers = "cell pointers wiped"
  case chains = "overflow links cut"
  case bits = "bits flipped"
  case lineFeeds = "CR LF for LF"
  case inserted = "bytes inserted"
  case leftOut = "bytes left out"
  case beheaded = "beginning missing"

  /// Draws damage of this kind; nil where the database has no place for it.
  func harm(to source: DamageSource, using random: inout SeededRandom) -> DamageHarm? {
    let size = source.pageSize
    let (pages, count) = (source.pages, source.pageCount)
    // Page 1 has kinds of its own.
    let others = Array(2...count)
    func few(_ candidates: [Int]) -> [Int] {
      random.some(of: candidates, atMost: 1 + candidates.count / 8)
    }
    switch self {
    case .zeroedPages: return DamageHarm(few(others).map { .zeroPage($0) })
    case .randomPages: return DamageHarm(few(others).map { .randomPage($0) })
    case .leaves: return DamageHarm(few(pages.leaves).map { .zeroPage($0) })
    case .interiors: return DamageHarm(few(pages.interiors).map { .zeroPage($0) })
    case .roots: return DamageHarm(few(pages.roots).map { .zeroPage($0) })
    case .pageHeaders:
      return DamageHarm(few(pages.leaves).map { .zeroRange(offset: ($0 - 1) * size, count: 8) })
    case .schema: return DamageHarm([.zeroRange(offset: 100, count: size - 100)])
    case .firstPage: return DamageHarm([.zeroPage(1)])
    case .header: return DamageHarm([.wipeHeader])
    case .cutOff:
      return DamageHarm([.truncate(bytes: count * size * (20 + random.below(76)) / 100)])
    case .sectors:
      let sectors = few(Array((size / 512)..<(count * size / 512)))
      return DamageHarm(sectors.map { .zeroRange(offset: $0 * 512, count: 512) })
    case .swapped:
      let pair = random.some(of: others, exactly: 2)
      return DamageHarm(pair.count == 2 ? [.swapPages(pair[0], pair[1])] : [])
    case .older:
      return DamageHarm([], olderPages: Set(few(source.olderPages.filter { $0 > 1 })))
    case .olderFirst:
      return DamageHarm([], olderPages: Set(source.olderPages.filter { $0 == 1 }))
    case .pointers: return DamageHarm(few(pages.leaves).map { .wipeCellPointers(page: $0) })
    case .chains: return DamageHarm(few(pages.overflow).map { .cutOverflow(page: $0) })
    case .bits:
      return DamageHarm(
        (0...random.below(20)).map { _ in
          .flipBit(offset: random.below(count * size), bit: random.below(8))
        })
    case .lineFeeds: return DamageHarm([.crlf])
    case .inserted:
      let offset = size + random.below((count - 1) * size)
      return DamageHarm([.insert(offset: offset, count: 1 + random.below(2 * size))])
    case .leftOut:
      let offset = size + random.below((count - 2) * size)
      return DamageHarm([.leaveOut(offset: offset, count: 1 + random.below(size))])
    case .beheaded:
      return DamageHarm([.leaveOut(offset: 0, count: size * (1 + random.below(count / 4)))])
    }
  }
}

/// Damage to a database that is drawn: what is done, and which pages are put back to an older time.
struct DamageHarm: Sendable, CustomStringConvertible {
  let damages: [Damage]
  let olderPages: Set<Int>

  /// Nil where nothing is done.
  init?(_ damages: [Damage], olderPages: Set<Int> = []) {
    guard !(damages.isEmpty && olderPages.isEmpty) else { return nil }
    self.damages = damages
    self.olderPages = olderPages
  }

  /// The damage as a command line has it.
  var description: String {
    (damages.map(\.description) + olderPages.sorted().map { "older-page:\($0)" })
      .joined(separator: " ")
  }

  /// The database file after the damage.
  func applied(to source: DamageSource) -> Bytes {
    let size = source.pageSize
    var bytes = source.now.main
    for page in olderPages {
      let range = ((page - 1) * size)..<(page * size)
      bytes.replaceSubrange(range, with: source.earlier.main[range])
    }
    return damages.reduce(bytes) { $1.applied(to: $0, pageSize: size) }
  }

  /// Where a stretch of the file lies afterwards; nil where it is torn apart.
  ///
  /// A cell is a row wherever its page lies. Overflow pages have to lie where the links lead.
  func place(of range: Range<Int>, isCell: Bool, pageSize: Int) -> Range<Int>? {
    var place: Range<Int>? = range
    for damage in damages {
      guard let range = place else { return nil }
      switch damage {
      case .insert(let offset, let count):
        place = range.moved(behind: offset..<offset, by: count)
      case .leaveOut(let offset, let count):
        place = range.moved(behind: offset..<(offset + count), by: -count)
      case .swapPages(let one, let other) where isCell:
        let page = range.lowerBound / pageSize + 1
        let target = page == one ? other : page == other ? one : page
        place = range.moved(behind: 0..<0, by: (target - page) * pageSize)
      default: break
      }
    }
    return place
  }
}

extension DamageSource {
  /// The pages that are in the file at both moments, and not the same.
  var olderPages: [Int] {
    let common = min(earlier.main.count, now.main.count) / pageSize
    return (1...common).filter { page in
      let range = ((page - 1) * pageSize)..<(page * pageSize)
      return earlier.main[range] != now.main[range]
    }
  }
}

extension Range<Int> {
  /// The range where what lies behind another one moves; nil where it lies across that.
  fileprivate func moved(behind other: Range<Int>, by distance: Int) -> Range<Int>? {
    if upperBound <= other.lowerBound { return self }
    guard lowerBound >= other.upperBound else { return nil }
    return (lowerBound + distance)..<(upperBound + distance)
  }
}

extension SeededRandom {
  /// One or more of some elements, up to a number; none where there are none.
  fileprivate mutating func some<Element>(of elements: [Element], atMost most: Int) -> [Element] {
    some(of: elements, exactly: 1 + below(most))
  }

  /// So many of some elements, or all where there are fewer.
  fileprivate mutating func some<Element>(of elements: [Element], exactly count: Int) -> [Element] {
    var rest = elements
    return (0..<min(count, elements.count)).map { _ in rest.remove(at: below(rest.count)) }
  }
}
