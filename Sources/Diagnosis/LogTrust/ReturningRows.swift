// SPDX-License-Identifier: Apache-2.0
// Whether a log would undo what its database file already holds, page by page.
//
// A row that is deleted leaves a hole among its neighbours, and a new row of a table gets a number
// above all others. A log that was made from the file therefore has no rows exactly in the holes
// between neighbours that have not moved since, each in the order in which they were written; and if
// it takes rows away, these are seldom just the newest ones. The other way round that is what a log of
// an earlier state looks like beside a file that has gone on:
//
//   file  page 7   1 · 3 4 · 6 7 8 9
//   log   page 7   1 2 3 4 5 6           2 and 5 lie where the file has holes, 7, 8 and 9 are newer
//
// Nothing of it needs page 1, which many transactions in WAL mode do not write.

import SQLiteFormat

/// What the pages of a log would bring back, and what they would take away.
struct ReturningRows {
  /// Rows that it has where the file has holes.
  private var back = Places()
  /// Rows of the file that it has not.
  private var gone = Places()
  /// Whether the file has a page as the log has it last, as one has that goes on without its log.
  private var hasCopies = false

  /// Where rows lie that one version of a page has and the other has not.
  private struct Places {
    /// Between neighbours that have not moved, in the order of their numbers.
    var inHoles = 0
    /// Elsewhere, with a number between those of such neighbours.
    var elsewhere = 0
    /// With a number above all that the other version has, beside rows that are in both.
    var newest = 0
  }

  /// The most pages that are compared.
  private static let pagesMax = 1 << 12
  /// From how many rows in holes, and newest ones taken away, on they tell.
  private static let (inHolesMin, newestMin) = (8, 3)

  /// What they say, beside counters of AUTOINCREMENT that the log lowers or leaves.
  func testimony(isCounterLower: () -> Bool) -> LogDescent.Testimony {
    // Hardly an app lowers the counter of a table whose older rows it keeps. One that does leaves no page
    // in the log that the file has already, but after a checkpoint.
    if gone.newest > 0, hasCopies, isCounterLower() { return .ofEarlier }
    let isLikeEarlier =
      back.inHoles >= Self.inHolesMin && back.elsewhere * 4 <= back.inHoles
      && gone.newest >= Self.newestMin && gone.inHoles * 8 <= back.inHoles
    return isLikeEarlier ? .perhapsOfEarlier : .fits
  }

  /// Compares the last version of each page of a log, of which nothing was damaged, with the file's.
  init(of log: WriteAheadLog, _ bytes: any PageSource, beside bare: Image) {
    let frames = Dictionary(grouping: log.committed, by: \.page)
    // A state that was put back whole, as SQLite's backup interface does, lowers what it likes.
    guard frames.count <= Self.pagesMax, !log.hasWholeState else { return }
    func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
      try? bytes.read(at: frame.offset, count: log.pageSize)
    }
    var pairs: [(number: PageNumber, old: Leaf, new: Leaf)] = []
    for (number, frames) in frames {
      guard let last = frames.last, let now = content(last),
        let before = try? bare.bytes(of: number)
      else { continue }
      guard now != before else {
        hasCopies = true
        continue
      }
      func leaf(_ bytes: Bytes) -> Leaf {
        (try? BTreePage(bytes, number: number, geometry: bare.geometry)).map { Leaf($0) } ?? Leaf()
      }
      pairs.append((number, leaf(before), leaf(now)))
    }
    // Most logs only add rows: nothing is said without a newest row that is gone.
    guard
      pairs.contains(where: { ($0.old.rows.keys.max() ?? .min) > ($0.new.rows.keys.max() ?? .max) })
    else { return }
    // What an earlier frame holds was copied to the file: the last one came after it.
    pairs.removeAll { pair in
      let before = try? bare.bytes(of: pair.number)
      return frames[pair.number]?.dropLast().contains { content($0) == before } ?? false
    }
    // Rows that went to another page are neither gone nor back.
    let olds = Set(pairs.flatMap(\.old.rows.values))
    let news = Set(pairs.flatMap(\.new.rows.values))
    for (_, old, new) in pairs {
      let fixed = Self.fixed(old, new)
      Self.count(&back, of: new, beside: old, where: { !olds.contains($0) }, fixed)
      Self.count(&gone, of: old, beside: new, where: { !news.contains($0) }, fixed)
    }
  }

  /// The rows that are the same in both versions, and lie at the same place; none where the page was
  /// laid out anew.
  private static func fixed(_ old: Leaf, _ new: Leaf) -> [Int64] {
    let common = new.rows.keys.filter { old.rows[$0] == new.rows[$0] }.sorted()
    let fixed = common.filter { old.offsets[$0] == new.offsets[$0] }
    return fixed.count >= 2 && fixed.count * 8 >= common.count * 7 ? fixed : []
  }

  /// Counts the rows of one version of a page whose numbers the other has not.
  private static func count(
    _ places: inout Places, of leaf: Leaf, beside other: Leaf,
    where isOfOneOnly: (Leaf.Row) -> Bool,
    _ fixed: [Int64]
  ) {
    let highest = other.rows.keys.max() ?? .max
    for (id, row) in leaf.rows where other.rows[id] == nil && isOfOneOnly(row) {
      if id > highest, !fixed.isEmpty { places.newest += 1 }
      let place = fixed.partitioningIndex { $0 > id }
      guard place > 0, place < fixed.count, let here = leaf.offsets[id],
        let before = leaf.offsets[fixed[place - 1]], let after = leaf.offsets[fixed[place]],
        before > after
      else { continue }
      if (after..<before).contains(here) { places.inHoles += 1 } else { places.elsewhere += 1 }
    }
  }
}

extension WriteAheadLog {
  /// Whether one of its transactions wrote each page of the database.
  fileprivate var hasWholeState: Bool {
    var pages: Set<PageNumber> = []
    for frame in committed {
      pages.insert(frame.page)
      guard let count = frame.commitPageCount else { continue }
      if pages.count >= count { return true }
      pages = []
    }
    return false
  }
}

/// A leaf of a table: its rows and where they lie; without any where it is another page.
private struct Leaf {
  /// A row with its number and its content.
  struct Row: Hashable {
    let id: Int64
    let size: Int
    let payload: Int
  }

  private(set) var rows: [Int64: Row] = [:]
  private(set) var offsets: [Int64: Int] = [:]

  init() {}

  init(_ page: BTreePage) {
    guard page.kind == .tableLeaf else { return }
    for index in 0..<page.cellCount {
      guard let cell = try? page.cell(index), let id = cell.rowID else { continue }
      rows[id] = Row(
        id: id, size: cell.payloadSize, payload: Bytes(page.bytes[cell.local]).hashValue)
      offsets[id] = cell.offset
    }
  }
}
