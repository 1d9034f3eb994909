// SPDX-License-Identifier: Apache-2.0
// What is left of damaged indexes, and what that still says of the rows of their tables.

import SQLiteFormat

/// The tables of which sound pages of their damaged indexes say something, as positions among the trees.
struct DamagedIndexes {
  /// Those that lack rows which are named there.
  var short: Set<Int> = []
  /// Those of which rows have other values there.
  var contradicted: Set<Int> = []
}

extension Survey {
  /// What is left of damaged indexes.
  var damagedIndexes: DamagedIndexes {
    trees.indices.reduce(into: DamagedIndexes()) { found, place in
      guard trees[place].entry.kind == .index, !trees[place].isSound,
        let table = treePlaces[trees[place].entry.table]
      else { return }
      let sayings = sayings(ofIndex: place)
      if sayings.contains(.isMissing) { found.short.insert(table) }
      if sayings.contains(.isAnother) { found.contradicted.insert(table) }
    }
  }

  /// What an entry of an index for which there is no row says.
  private enum Saying {
    /// The row is not there.
    case isMissing
    /// The row has other values.
    case isAnother
  }

  /// What sound pages of a damaged index say, most of whose entries are for rows of its table.
  ///
  /// An entry that is out of order among its neighbours was damaged itself.
  private func sayings(ofIndex place: Int) -> Set<Saying> {
    guard let pair = IndexAndTable(trees[place], in: self), pair.table.isReadable else { return [] }
    var keys: Set<KeyHash> = []
    var rows: Set<KeyHash> = []
    pair.forEach(.rows) { stored in
      keys.insert(pair.shape.key(of: stored))
      rows.insert(pair.name(of: stored))
      return true
    }
    let order = keyOrder(of: trees[place])
    var sayings: Set<Saying> = []
    for page in pair.image.dataPages {
      let owner = claims.owner(of: page)
      // What the list of free pages has lost may be of another time.
      guard owner.map({ $0 == .tree(place) }) ?? isFreelistWhole,
        let entries = pair.image.entries(of: page, fieldCount: pair.shape.fields.count),
        entries.count(where: { keys.contains(KeyHash($0)) }) * 2 > entries.count
      else { continue }
      let isInOrder = entries.inSomeLongestAscent { order?.allows($0, before: $1) ?? true }
      for (entry, isInOrder) in zip(entries, isInOrder) where !keys.contains(KeyHash(entry)) {
        guard let name = pair.name(inEntry: entry) else { continue }
        if !rows.contains(name) {
          sayings.insert(.isMissing)
        } else if owner != nil, isInOrder {
          sayings.insert(.isAnother)
        }
      }
    }
    return sayings
  }
}

extension IndexAndTable {
  /// What tells a row from all others: its rowid, or its key in a table WITHOUT ROWID.
  fileprivate func name(of stored: StoredRecord) -> KeyHash {
    var name = KeyHash()
    if let rowID = stored.rowID {
      name.add(rowID)
    } else {
      for place in 0..<keyCount where !name.add(stored.record, field: place) { name.add(.null) }
    }
    return name
  }

  /// The same of the row that an entry is for; nil where it does not tell.
  fileprivate func name(inEntry entry: Record) -> KeyHash? {
    var name = KeyHash()
    guard !table.isRowIDTable else {
      // The last field of an entry is the rowid: file format, section 2.4.
      guard let rowID = entry.value(shape.fields.count - 1)?.integerValue else { return nil }
      name.add(rowID)
      return name
    }
    for place in 0..<keyCount {
      let field = shape.fields.firstIndex { if case .stored(place, _) = $0 { true } else { false } }
      guard let field, name.add(entry, field: field) else { return nil }
    }
    return name
  }
}

extension Image {
  /// How many overflow pages are followed for the entries of a page.
  private static var overflowMax: Int { 64 }

  /// The entries of a sound page of an index with so many fields; nil of any other page.
  fileprivate func entries(of number: PageNumber, fieldCount: Int) -> [Record]? {
    guard let page = try? btreePage(number), !page.kind.isTable, let cells = page.soundCells
    else { return nil }
    var patience = Self.overflowMax
    let records = cells.compactMap { record(of: $0, on: page, &patience) }
    return records.count == cells.count && records.allSatisfy { $0.fieldCount == fieldCount }
      ? records : nil
  }
}
