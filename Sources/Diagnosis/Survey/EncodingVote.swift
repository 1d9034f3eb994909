// SPDX-License-Identifier: Apache-2.0
// Which encoding the text of a database is in, when neither header nor schema can tell.
//
// UTF-16 shows by the characters below U+0080, which nearly every text has: each is a pair of
// bytes of which one is zero, and on which side it lies tells the byte order. UTF-8 has no zero
// bytes, and other encodings are hardly ever valid UTF-8.

import SQLiteFormat

/// A vote of the text fields of a database about their encoding.
struct EncodingVote {
  /// How many pages are looked at, at most, spread over the file.
  private static let pageMax = 256
  /// How many bytes of one text are looked at.
  private static let prefixMax = 256

  private var votes: [TextEncoding: Int] = [:]

  /// The encoding that dominates; nil when there is none, or another has half as many votes.
  var winner: TextEncoding? {
    let ranked = TextEncoding.allCases.map { ($0, votes[$0] ?? 0) }.sorted { $0.1 > $1.1 }
    return ranked[0].1 > 2 * ranked[1].1 ? ranked[0].0 : nil
  }

  /// From how many texts on the vote speaks against what is stated.
  private static let contradictingMin = 32

  /// Whether hardly a text is in an encoding, and many are in another one.
  func contradicts(_ stated: TextEncoding) -> Bool {
    guard let winner, winner != stated, let most = votes[winner] else { return false }
    return most >= Self.contradictingMin && most > 4 * (votes[stated] ?? 0)
  }

  /// Holds the vote over leaf pages of an image.
  init(_ image: Image) {
    let step = max(1, image.pageCount / Self.pageMax)
    for index in stride(from: 0, to: image.pageCount, by: step) {
      guard let number = PageNumber(index + 1), let page = try? image.btreePage(number),
        page.kind.isLeaf, page.layoutFaults.isEmpty
      else { continue }
      for index in 0..<page.cellCount {
        guard let cell = try? page.cell(index), cell.overflow == nil,
          let record = try? Record(page.bytes, in: cell.local)
        else { continue }
        for field in record.fields where field.serialType >= 13 && field.serialType % 2 == 1 {
          let end = field.offset + min(field.length, Self.prefixMax)
          add(page.bytes.slice(field.offset..<end), isWhole: field.length <= Self.prefixMax)
        }
      }
    }
  }

  private mutating func add(_ text: Bytes, isWhole: Bool) {
    guard text.count >= 2 else { return }
    var zeros = (even: 0, odd: 0)
    for (index, byte) in text.enumerated() where byte == 0 {
      if index % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    if zeros == (0, 0) {
      // The last character may be cut off.
      let whole = isWhole ? text : Bytes(text.prefix { $0 < 0x80 })
      if !whole.isEmpty, String(validating: whole, as: UTF8.self) != nil {
        votes[.utf8, default: 0] += 1
      }
    } else if text.count % 2 == 0 {
      if zeros.odd > 2 * zeros.even { votes[.utf16le, default: 0] += 1 }
      if zeros.even > 2 * zeros.odd { votes[.utf16be, default: 0] += 1 }
    }
  }
}
