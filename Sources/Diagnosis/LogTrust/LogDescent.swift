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
  /// Finds the pages on which trees begin, as the file has them: few logs need them.
  let roots: () -> Set<PageNumber>

  /// How many pages are compared at most.
  private static let comparedMax = 64
  /// How many frames the log has at most for its pages to be compared.
  private static let framesMax = 1 << 16
  /// Of how many versions at most a page is compared with all.
  private static let versionsMax = 1024
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
    /// The file seems to be younger, and an app that puts back what it has deleted can bring that
    /// about.
    case perhapsOfEarlier
  }

  /// What the pages say.
  var testimony: Testimony {
    guard log.committed.count <= Self.framesMax else { return .fits }
    let all = Dictionary(grouping: log.committed, by: \.page)
    var unrelated: [PageNumber] = []
    var isRelated = false
    for (page, frames) in versions {
      guard let before = try? bare.btreePage(page), before.cellCount > 0 else { continue }
      let every = all[page] ?? []
      guard every.count <= Self.versionsMax, let first = self.page(page, frames[0]) else {
        isRelated = true
        continue
      }
      /// Whether a checkpoint has copied a version of the log. Most pages are told by a look.
      func isCopied() -> Bool { every.contains { content($0) == before.bytes } }
      guard first.kind == .tableLeaf, before.kind == .tableLeaf else {
        isRelated = isRelated || before.sharesCell(with: first) || isCopied()
        continue
      }
      let (old, new) = (before.rows, first.rows)
      if isAhead(old, of: new, { frames.compactMap { self.page(page, $0)?.rows } }), !isCopied() {
        return .ofEarlier
      }
      guard !isRelated else { continue }
      switch Self.relation(old, new) {
      case .same: isRelated = true
      case .other where !isCopied(): unrelated.append(page)
      case .unknown where !isCopied(): break
      case .other, .unknown: isRelated = true
      }
    }
    guard !isRelated, !unrelated.isEmpty else { return .fits }
    let roots = roots()
    return unrelated.count { !roots.contains($0) } > 1 ? .ofAnother : .nothing
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
  /// to insert, one after the other: it is younger than the log.
  ///
  /// The versions are read only where the first one lacks enough of the file's rows.
  private func isAhead(_ before: LeafRows, of first: LeafRows, _ versions: () -> [LeafRows]) -> Bool
  {
    guard before.count(where: { first[$0.key] == nil }) >= Self.rowsMin,
      before.count(where: { first[$0] == $1 }) >= Self.rowsMin
    else { return false }
    let versions = versions()
    guard let last = versions.last,
      !before.contains(where: { first[$0] == $1 && last[$0] != $1 })
    else { return false }
    // Rows that were deleted and are put back come all together.
    var seen: Set<Int64> = []
    let steps = versions.count { version in
      let new = before.filter { first[$0.key] == nil && version[$0.key] == $0.value }
      let count = seen.count
      seen.formUnion(new.keys)
      return seen.count > count
    }
    return steps >= Self.rowsMin
  }

  private enum Relation {
    /// The pages have something in common that no chance explains.
    case same
    /// They have the same rowids, and nothing in common.
    case other
    /// Too little can be compared.
    case unknown
  }

  private static func relation(_ before: LeafRows, _ after: LeafRows) -> Relation {
    var pairs: [(old: [Value], new: [Value])] = []
    for (id, row) in before {
      guard let next = after[id], let old = row.values, let new = next.values else { continue }
      if zip(old, new).contains(where: { $0.isAkin(to: $1) }) { return .same }
      pairs.append((old, new))
    }
    // Where a row has only one value that tells, one assignment changes all that is comparable.
    let told = pairs.count { min($0.old.count(where: \.tells), $0.new.count(where: \.tells)) > 1 }
    let width = pairs.map { min($0.old.count, $0.new.count) }.min() ?? 0
    if (0..<width).contains(where: { column in
      let values = pairs.map { ($0.old[column], $0.new[column]) }
      return Self.agree(values) || Self.agree(values.map { ($0.length, $1.length) })
    }) {
      return .same
    }
    return told >= rowsMin ? .other : .unknown
  }

  /// Whether what varies from row to row is the same in nearly every pair.
  private static func agree<Feature: Hashable>(_ pairs: [(Feature, Feature)]) -> Bool {
    Set(pairs.map(\.0)).count >= rowsMin && 10 * pairs.count(where: ==) >= 9 * pairs.count
  }
}

/// The rows of a leaf of a table by rowid.
typealias LeafRows = [Int64: LeafRow]

/// What of a row stands on its leaf.
struct LeafRow: Hashable {
  /// The length of the whole payload.
  let size: Int
  /// The part of the payload on the page.
  let payload: Bytes

  /// The values of a row that is whole on its leaf.
  var values: [Value]? {
    payload.count == size ? try? Record(payload, in: 0..<size).values : nil
  }
}

extension Value {
  /// From how many bytes on a value, or a part of it, is hardly the same by chance.
  fileprivate static let tellingMin = 8

  /// The length of a text or blob; 0 of other values.
  fileprivate var length: Int { bytes?.count ?? 0 }

  /// Whether the value is hardly that of two rows by chance.
  fileprivate var tells: Bool { length >= Self.tellingMin }

  private var bytes: Bytes? {
    switch self {
    case .text(let bytes), .blob(let bytes): bytes
    case .null, .integer, .real: nil
    }
  }

  /// Whether one value was made from another: they begin or end alike, in upper or lower case.
  fileprivate func isAkin(to other: Value) -> Bool {
    guard let bytes, let others = other.bytes else { return false }
    func isAlike(_ pair: (UInt8, UInt8)) -> Bool { pair.0.lowercased == pair.1.lowercased }
    let start = zip(bytes, others).prefix(Self.tellingMin)
    let end = zip(bytes.reversed(), others.reversed()).prefix(Self.tellingMin)
    return start.count(where: isAlike) == Self.tellingMin
      || end.count(where: isAlike) == Self.tellingMin
  }
}

extension BTreePage {
  /// The rows of a leaf of a table.
  var rows: LeafRows {
    var rows: LeafRows = [:]
    for cell in readableCells {
      guard let id = cell.rowID else { continue }
      rows[id] = LeafRow(size: cell.payloadSize, payload: Bytes(bytes[cell.local]))
    }
    return rows
  }

  /// Whether a key of some length is on both pages.
  fileprivate func sharesCell(with other: BTreePage) -> Bool {
    func payloads(_ page: BTreePage) -> Set<Bytes> {
      Set(
        page.readableCells.filter { $0.local.count >= Value.tellingMin }
          .map { Bytes(page.bytes[$0.local]) })
    }
    return !payloads(self).isDisjoint(with: payloads(other))
  }
}
