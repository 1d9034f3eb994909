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
    /// A record that can be read, and why nothing proves that it is in use.
    case doubtful(StoredRecord, FormatError)
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
  /// Rows of interior index pages come before those of the pages below them.
  public mutating func run(
    _ claims: inout PageClaims, _ body: (Event) throws -> Bool
  ) rethrows {
    while let step = walk.next(&claims) {
      switch step {
      case .fault(let error, let parent):
        guard try body(.pageFault(error, parent: parent)) else { return }
      case .page(let visit):
        guard try body(.page(visit)) else { return }
        guard visit.page.kind != .tableInterior else { continue }
        for fault in visit.content.faults {
          guard try body(.cellFault(fault)) else { return }
        }
        for cell in visit.content.cells {
          guard try body(event(visit, cell, &claims)) else { return }
        }
        for cell in visit.content.doubtful {
          guard try body(doubt(visit, cell, &claims)) else { return }
        }
      }
    }
  }

  private mutating func event(
    _ visit: TreeWalk.Visit, _ cell: Cell, _ claims: inout PageClaims
  ) -> Event {
    let stored: StoredRecord
    do {
      stored = try read(cell, of: visit.page, &claims)
    } catch {
      return .cellFault(error)
    }
    guard let rowID = stored.rowID else { return .record(stored) }
    let isAbove = visit.lower.map { rowID > $0 } ?? true
    let isBelow = visit.upper.map { rowID <= $0 } ?? true
    let ascends = lastRowID.map { rowID > $0 } ?? true
    guard isAbove, isBelow, ascends else { return .misplaced(stored) }
    lastRowID = rowID
    return .record(stored)
  }

  /// What a cell gives that may be no row any more: it owns no pages.
  private func doubt(
    _ visit: TreeWalk.Visit, _ cell: Cell, _ claims: inout PageClaims
  ) -> Event {
    let page = visit.page.number
    let unproven = FormatError(.cellUnproven, page: page, offset: cell.offset)
    guard cell.overflow == nil || claims.patience > 0 else { return .cellFault(unproven) }
    do throws(FormatError) {
      claims.patience -= cell.overflow == nil ? 0 : cell.chainLength(in: image)
      let (record, chain) = try image.record(of: cell, on: visit.page)
      guard chain.pages.allSatisfy({ claims.owner(of: $0) == nil }) else {
        return .cellFault(unproven)
      }
      return .doubtful(
        StoredRecord(rowID: cell.rowID, record: record, page: page, offset: cell.offset), unproven)
    } catch {
      return .cellFault(error)
    }
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
      if cell.overflow != nil { claims.patience -= cell.chainLength(in: image) }
      throw FormatError(
        error.problem, page: error.page ?? page.number, offset: error.offset ?? cell.offset)
    }
  }
}

extension Cell {
  /// How many pages a chain for the payload can have at the most.
  fileprivate func chainLength(in image: Image) -> Int {
    min(image.pageCount, (payloadSize - local.count) / image.geometry.overflowCapacity + 1)
  }
}
