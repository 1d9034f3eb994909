// SPDX-License-Identifier: Apache-2.0
// What the bytes of single pages tell that have something wrong with them.

import SQLiteFormat

extension Traces {
  /// The pages on which there is something that SQLite never writes there; zeros are not that, for it
  /// leaves them on pages that are not used yet.
  var overwrittenPages: [PageNumber] {
    scars.filter { scar in
      switch scar.look {
      case .marked, .text, .random: true
      case .blank(let byte, _, _): byte != 0
      case .zeros, .sound, .other: false
      }
    }.map(\.page)
  }
}

extension Traces {
  /// Pages in the middle of the file that are filled with text whose last line has no end: blocks of
  /// other files, and not lines that somebody wrote.
  ///
  /// What follows lines that somebody wrote over a long value is that value, and no line.
  var blocksOfOtherFiles: [PageNumber] {
    guard let image = survey.image, missing == nil else { return [] }
    let size = image.geometry.pageSize
    // Behind the end that the header tells, somebody has appended it.
    let end = header.map { $0.isPageCountValid && $0.hasMagic ? $0.pageCount : .max } ?? .max
    let texts = texts.filter { $0.page.number <= end }
    let blocks = texts.filter { text in
      guard text.count == size, text.page != .first, let bytes = try? image.bytes(of: text.page)
      else { return false }
      return bytes.count { $0 == 0x0A } >= 2 && bytes.last != 0x0A
    }
    guard blocks.count == texts.count,
      TextSpan.all(texts, in: image).allSatisfy({ $0.lineByteCount == nil })
    else { return [] }
    return blocks.map(\.page)
  }

  /// The pages that begin with text, with how many bytes of it.
  var texts: [(page: PageNumber, count: Int)] {
    scars.compactMap { scar in
      if case .text(let count) = scar.look { (scar.page, count) } else { nil }
    }
  }

  /// The pages at the end of the file of which the first sectors alone were written, with how many
  /// bytes of each; nil where it does not end like that, or other pages have something wrong.
  var unfinishedEnd: (pages: [PageNumber], byteCount: Int)? {
    guard let image = survey.image, let last = wounds.map(\.page).max(),
      last.number + Self.endMax > image.pageCount, let used = usedBytes(of: last), used > 0
    else { return nil }
    let cut = (used + Scar.sector - 1) / Scar.sector * Scar.sector
    let pages = (1...image.pageCount).reversed().prefix(Self.endMax).compactMap { PageNumber($0) }
    let unfinished = pages.prefix { usedBytes(of: $0).map { $0 <= cut } ?? false }
    let begun = unfinished.count { isBegun($0, upTo: cut) }
    // Pages that end in zeros of their own end anywhere.
    let full = unfinished.count { (usedBytes(of: $0) ?? 0) > cut - Scar.sector / 2 }
    let isTold = begun > 0 || full >= 2
    guard cut < image.geometry.pageSize, isTold, (begun + full) * 2 >= unfinished.count,
      wounds.allSatisfy({ unfinished.contains($0.page) })
    else { return nil }
    return (unfinished.reversed(), cut)
  }

  /// How many bytes of a page come before the zeros that it ends with; nil where it cannot be read.
  private func usedBytes(of page: PageNumber) -> Int? {
    (try? survey.image?.bytes(of: page)).map { ($0.lastIndex { $0 != 0 } ?? -1) + 1 }
  }

  /// Whether a page says that its rows stand behind a place from which on it holds zeros.
  private func isBegun(_ page: PageNumber, upTo cut: Int) -> Bool {
    guard let image = survey.image, let bytes = try? image.bytes(of: page),
      let page = try? BTreePage(bytes, number: page, geometry: image.geometry),
      page.cellCount > 0, page.pointerArrayEnd <= cut
    else { return false }
    let pointers = (0..<page.cellCount).compactMap {
      bytes.big16(at: page.pointerArrayOffset + 2 * $0)
    }
    return pointers.allSatisfy { $0 >= page.contentStart && $0 < image.geometry.usable }
      && pointers.count { $0 >= cut } * 2 > pointers.count
  }

  /// The most pages at the end of a file that are looked at.
  private static let endMax = 4096

  /// The pages that are in part of one moment and in part of another.
  var tornPages: [PageNumber] {
    guard let image = survey.image else { return [] }
    return wounds.filter { scar in
      guard scar.look == .other, let bytes = try? image.bytes(of: scar.page),
        let page = try? BTreePage(bytes, number: scar.page, geometry: image.geometry)
      else { return false }
      return TornPage(page) != nil
    }.map(\.page)
  }
}
