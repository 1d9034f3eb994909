// SPDX-License-Identifier: Apache-2.0
// Pages that lie before their places, more so from page to page: bytes were left out all over a
// file, and not at its end.

import SQLiteFormat

/// The pages of a file that was shortened from within.
struct ShrunkenPages {
  /// How many pages are found, in their places or before them.
  let count: Int
  /// How many of them lie further before their places than the page before them.
  let steps: Int
  /// How far before its place the last one lies.
  let shift: Int

  /// The most bytes that are left out of one page.
  private static let stepMax = 512
  /// The most pages that are looked for.
  private static let pagesMax = 2048

  /// Looks for the pages of a file that lacks so many bytes; nil where they lie in their places, or
  /// not enough of them are found to tell.
  init?(_ main: any PageSource, pageSize: Int, missing: Int) {
    var (count, steps, shift) = (0, 0, 0)
    let last = min(main.byteCount / pageSize, Self.pagesMax)
    for page in 1..<max(2, last) {
      let place = page * pageSize - shift
      let reach = min(Self.stepMax, missing - shift)
      guard let bytes = try? main.read(at: place - reach, count: reach + 16), bytes.count > 16,
        let step = (0...reach).first(where: {
          Self.isStart(of: pageSize, bytes, at: reach - $0)
        })
      else { continue }
      count += 1
      if step > 0 { steps += 1 }
      shift += step
    }
    guard steps >= 3, count * 2 >= last else { return nil }
    self.count = count
    self.steps = steps
    self.shift = shift
  }

  /// Whether a page of a tree begins at an offset.
  ///
  /// File format, section 1.6.
  private static func isStart(of pageSize: Int, _ bytes: Bytes, at offset: Int) -> Bool {
    guard offset >= 0, offset + 8 < bytes.count,
      let kind = BTreePage.Kind(rawValue: bytes[offset]), bytes.big16(at: offset + 1) == 0,
      let cells = bytes.big16(at: offset + 3), let content = bytes.big16(at: offset + 5),
      bytes[offset + 7] <= 60, cells > 0
    else { return false }
    let pointers = (kind.isLeaf ? 8 : 12) + 2 * cells
    guard pointers <= content, content <= pageSize,
      let first = bytes.big16(at: offset + (kind.isLeaf ? 8 : 12))
    else { return false }
    return content <= first && first < pageSize
  }
}
