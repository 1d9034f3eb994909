// SPDX-License-Identifier: Apache-2.0
// Reading every record of a tree: the walk, its cells, their overflow chains, their records.

/// A record as it lies in a tree: a row of a table, or an entry of an index.
public struct StoredRecord: Sendable {
  /// The rowid; nil in index trees.
  public let rowID: Int64?
  /// The record.
  public let record: Record
  /// The page of its cell.
  public let page: PageNumber
  /// Where its cell starts in the page.
  public let offset: Int

  /// Makes a record found at a place.
  public init(rowID: Int64?, record: Record, page: PageNumber, offset: Int) {
    self.rowID = rowID
    self.record = record
    self.page = page
    self.offset = offset
  }
}

/// A scan of one tree that yields every record that can be read, and every fault.
public struct TreeScan: Sendable {
  /// What the scan met.
  public enum Event: Sendable {
    /// A page of the tree is about to be read.
    case page(TreeWalk.Visit)
    /// A record.
    case record(StoredRecord)
    /// A cell that yields no record.
    case cellFault(FormatError)
    /// A record that can be read but lies at the wrong place of its tree.
    case misplaced(StoredRecord)
    /// A page that could not be visited, and the page that points to it.
    case pageFault(FormatError, parent: PageNumber?)
  }

  private let image: Image
  private let owner: PageClaims.Owner
  private var walk: TreeWalk
  private var lastRowID: Int64?

  /// A scan from a root; pages and overflow pages are claimed for `owner`.
  public init(_ image: Image, root: PageNumber, isTable: Bool, owner: PageClaims.Owner) {
    self.image = image
    self.owner = owner
    walk = TreeWalk(image, root: root, isTable: isTable, owner: owner)
  }

  /// Runs to the end, or until `body` returns false.
  ///
  /// Rows of interior index pages come before those of the pages below them. Of a page that
  /// `takesWhole` takes, no record is an event; only sound pages are offered, whose rows lie in
  /// their place.
  public mutating func run(
    _ claims: inout PageClaims, takesWhole: (TreeWalk.Visit) -> Bool = { _ in false },
    _ body: (Event) throws -> Bool
  ) rethrows {
    while let step = walk.next(&claims) {
      switch step {
      case .fault(let error, let parent):
        guard try body(.pageFault(error, parent: parent)) else { return }
      case .page(let visit):
        guard try body(.page(visit)) else { return }
        guard visit.page.kind != .tableInterior else { continue }
        if isInPlace(visit), takesWhole(visit) {
          lastRowID = visit.content.cells.last?.rowID ?? lastRowID
          continue
        }
        for fault in visit.content.faults {
          guard try body(.cellFault(fault)) else { return }
        }
        for cell in visit.content.cells {
          guard try body(event(visit, cell, &claims)) else { return }
        }
      }
    }
  }

  /// Whether a page is sound, and its rowids ascend from the last one, in the page's interval.
  private func isInPlace(_ visit: TreeWalk.Visit) -> Bool {
    guard visit.content.layoutFault == nil else { return false }
    guard visit.page.kind.isTable else { return true }
    var last = max(lastRowID ?? .min, visit.lower ?? .min)
    var isFirst = lastRowID == nil && visit.lower == nil
    for cell in visit.content.cells {
      guard let rowID = cell.rowID, rowID > last || isFirst, rowID <= visit.upper ?? .max else {
        return false
      }
      last = rowID
      isFirst = false
    }
    return true
  }

  private mutating func event(
    _ visit: TreeWalk.Visit, _ cell: Cell, _ claims: inout PageClaims
  ) -> Event {
    let stored: StoredRecord
    do {
      stored = try read(cell, of: visit.page, &claims)
    } catch {
      return .cellFault(
        FormatError(
          error.problem, page: error.page ?? visit.page.number, offset: error.offset ?? cell.offset)
      )
    }
    guard let rowID = stored.rowID else { return .record(stored) }
    let isAbove = visit.lower.map { rowID > $0 } ?? true
    let isBelow = visit.upper.map { rowID <= $0 } ?? true
    let ascends = lastRowID.map { rowID > $0 } ?? true
    guard isAbove, isBelow, ascends else { return .misplaced(stored) }
    lastRowID = rowID
    return .record(stored)
  }

  private func read(
    _ cell: Cell, of page: BTreePage, _ claims: inout PageClaims
  ) throws(FormatError) -> StoredRecord {
    guard cell.overflow == nil || claims.patience > 0 else {
      throw FormatError(.chainAstray, page: page.number, offset: cell.offset)
    }
    do throws(FormatError) {
      let (record, chain) = try image.record(of: cell, on: page)
      for overflow in chain.pages where !claims.claim(overflow, for: owner) {
        throw FormatError(.claimedTwice, page: overflow)
      }
      return StoredRecord(
        rowID: cell.rowID, record: record, page: page.number, offset: cell.offset)
    } catch {
      if cell.overflow != nil {
        claims.patience -= min(
          image.pageCount, (cell.payloadSize - cell.local.count) / image.geometry.overflowCapacity)
      }
      throw error
    }
  }
}
