// SPDX-License-Identifier: Apache-2.0
// Items of a salvage that go from the thread that reads to the one that writes together.

import SQLiteFormat

/// Items that go to another thread together.
struct Batch {
  /// How many bytes the items of a batch may hold on to, unless it is a single one.
  private static let byteCountMax = 1 << 18
  private static let countMax = 512

  private var items: [SalvagedItem] = []
  private var byteCount = 0
  private var page: PageNumber?

  /// Adds an item; true when the batch is full.
  mutating func add(_ item: SalvagedItem) -> Bool {
    items.append(item)
    if let stored = item.stored {
      // Records that do not spill share the bytes of their page.
      if stored.page != page || stored.record.isApart { byteCount += stored.record.bytes.count }
      page = stored.page
    }
    return byteCount >= Self.byteCountMax || items.count >= Self.countMax
  }

  /// What was added since the last time.
  mutating func removeAll() -> [SalvagedItem] {
    defer { self = Batch() }
    return items
  }
}

extension SalvagedItem {
  /// The record, where the item has one.
  fileprivate var stored: StoredRecord? {
    switch self {
    case .row(_, let stored), .doubtful(_, let stored, _): stored
    case .partial: nil
    }
  }
}
