// SPDX-License-Identifier: Apache-2.0
// What is read of the entries of indexes, page by page.

import SQLiteFormat

extension Inquiry {
  /// What one thread has read.
  struct Hearing: Sendable {
    /// What was read of each index.
    var accounts: [Witness.Account]
    /// The sums that the entries are taken off; nil where none are.
    var sums: LeafSums?
    /// Pages that take more than a look.
    var later: [PageNumber] = []
    /// Where the fields of the entry lie that is read.
    var located = LocatedFields()
  }
}

extension Inquiry.Hearing {
  /// Reads the entries of a page; as those of any damaged index where `place` names no sound one.
  mutating func read(
    _ number: PageNumber, in image: Image, as place: Int?, _ subjects: [Inquiry.Subject],
    _ claims: PageClaims, _ asked: RowIDSet?
  ) {
    guard let page = try? image.btreePage(number), !page.kind.isTable,
      let cells = page.soundCells, place != nil || cells.allSatisfy({ $0.overflow == nil })
    else {
      later.append(number)
      return
    }
    let bytes = page.bytes.span
    guard place == nil else {
      for cell in cells {
        if cell.overflow == nil, located.read(cell.local, of: bytes) {
          take(
            located.digests(in: bytes), located.lastInteger(in: bytes), at: place ?? 0, subjects,
            doubtful: nil, isSummed: true, asked)
        } else if let record = try? image.record(of: cell, on: page).record {
          take(record, at: place ?? 0, subjects, doubtful: nil, asked)
        }
      }
      return
    }
    let owner = claims.owner(of: number)
    let damaged = subjects.indices.filter { subjects[$0].mayHave(pageOf: owner) }
    let own = damaged.filter { owner == nil || owner == subjects[$0].owner }
    let summed = own.filter {
      owner != nil || isKnown(page, cells, to: subjects[$0], in: image)
    }
    let ordered = Self.ordered(cells, on: number, subjects, claims) {
      try? image.record(of: $0, on: page).record
    }
    for cell in ordered where located.read(cell.local, of: bytes) {
      let rowID = located.lastInteger(in: bytes)
      let isAsked = asked.map { asked in rowID.map(asked.contains) ?? false } ?? true
      for place in isAsked ? damaged : own
      where subjects[place].form.admits(located, of: bytes) {
        take(
          located.digests(in: bytes), rowID, at: place, subjects,
          doubtful: owner != nil && owner == subjects[place].owner ? nil : number,
          isSummed: summed.contains(place), asked, isCounted: own.contains(place))
      }
    }
  }

  /// Those entries of a page that are in order; all where nothing is known of that.
  ///
  /// An entry of a damaged index that is out of order was damaged itself, and speaks against no row.
  static func ordered<Entry>(
    _ entries: [Entry], on page: PageNumber, _ subjects: [Inquiry.Subject], _ claims: PageClaims,
    record: (Entry) -> Record?
  ) -> [Entry] {
    guard let owner = claims.owner(of: page),
      let order = subjects.first(where: { $0.owner == owner && !$0.isWhole })?.order
    else { return entries }
    let isOrdered = entries.map(record).inSomeLongestAscent { left, right in
      guard let left, let right else { return true }
      return order.allows(left, before: right)
    }
    let ordered = zip(entries, isOrdered).filter(\.1).map(\.0)
    return ordered.count * 4 < entries.count * 3 ? entries : ordered
  }

  /// Whether one of the first entries of a page that no tree leads to is that of a row.
  private mutating func isKnown(
    _ page: BTreePage, _ cells: [Cell], to subject: Inquiry.Subject, in image: Image
  ) -> Bool {
    for cell in cells.prefix(8) {
      let bytes = page.bytes.span
      guard located.read(cell.local, of: bytes), let rowID = located.lastInteger(in: bytes) else {
        continue
      }
      let digest = located.digests(in: bytes).whole
      guard let leaf = sums?.page(of: rowID) else { continue }
      let keys = image.keys(of: subject.shape, on: leaf)
      if keys.contains(where: { $0.rowID == rowID && $0.key == digest }) { return true }
    }
    return false
  }

  /// Takes in a record that may be an entry of any damaged index.
  mutating func take(
    _ record: Record, on page: PageNumber, _ subjects: [Inquiry.Subject], _ claims: PageClaims,
    _ asked: RowIDSet?
  ) {
    let owner = claims.owner(of: page)
    for place in subjects.indices where subjects[place].mayHave(pageOf: owner) {
      guard subjects[place].form.admits(record) else { continue }
      let isProven = owner != nil && owner == subjects[place].owner
      take(record, at: place, subjects, doubtful: isProven ? nil : page, asked)
    }
  }

  private mutating func take(
    _ record: Record, at place: Int, _ subjects: [Inquiry.Subject], doubtful page: PageNumber?,
    _ asked: RowIDSet?
  ) {
    var start = KeyHash()
    for field in 0..<max(0, record.fieldCount - 1) { _ = start.add(record, field: field) }
    take(
      (start.digest, KeyHash(record).digest), record.value(record.fieldCount - 1)?.integerValue,
      at: place, subjects, doubtful: page, isSummed: page == nil, asked)
  }

  private mutating func take(
    _ digests: (start: UInt64, whole: UInt64), _ last: Int64?, at place: Int,
    _ subjects: [Inquiry.Subject], doubtful page: PageNumber?, isSummed: Bool,
    _ asked: RowIDSet?, isCounted: Bool = true
  ) {
    let rowID = subjects[place].shape.endsInRowID ? last : nil
    if isCounted { accounts[place].count(start: rowID == nil ? nil : digests.start) }
    if let asked {
      guard let rowID else { return }
      if asked.contains(rowID) {
        accounts[place].keep(digests.whole, rowID: rowID, on: page)
      }
      if isSummed { sums?.take(digests.whole, rowID: rowID, at: place) }
    } else {
      accounts[place].keep(digests.whole, rowID: rowID, on: page)
    }
  }
}
