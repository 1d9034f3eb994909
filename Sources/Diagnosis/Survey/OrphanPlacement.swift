// SPDX-License-Identifier: Apache-2.0
// Leaf pages that no tree leads to, given back to their table where the evidence is hard and unique.
//
// A page goes to a table only when the table is known to miss pages, and either
// - every row of the page is in a sound index of that table, and of no other one, or
// - the table has no such index, is the only table whose columns the rows can have, and the rowids
//   fit between those that it has.
// Everything else stays an orphan.

import SQLiteFormat

/// The search for the tables of orphan leaf pages.
struct OrphanPlacement {
  /// A table that misses pages, with what can witness for it.
  private struct Candidate {
    let position: Int
    let description: TableDescription
    let shape: RowShape
    /// The intervals of rowids on the leaves that the table still has.
    let occupied: [ClosedRange<Int64>]
    /// The keys of sound indexes over every row, with how each follows from a row.
    let witnesses: [(index: IndexShape, keys: Set<KeyHash>)]
  }

  /// The table of every orphan page that could be placed, as a position in `trees`.
  static func place(
    _ unclaimed: [UnclaimedPage], image: Image, schema: SchemaSurvey, trees: [TreeSurvey]
  ) -> [PageNumber: Int] {
    let candidates = trees.enumerated().compactMap { position, tree in
      candidate(position, tree, image, schema, trees)
    }
    guard !candidates.isEmpty else { return [:] }
    var placed: [PageNumber: Int] = [:]
    var intervals: [Int: [(page: PageNumber, rowIDs: ClosedRange<Int64>)]] = [:]
    for orphan in unclaimed {
      guard case .btree(.tableLeaf, let cells) = orphan.content, cells > 0,
        let rows = rows(on: orphan.page, image), rows.count == cells,
        let first = rows.first?.rowID, let last = rows.last?.rowID, first <= last
      else { continue }
      let interval = first...last
      guard
        let owner = owner(of: rows, interval, candidates, schema)
      else { continue }
      placed[orphan.page] = owner
      intervals[owner, default: []].append((orphan.page, interval))
    }
    // Two pages with the same rowids cannot both be right: one is an older copy.
    for pages in intervals.values {
      for (index, left) in pages.enumerated() {
        for right in pages[(index + 1)...] where left.rowIDs.overlaps(right.rowIDs) {
          placed[left.page] = nil
          placed[right.page] = nil
        }
      }
    }
    return placed
  }

  private static func candidate(
    _ position: Int, _ tree: TreeSurvey, _ image: Image, _ schema: SchemaSurvey,
    _ trees: [TreeSurvey]
  ) -> Candidate? {
    guard tree.entry.kind == .table, tree.isRowIDTable, !tree.pageFaults.isEmpty,
      let description = schema.table(named: tree.entry.name),
      let shape = schema.shape(ofTable: tree.entry.name)
    else { return nil }
    let indexes = schema.computableIndexes(of: description)
    let witnesses = indexes.compactMap { index -> (index: IndexShape, keys: Set<KeyHash>)? in
      guard
        let survey = trees.first(where: {
          $0.entry.kind == .index && $0.entry.name.lowercased() == index.name.lowercased()
        }), survey.isSound
      else { return nil }
      return (index, keys(of: survey, image))
    }
    return Candidate(
      position: position, description: description, shape: shape,
      occupied: occupied(by: tree, image), witnesses: witnesses)
  }

  private static func owner(
    of rows: [StoredRecord], _ interval: ClosedRange<Int64>, _ candidates: [Candidate],
    _ schema: SchemaSurvey
  ) -> Int? {
    let witnessed = candidates.filter { candidate in
      candidate.witnesses.contains { witness in
        rows.allSatisfy { witness.keys.contains(witness.index.key(of: $0)) }
      }
    }
    if !witnessed.isEmpty { return witnessed.count == 1 ? witnessed[0].position : nil }
    let fitting = schema.parsed.description.tables.filter { table in
      table.kind != .virtual && !table.withoutRowID
        && rows.allSatisfy { $0.canBelong(to: table) }
    }
    guard fitting.count == 1,
      let candidate = candidates.first(where: { $0.description.name == fitting[0].name }),
      candidate.witnesses.isEmpty, !candidate.occupied.contains(where: interval.overlaps)
    else { return nil }
    return candidate.position
  }

  /// The rows of a leaf page; nil when a cell holds none, or the rowids do not ascend.
  private static func rows(on page: PageNumber, _ image: Image) -> [StoredRecord]? {
    guard let leaf = try? image.btreePage(page) else { return nil }
    let (cells, faults) = image.cells(of: leaf)
    guard faults.isEmpty else { return nil }
    var rows: [StoredRecord] = []
    for cell in cells {
      guard let rowID = cell.rowID, rows.last?.rowID.map({ $0 < rowID }) ?? true,
        let record = try? image.record(of: cell, on: leaf).record
      else { return nil }
      rows.append(
        StoredRecord(rowID: rowID, record: record, page: page, offset: cell.offset))
    }
    return rows
  }

  private static func keys(of index: TreeSurvey, _ image: Image) -> Set<KeyHash> {
    var keys: Set<KeyHash> = []
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(image, root: index.root, isTable: false, owner: Survey.firstTreeOwner)
    scan.run(&claims) { event in
      if case .record(let stored) = event { keys.insert(stored.record.wholeKey) }
      return true
    }
    return keys
  }

  private static func occupied(by table: TreeSurvey, _ image: Image) -> [ClosedRange<Int64>] {
    var intervals: [ClosedRange<Int64>] = []
    var current: ClosedRange<Int64>?
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(image, root: table.root, isTable: true, owner: Survey.firstTreeOwner)
    scan.run(&claims) { event in
      switch event {
      case .page:
        if let interval = current { intervals.append(interval) }
        current = nil
      case .record(let stored):
        guard let rowID = stored.rowID else { break }
        current =
          min(current?.lowerBound ?? rowID, rowID)...max(current?.upperBound ?? rowID, rowID)
      case .misplaced, .doubtful, .cellFault, .pageFault: break
      }
      return true
    }
    return intervals + (current.map { [$0] } ?? [])
  }
}

extension StoredRecord {
  /// Whether SQLite could have stored this record in a table.
  ///
  /// Only what SQLite itself guarantees counts: no more fields than columns, NULL in the
  /// rowid's alias and nowhere that is NOT NULL, no number in a column of TEXT affinity, and
  /// the declared types of a STRICT table.
  fileprivate func canBelong(to table: TableDescription) -> Bool {
    let stored = table.storageOrder
    guard record.fields.count <= stored.count else { return false }
    for (index, position) in stored.enumerated() where table.columns.indices.contains(position) {
      let column = table.columns[position]
      guard index < record.fields.count else {
        // Columns that were added later are missing from older records.
        if column.notNull, column.defaultSQL == nil { return false }
        continue
      }
      let type = record.fields[index].serialType
      if table.rowIDAlias == position {
        guard type == 0 else { return false }
        continue
      }
      if type == 0 {
        if column.notNull { return false }
        continue
      }
      let isNumber = type < 12
      switch Affinity(declaredType: column.type, strict: table.strict) {
      case .text where isNumber: return false
      case .integer where table.strict && (!isNumber || type == 7): return false
      case .real where table.strict && !isNumber: return false
      default: break
      }
    }
    return true
  }
}
