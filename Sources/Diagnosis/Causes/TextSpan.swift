// SPDX-License-Identifier: Apache-2.0
// Text that stands where a page begins, and goes on over the pages behind it.
//
//   lines over a page          line⏎ line⏎ line⏎ │ the long value that the page holds a part of
//   a block of another file    e⏎ line⏎ line⏎ line⏎ line⏎ line⏎ line⏎ line⏎ line⏎ line⏎ line⏎ li

import SQLiteFormat

/// Text that stands where a page begins, and goes on over the pages behind it.
struct TextSpan {
  /// The pages that begin with it.
  let pages: [PageNumber]
  /// How many bytes of text there are.
  let byteCount: Int
  /// How many of them are lines that end; nil where no line ends, or the rest may be one more line.
  ///
  /// A rest that is longer than each of the lines is none of them: the page held it before.
  let lineByteCount: Int?

  /// Takes together pages that are full of text, and the page behind them.
  private init(_ texts: some Collection<(page: PageNumber, count: Int)>, _ image: Image) {
    pages = texts.map(\.page)
    byteCount = texts.reduce(0) { $0 + $1.count }
    let bytes = texts.flatMap { text in
      ((try? image.bytes(of: text.page)) ?? []).prefix(text.count)
    }
    let ends = bytes.indices.filter { bytes[$0] == 0x0A }
    guard let last = ends.last, byteCount % image.geometry.pageSize == 0 else {
      lineByteCount = nil
      return
    }
    let longest = zip([-1] + ends, ends).map { $1 - $0 }.max() ?? 0
    lineByteCount = bytes.count - last - 1 > longest ? last + 1 : nil
  }

  /// The texts that begin on pages, in the order of those.
  static func all(_ texts: [(page: PageNumber, count: Int)], in image: Image) -> [TextSpan] {
    let texts = texts.sorted { $0.page < $1.page }
    var (spans, start): ([TextSpan], Int) = ([], 0)
    for index in texts.indices {
      let isLast =
        index + 1 == texts.count || texts[index].count < image.geometry.pageSize
        || texts[index + 1].page.number != texts[index].page.number + 1
      guard isLast else { continue }
      spans.append(TextSpan(texts[start...index], image))
      start = index + 1
    }
    return spans
  }
}
