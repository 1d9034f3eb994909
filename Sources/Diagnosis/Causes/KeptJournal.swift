// SPDX-License-Identifier: Apache-2.0
// A journal that is kept when its transaction has ended, as PRAGMA journal_mode = PERSIST does it: its
// header is blanked, and its records stay. They are pages as they were before that transaction.

import SQLiteFormat

/// The pages in a journal that is kept.
struct KeptJournal {
  /// The change counter with which its transaction began.
  let changeCounter: UInt32
  /// Whether a leaf in it is much as the same page of the file.
  let isKin: Bool

  /// The most records that are read.
  private static let recordsMax = 1 << 12
  /// The bytes that its header can take.
  private static let headers = [512, 4096]

  /// Reads the records of a journal whose header is blanked; nil where the first page is not there.
  init?(beside image: Image) {
    guard let journal = image.files.journal, let head = try? journal.read(at: 0, count: 28),
      head.isZero, head.count == 28, image.start == 0
    else { return nil }
    let size = image.geometry.pageSize
    for header in Self.headers {
      var (first, isKin) = (DatabaseHeader?.none, false)
      for index in 0..<Self.recordsMax {
        guard let record = try? journal.read(at: header + index * (size + 8), count: size + 4),
          record.count == size + 4, let page = PageNumber(record.big32(at: 0) ?? 0)
        else { break }
        let old = Bytes(record.dropFirst(4))
        if page == .first {
          guard old.matches(DatabaseHeader.magic) else { break }
          first = DatabaseHeader(old)
        } else if !isKin, let now = try? image.bytes(of: page) {
          isKin = Self.areAlike(old, now)
        }
      }
      guard let first, first.pageSize == size else { continue }
      (changeCounter, self.isKin) = (first.changeCounter, isKin)
      return
    }
    return nil
  }

  /// Whether most of what a leaf holds stands at the same places of another one.
  static func areAlike(_ old: Bytes, _ now: Bytes) -> Bool {
    guard old.count == now.count, let kind = BTreePage.Kind(rawValue: now[0]), kind.isLeaf else {
      return false
    }
    let held = zip(old, now).filter { $0.0 != 0 }
    return held.count >= 64 && held.count(where: { $0.0 == $0.1 }) * 5 >= held.count * 4
  }
}
