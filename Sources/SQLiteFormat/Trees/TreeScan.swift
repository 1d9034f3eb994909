// SPDX-License-Identifier: Apache-2.0
// Reading every record of a tree: the walk, its cells, their overflow chains, their records.

/// A record as it lies in a tree: a row of a table, or an entry of an index.
package struct StoredRecord: Sendable {
  /// The rowid; nil in index trees.
  package let rowID: Int64?
  /// The record.
  package let record: Record
  /// The page of its cell.
  package let page: PageNumber
  /// Where its cell starts in the page.
  package let offset: Int

  /// Makes a record found at a place.
  package init(rowID: Int64?, record: Record, page: PageNumber, offset: Int) {
    self.rowID = rowID
    self.record = record
    self.page = page
    self.offset = offset
  }

  /// Makes the record of a cell.
  package init(_ record: Record, of cell: Cell, on page: BTreePage) {
    self.init(rowID: cell.rowID, record: record, page: page.number, offset: cell.offset)
  }
}

/// A scan of one tree that yields every record that can be read, and every fault.
package struct TreeScan: Sendable {
  /// What the scan met.
  package enum Event: Sendable {
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
  private let owner: PageOwner
  private var walk: TreeWalk
  private var lastRowID: Int64?

  /// A scan from a root; pages and overflow pages are claimed for `owner`.
  package init(_ image: Image, root: PageNumber, isTable: Bool, owner: PageOwner) {
    self.image = image
    self.owner = owner
    walk = TreeWalk(image, root: root, isTable: isTable, owner: owner)
  }

  /// Runs to the end, or until `body` returns false.
  ///
  /// Rows of interior index pages come before those of the pages below them. Of a page that
  /// `takesWhole` takes, no record is an event; only sound pages are offered, whose rows lie in
  /// their place.
  package mutating func run(
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
        for cell in visit.content.doubtful {
          guard try body(doubt(visit, cell, &claims)) else { return }
        }
      }
    }
  }

  /// Whether a page is sound, no cell of it is in doubt, and its rowids ascend from the last one, in
  /// the page's interval.
  private func isInPlace(_ visit: TreeWalk.Visit) -> Bool {
    guard visit.content.layoutFault == nil, visit.content.doubtful.isEmpty,
      !visit.content.cells.contains(where: { image.hasOverwrittenText($0, on: visit.page) })
    else { return false }
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
      stored = try claims.read(cell, of: visit.page, in: image, for: owner)
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

  private func doubt(
    _ visit: TreeWalk.Visit, _ cell: Cell, _ claims: inout PageClaims
  ) -> Event {
    do {
      let stored = try claims.readDoubtful(cell, of: visit.page, in: image)
      return .doubtful(stored, image.doubt(of: cell, on: stored.page))
    } catch {
      return .cellFault(error)
    }
  }
}

extension Image {
  /// Calls `body` with every record of a tree that lies in its place, until it returns false.
  package func forEachRecord(
    ofTree root: PageNumber, isTable: Bool, _ body: (StoredRecord) throws -> Bool
  ) rethrows {
    var claims = PageClaims(pageCount: pageCount)
    var scan = TreeScan(self, root: root, isTable: isTable, owner: .tree(0))
    try scan.run(&claims) { event in
      if case .record(let stored) = event { try body(stored) } else { true }
    }
  }
}

extension PageClaims {
  /// Reads the record of a cell, and claims its overflow pages for an owner.
  ///
  /// - Throws: ``FormatError`` when the record cannot be read, or a page of its chain has another
  ///   owner.
  package mutating func read(
    _ cell: Cell, of page: BTreePage, in image: Image, for owner: PageOwner
  ) throws(FormatError) -> StoredRecord {
    let (stored, chain) = try record(of: cell, on: page, in: image)
    for overflow in chain.pages where !claim(overflow, for: owner) {
      patience -= image.pagesToFollow(for: cell)
      throw FormatError(.claimedTwice, page: overflow).met(in: cell, on: page.number)
    }
    note(chain)
    return stored
  }

  /// Reads the record of a cell that may be no row any more: it owns no pages.
  ///
  /// - Throws: ``FormatError`` when the record cannot be read, or a page of its chain has an owner.
  package mutating func readDoubtful(
    _ cell: Cell, of page: BTreePage, in image: Image
  ) throws(FormatError) -> StoredRecord {
    let (stored, chain) = try record(of: cell, on: page, in: image)
    // Nothing is claimed: many such cells may lead into the same long chain.
    patience -= image.pagesToFollow(for: cell)
    guard chain.pages.allSatisfy({ owner(of: $0) == nil }) else {
      throw FormatError(.cellUnproven, page: page.number, offset: cell.offset)
    }
    chain.pages.forEach { passOver($0) }
    return stored
  }

  /// Reads the record of a cell of which a text was overwritten; its pages are nobody's.
  ///
  /// Nil where it cannot be read, or a page of its chain has an owner.
  package mutating func readOverwritten(
    _ cell: Cell, of page: BTreePage, in image: Image
  ) -> StoredRecord? {
    // Nothing is claimed: many such cells may lead into the same long chain.
    patience -= image.pagesToFollow(for: cell)
    guard patience > 0, let chain = try? image.overflowChain(of: cell, on: page.number),
      chain.pages.allSatisfy({ owner(of: $0) == nil }),
      let record = try? image.record(of: cell, on: page, along: chain)
    else { return nil }
    return StoredRecord(record, of: cell, on: page)
  }

  /// The fields of a cell's record that end before its chain breaks; nil where not even its header
  /// is there.
  package mutating func leadingFields(
    of cell: Cell, on page: BTreePage, in image: Image
  ) -> LeadingFields? {
    patience -= image.pagesToFollow(for: cell)
    return image.leadingFields(of: cell, on: page, followsChain: patience > 0)
  }

  private mutating func record(
    of cell: Cell, on page: BTreePage, in image: Image
  ) throws(FormatError) -> (record: StoredRecord, chain: OverflowChain) {
    guard cell.overflow == nil || patience > 0 else {
      throw FormatError(.chainAstray, page: page.number, offset: cell.offset)
    }
    do throws(FormatError) {
      let (record, chain) = try image.record(of: cell, on: page)
      return (StoredRecord(record, of: cell, on: page), chain)
    } catch {
      patience -= image.pagesToFollow(for: cell)
      throw error
    }
  }
}
