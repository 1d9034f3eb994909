// SPDX-License-Identifier: Apache-2.0
// The rows of the schema, wherever a file has them: in the schema table, on pages that this has
// lost, and in the journals.

import SQLiteFormat

/// The rows of a schema from every place in a file: the schema table's first, then those of pages
/// that it has lost, then those of other times.
struct FoundSchemaRows {
  /// The schema table.
  private(set) var tree: TreeSurvey
  /// The rows.
  private(set) var records: [StoredRecord]
  /// Rows of the schema table of which nothing in its pages proves that they are in use.
  let doubtful: [StoredRecord]
  /// The positions of the schema table's rows that do not lie where their rowids belong.
  private let displaced: Set<Int>
  /// How many of the rows are the schema table's.
  private let live: Int
  /// Where the rows of other times begin.
  private var orphans: Int

  /// Reads the schema table, and looks elsewhere where it cannot be read whole.
  init(in image: Image, believesTable: Bool, claims: inout PageClaims) {
    let own = SchemaEntry(
      kind: .table, name: "sqlite_schema", table: "sqlite_schema", root: .first, sql: nil)
    var scratch = claims
    var records: [StoredRecord] = []
    (records, doubtful, displaced) =
      believesTable ? Self.rows(of: image, &scratch) : ([], [], [])
    if !believesTable { _ = claims.claim(.first, for: .schema) }
    tree = TreeSurvey(
      TreeTask(
        entry: own, root: believesTable ? .first : nil, isRowIDTable: true, owner: .schema),
      in: image, claims: &claims)
    live = records.count
    guard !tree.isReadable else {
      (self.records, orphans) = (records, live)
      return
    }
    let firstFree = believesTable ? image.header?.firstFreelistTrunk : nil
    records += Self.orphanRows(of: image, besides: Freelist(image, first: firstFree), &claims)
    orphans = records.count
    records += Self.rowsOfOtherTimes(image, besides: believesTable ? nil : image.firstPage)
    self.records = records
  }

  /// How many lost pages of a schema table are taken that can be read, at most.
  private static let lostMax = 1 << 10

  /// Looks for pages that the schema table has lost although all that it leads to can be read, and
  /// says whether there are any; each has a row that is wanted.
  ///
  /// A page that the table gave back has rows that the table has elsewhere. A lost one is a stretch
  /// of rowids between those of the pages that are left.
  mutating func searchBesideTree(
    in image: Image, _ claims: inout PageClaims, for isWanted: (StoredRecord) -> Bool
  ) -> Bool {
    guard tree.isReadable else { return false }
    var scratch = claims
    let freelist = Freelist(image, first: image.header?.firstFreelistTrunk)
    let orphaned = Self.orphanRows(of: image, besides: freelist, &scratch).byPage
    let stretches = (orphaned + Array(records[..<live]).byPage).compactMap(\.rowIDs)
    let wanted = orphaned.filter { $0.contains(where: isWanted) }
    for rows in wanted.prefix(Self.lostMax) {
      guard let page = rows.first?.page, let stretch = rows.rowIDs,
        stretches.count(where: stretch.overlaps) == 1, claims.claim(page, for: .schema)
      else { continue }
      records.insert(contentsOf: rows, at: orphans)
      orphans += rows.count
      tree.note(lost: page)
    }
    return orphans > live
  }

  /// Whether the row at a position lies where its rowid belongs.
  func isInPlace(_ position: Int) -> Bool { !displaced.contains(position) }

  /// Where the row at a position is from.
  func source(of position: Int) -> SchemaSource {
    position < live ? .schemaTable : position < orphans ? .orphanPage : .otherTime
  }

  /// The rows of a schema table, those of which nothing in its pages proves that they are in use,
  /// and the positions of those that do not lie where their rowids belong.
  private static func rows(
    of image: Image, _ claims: inout PageClaims
  ) -> (records: [StoredRecord], doubtful: [StoredRecord], displaced: Set<Int>) {
    var records: [StoredRecord] = []
    var doubtful: [StoredRecord] = []
    var displaced: Set<Int> = []
    var scan = TreeScan(image, root: .first, isTable: true, owner: .schema)
    scan.run(&claims) { event in
      switch event {
      case .record(let stored): records.append(stored)
      case .misplaced(let stored):
        displaced.insert(records.count)
        records.append(stored)
      case .doubtful(let stored, _): doubtful.append(stored)
      default: break
      }
      return true
    }
    return (records, doubtful, displaced)
  }

  /// The rows of schema pages that the schema's tree has lost.
  private static func orphanRows(
    of image: Image, besides freelist: Freelist, _ claims: inout PageClaims
  ) -> [StoredRecord] {
    let pages = PageReader(image)
    let free = Set(freelist.leaves)
    var records: [StoredRecord] = []
    for page in image.dataPages where claims.owner(of: page) == nil && !free.contains(page) {
      guard let leaf = try? image.btreePage(page), leaf.kind == .tableLeaf,
        leaf.cellCount > 0
      else { continue }
      let rows = pages.rows(on: page, isTable: true)
      guard !rows.isEmpty, rows.allSatisfy({ $0.record.isOfSchema }) else { continue }
      _ = claims.claim(page, for: .schema)
      records += rows
    }
    return records
  }

  /// The rows of the schema table as the journals have it of other times, the newest first; none
  /// of a time with a first page that is not believed.
  private static func rowsOfOtherTimes(
    _ image: Image, besides firstPage: Bytes?
  ) -> [StoredRecord] {
    Generations(image, last: generationsMax).reversed().flatMap { generation -> [StoredRecord] in
      if let firstPage, generation.image.firstPage == firstPage { return [] }
      var claims = PageClaims(pageCount: generation.image.pageCount)
      return rows(of: generation.image, &claims).records
    }
  }

  /// How many states of the journals are asked for a lost schema.
  private static var generationsMax: Int { 16 }
}

extension [StoredRecord] {
  /// The rows of each page.
  fileprivate var byPage: [[StoredRecord]] {
    Dictionary(grouping: self, by: \.page).sorted { $0.key < $1.key }.map(\.value)
  }

  /// The rowids of rows of one page, from the first to the last.
  fileprivate var rowIDs: ClosedRange<Int64>? {
    let rowIDs = compactMap(\.rowID)
    return rowIDs.min().flatMap { first in rowIDs.max().map { first...$0 } }
  }
}

extension TreeSurvey {
  /// Notes a page of the tree to which no page of it leads.
  fileprivate mutating func note(lost page: PageNumber) {
    pageFaults.add(FormatError(.unreached, page: page))
  }
}

extension Image {
  fileprivate var firstPage: Bytes? { try? bytes(of: .first) }
}
