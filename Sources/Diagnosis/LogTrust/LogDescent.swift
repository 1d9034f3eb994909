// SPDX-License-Identifier: Apache-2.0
// Whether the pages of a log were made from those of the file, where its page 1 does not tell.
//
// A page is allocated and freed only together with page 1, which counts them. Until a log has a
// page 1, therefore, each tree keeps its pages; and a page that is not all of its tree, of which
// every row would have to be deleted for it to lose them all, has something of its version before:
//
//   file  page 7  ─>  log  page 7  ─>  page 7 …     before a checkpoint
//   file  page 7  ═══════════════════  page 7       after one, with one of the log's versions

import SQLiteFormat

/// What the pages of a log tell of the file that it lies beside.
struct LogDescent {
  /// The database file without the log.
  let bare: Image
  /// The log.
  let log: WriteAheadLog
  /// Its bytes.
  let bytes: any PageSource
  /// The pages on which trees begin, as the file has them.
  let roots: Set<PageNumber>

  /// How many pages are compared at most.
  private static let comparedMax = 64
  /// From how many rows on it counts that all of them are alike or none.
  private static let rowsMin = 3

  /// What the pages say.
  enum Testimony {
    /// They have something in common with the file's, or cannot be compared.
    case fits
    /// They have nothing in common with the file's, which a writer of this file can bring about
    /// where tables are small.
    case nothing
    /// They have nothing in common with the file's, and no writer of this file does that.
    case ofAnother
    /// The file is younger than they are.
    case ofEarlier
  }

  /// What the pages say.
  var testimony: Testimony {
    var (strangers, compared) = (0, 0)
    var isRelated = false
    for (page, frames) in versions {
      guard let before = try? bare.btreePage(page), before.cellCount > 0 else { continue }
      guard let first = self.page(page, frames[0]),
        let last = self.page(page, frames[frames.count - 1]),
        !log.committed.contains(where: { $0.page == page && content($0) == before.bytes })
      else {
        isRelated = true
        continue
      }
      guard first.kind == .tableLeaf, before.kind == .tableLeaf else {
        isRelated = isRelated || before.sharesCell(with: first)
        continue
      }
      let rows = (before.rows, first.rows, last.rows)
      if isAhead(rows.0, of: rows.1, rows.2) { return .ofEarlier }
      switch Self.relation(rows.0, rows.1) {
      case .same: isRelated = true
      case .other:
        compared += 1
        strangers += roots.contains(page) ? 0 : 1
      case .unknown: break
      }
    }
    guard !isRelated, compared > 0 else { return .fits }
    return strangers > 1 ? .ofAnother : .nothing
  }
}

extension LogDescent {
  /// The frames of each page before page 1 is written for the first time, oldest first.
  private var versions: [(page: PageNumber, frames: [WriteAheadLog.Frame])] {
    let start = log.committed.firstIndex { $0.page == .first } ?? log.committed.endIndex
    // What stands before page 1 in one transaction with it was allocated with it.
    let end = log.committed[..<start].lastIndex { $0.commitPageCount != nil }.map { $0 + 1 } ?? 0
    return Dictionary(grouping: log.committed[..<end], by: \.page)
      .sorted { $0.key < $1.key }.prefix(Self.comparedMax).map { (page: $0, frames: $1) }
  }

  private func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
    try? bytes.read(at: frame.offset, count: log.pageSize)
  }

  private func page(_ number: PageNumber, _ frame: WriteAheadLog.Frame) -> BTreePage? {
    content(frame).flatMap { try? BTreePage($0, number: number, geometry: bare.geometry) }
  }

  /// Whether the file's version of a page is none of the log's, and has rows that the log has yet
  /// to insert: it is younger than the log.
  private func isAhead(_ before: Rows, of first: Rows, _ last: Rows) -> Bool {
    let (same, later) = (
      before.count { first[$0] == $1 }, before.count { first[$0] == nil && last[$0] == $1 }
    )
    return min(same, later) >= Self.rowsMin
      && !before.contains { first[$0] == $1 && last[$0] != $1 }
  }

  private enum Relation {
    /// The pages have a row or a value in common that no chance explains.
    case same
    /// They have the same rows, and no value in common.
    case other
    /// Too little can be compared.
    case unknown
  }

  private static func relation(_ before: Rows, _ after: Rows) -> Relation {
    var compared = 0
    for (id, row) in before {
      guard let next = after[id] else { continue }
      if next == row, row.payload.count >= tellingMin { return .same }
      let (old, new) = (row.telling, next.telling)
      if old.contains(where: { new[$0.key] == $0.value }) { return .same }
      // Where a row has only one such value, one assignment changes all that is comparable.
      if min(old.count, new.count) > 1 { compared += 1 }
    }
    return compared >= rowsMin ? .other : .unknown
  }

  /// From how many bytes on a value is hardly the same by chance.
  fileprivate static let tellingMin = 8
}

/// The rows of a leaf of a table by rowid.
private typealias Rows = [Int64: LeafRow]

/// What of a row stands on its leaf.
private struct LeafRow: Equatable {
  /// The length of the whole payload.
  let size: Int
  /// The part of the payload on the page.
  let payload: Bytes

  /// The values that are hardly the same by chance, by column.
  var telling: [Int: Value] {
    guard payload.count == size, let record = try? Record(payload, in: 0..<size) else { return [:] }
    var values: [Int: Value] = [:]
    for (column, field) in record.fields.enumerated()
    where field.isText || field.isBlob || field.length == 8 {
      if field.length >= LogDescent.tellingMin { values[column] = record.value(column) }
    }
    return values
  }
}

extension BTreePage {
  fileprivate var cells: [Cell] { (0..<cellCount).compactMap { try? cell($0) } }

  fileprivate var rows: Rows {
    var rows: Rows = [:]
    for cell in cells {
      guard let id = cell.rowID else { continue }
      rows[id] = LeafRow(size: cell.payloadSize, payload: Bytes(bytes[cell.local]))
    }
    return rows
  }

  /// Whether a key of some length is on both pages.
  fileprivate func sharesCell(with other: BTreePage) -> Bool {
    func payloads(_ page: BTreePage) -> Set<Bytes> {
      Set(
        page.cells.filter { $0.local.count >= LogDescent.tellingMin }
          .map { Bytes(page.bytes[$0.local]) })
    }
    return !payloads(self).isDisjoint(with: payloads(other))
  }
}
