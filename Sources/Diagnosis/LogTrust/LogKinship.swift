// SPDX-License-Identifier: Apache-2.0
// Whether a log or journal has rows of the database that it lies beside, wherever they stand: a
// database that was restored or compacted has its rows on other pages, and its own old log has many
// of them.

import SQLiteFormat

/// What rows a log or journal and the database file beside it have in common.
struct LogKinship {
  /// Whether enough rows have the same number and the same value in both.
  let isProven: Bool

  /// The most pages of the log, and of the file, that are read.
  private static let (copiesMax, pagesMax) = (64, 1 << 14)
  /// From how many bytes on a text or blob is hardly the same by chance, and from which number on an
  /// integer.
  private static let (bytesMin, integerMin) = (8, UInt64(1) << 32)
  /// How many different values have to be the same: one default may stand in all rows.
  private static let valuesMin = 3

  /// Compares a log with the file without it.
  init(of log: WriteAheadLog, _ bytes: any PageSource, beside bare: Image) {
    self.init(of: log.committed.map { ($0.page, $0.offset) }, bytes, beside: bare)
  }

  /// Compares a journal with the file as it is.
  init(of journal: RollbackJournal, _ bytes: any PageSource, beside bare: Image) {
    self.init(of: journal.records.map { ($0.page, $0.offset) }, bytes, beside: bare)
  }

  /// Compares copies of pages, of which each lies at an offset, with the file.
  private init(
    of copies: [(page: PageNumber, offset: Int)], _ bytes: any PageSource, beside bare: Image
  ) {
    var sought: [Value: Set<Value>] = [:]
    for copy in copies.filter({ $0.page != .first }).prefix(Self.copiesMax) {
      guard let content = try? bytes.read(at: copy.offset, count: bare.geometry.pageSize) else {
        continue
      }
      for (id, values) in Self.rows(of: content, copy.page, bare.geometry) {
        sought[id, default: []].formUnion(values)
      }
    }
    var compared: Set<Value> = []
    var alike: Set<Value> = []
    var values: Set<Value> = []
    for number in 2...max(2, min(bare.pageCount, Self.pagesMax)) where !sought.isEmpty {
      guard let page = PageNumber(number), let content = try? bare.bytes(of: page) else { continue }
      for (id, row) in Self.rows(of: content, page, bare.geometry) {
        guard let other = sought[id] else { continue }
        compared.insert(id)
        let same = other.intersection(row)
        if !same.isEmpty { alike.insert(id) }
        values.formUnion(same)
      }
    }
    isProven = values.count >= Self.valuesMin && alike.count * 4 >= compared.count
  }

  /// The long values of the rows on a leaf, each with its rowid, or with the first value of its key.
  private static func rows(
    of bytes: Bytes, _ number: PageNumber, _ geometry: Geometry
  ) -> [(id: Value, values: Set<Value>)] {
    guard let page = try? BTreePage(bytes, number: number, geometry: geometry), page.kind.isLeaf
    else { return [] }
    return (0..<page.cellCount).compactMap { index in
      guard let cell = try? page.cell(index), cell.overflow == nil,
        let values = try? Record(page.bytes, in: cell.local).values,
        let id = cell.rowID.map(Value.integer) ?? values.first
      else { return nil }
      let long = Set(values.dropFirst(cell.rowID == nil ? 1 : 0).filter(isLong))
      // An entry of an index may be nothing but its key.
      return long.isEmpty && cell.rowID == nil ? nil : (id, long)
    }
  }

  private static func isLong(_ value: Value) -> Bool {
    switch value {
    case .text(let bytes), .blob(let bytes): bytes.count >= bytesMin
    case .integer(let integer): integer.magnitude >= integerMin
    case .real(let real): real.rounded() != real
    case .null: false
    }
  }
}
