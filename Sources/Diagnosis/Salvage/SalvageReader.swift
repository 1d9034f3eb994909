// SPDX-License-Identifier: Apache-2.0
// Every row that the bytes of a file set hold, table by table, with the evidence for it.

package import SQLiteFormat
import Synchronization

/// The reading side of a salvage: which bytes are rows, and whose.
package struct SalvageReader: Sendable {
  let survey: Survey
  let image: Image
  private let believesTables: Bool
  /// Pages that are damaged where it cannot be seen.
  private let damagedPages: Set<PageNumber>

  /// Makes a reader; nil when the survey found no database.
  ///
  /// Where `believesTables`, a row counts although an index contradicts it: whoever makes the
  /// indexes anew has decided who is right.
  package init?(_ survey: Survey, believesTables: Bool = false) {
    guard let image = survey.image else { return nil }
    self.believesTables = believesTables
    self.survey = survey
    self.image = image
    damagedPages = image.damagedPages.filter {
      (try? image.btreePage($0))?.layoutFaults.isEmpty ?? false
    }
  }

  /// The tables that the file names, in the order in which they are read.
  package var tables: [TreeSurvey] {
    survey.trees.filter { $0.entry.kind == .table }
  }

  /// Reads the rows of one table, in the order of its tree, on a thread of its own: `body` is
  /// called on this one.
  ///
  /// `claims` carries what earlier tables own from one call to the next.
  package func read(
    _ table: TreeSurvey, _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    let after = Mutex(claims)
    let belt = Belt<SalvagedItem> { [claims] put in
      var claims = claims
      var batch = Batch()
      var isWanted = true
      scan(table, &claims) { item in
        if isWanted, batch.add(item) { isWanted = put(batch.removeAll()) }
      }
      if isWanted { _ = put(batch.removeAll()) }
      after.withLock { $0 = claims }
    }
    defer {
      belt.stop()
      claims = after.withLock(\.self)
    }
    while let items = belt.next() {
      for item in items { try body(item) }
    }
  }

  /// An index of which nothing is wrong, by name.
  package func soundIndex(named name: Name) -> TreeSurvey? {
    survey.treePlaces.index(named: name).map { survey.trees[$0] }.flatMap { $0.isSound ? $0 : nil }
  }

  /// Reads the entries of an index, in their order.
  package func readEntries(
    of index: TreeSurvey, _ body: (StoredRecord) throws -> Void
  ) rethrows {
    guard let root = index.root else { return }
    var claims = PageClaims(pageCount: image.pageCount)
    var scan = TreeScan(image, root: root, isTable: false, owner: Survey.firstTreeOwner)
    try scan.run(&claims) { event in
      if case .record(let stored) = event { try body(stored) }
      return true
    }
  }

  /// Reads the rows of one table, in the order of its tree.
  private func scan(
    _ table: TreeSurvey, _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    if let assignment = survey.assignment(of: table) {
      return try read(assignment, of: table, &claims, body)
    }
    guard let root = table.root else { return }
    let name = table.entry.name
    var scan = TreeScan(
      image, root: root, isTable: table.isRowIDTable, owner: Survey.firstTreeOwner)
    try scan.run(&claims) { event in
      switch event {
      case .page: break
      case .record(let stored): try body(row(stored, of: name))
      case .misplaced(let stored): try body(.doubtful(table: name, stored, .misplaced))
      case .doubtful(let stored, _): try body(.doubtful(table: name, stored, .unproven))
      case .cellFault(let error): try body(.lostCell(table: name, error))
      case .pageFault(let error, _): try body(.lostPage(table: name, error))
      }
      return true
    }
  }

  /// Reads the rows of a table that was put together again.
  private func read(
    _ assignment: Reassembly.Assignment, of table: TreeSurvey, _ claims: inout PageClaims,
    _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    let name = table.entry.name
    for fault in table.pageFaults.first { try body(.lostPage(table: name, fault)) }
    for page in assignment.pages {
      let found = image.claimedRows(
        on: page, isTable: table.isRowIDTable, survey.reconstruction.chains, &claims)
      for fault in found.faults { try body(.lostCell(table: name, fault)) }
      for partial in found.partial { try body(.partial(table: name, partial)) }
      for (row, doubt) in found.spilled {
        try body(.doubtful(table: name, row, .chain(doubt)))
      }
      for row in found.doubtful {
        if assignment.proves(row) {
          try body(.row(table: name, row))
        } else {
          try body(.doubtful(table: name, row, .unproven))
        }
      }
      let inOrder = Set(found.rows.compactMap(\.rowID).longestAscent(by: <))
      for (position, row) in found.rows.enumerated() {
        let isInOrder = row.rowID == nil || inOrder.contains(position)
        let doubt = assignment.doubt(of: row, isInOrder: isInOrder)
        if let doubt, doubt != .contradicted || !believesTables {
          try body(.doubtful(table: name, row, doubt))
        } else {
          try body(self.row(row, of: name))
        }
      }
    }
  }

  /// A row against which nothing speaks but that its page may be damaged unseen.
  private func row(_ row: StoredRecord, of table: Name) -> SalvagedItem {
    damagedPages.contains(row.page)
      ? .doubtful(table: table, row, .unproven) : .row(table: table, row)
  }

  /// Reads the rows of pages whose table is not proven.
  package func readOrphans(
    _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    for orphan in survey.reassembly.orphans {
      let found = image.claimedRows(
        on: orphan.page, isTable: orphan.isTable, survey.reconstruction.chains, &claims)
      let names = orphan.candidates.map { survey.trees[$0].entry.name }
      for row in found.rows + found.doubtful + found.spilled.map(\.row) {
        try body(
          .doubtful(table: names.count == 1 ? names[0] : nil, row, .orphan(candidates: names)))
      }
    }
  }

  /// Claims with which a reading starts: pages that cannot hold rows are taken.
  package var startingClaims: PageClaims {
    var claims = PageClaims(pageCount: image.pageCount)
    survey.claims.forEach { page, owner in
      if owner == Survey.schemaOwner || owner == Survey.reservedOwner {
        _ = claims.claim(page, for: owner)
      }
    }
    return claims
  }
}

extension Reassembly.Assignment {
  /// Whether an index proves a row that its own page does not.
  fileprivate func proves(_ row: StoredRecord) -> Bool {
    let testimony = witnesses.testimony(on: row)
    return testimony.isKnown && !testimony.isDenied
  }

  /// Why a row is not placed in the table of its page; nil when nothing speaks against it.
  fileprivate func doubt(of row: StoredRecord, isInOrder: Bool) -> Doubt? {
    let testimony = witnesses.testimony(on: row)
    if testimony.isDenied { return .contradicted }
    return isInOrder || testimony.isEchoed ? nil : .misplaced
  }
}

extension Image {
  /// What can be read of a page of rows.
  fileprivate struct Found {
    var rows: [StoredRecord] = []
    var doubtful: [StoredRecord] = []
    var partial: [PartialRow] = []
    /// Rows whose overflow chain is in doubt.
    var spilled: [(row: StoredRecord, doubt: ChainDoubt)] = []
    var faults: [FormatError] = []
  }

  /// The rows of a page, with their overflow pages claimed, and what cannot be read of it.
  fileprivate func claimedRows(
    on number: PageNumber, isTable: Bool, _ chains: ChainRepair, _ claims: inout PageClaims
  ) -> Found {
    var found = Found()
    guard claims.claim(number, for: Survey.firstTreeOwner) else { return found }
    do throws(FormatError) {
      let reading = try reading(
        of: number, as: isTable ? [.tableLeaf, .tableInterior] : [.indexLeaf, .indexInterior])
      found.faults = reading.content.faults
      guard reading.page.kind != .tableInterior else { return found }
      let (content, listed) = (reading.content, Set(reading.content.listed))
      for cell in content.cells + content.listed {
        read(cell, on: reading.page, chains, &claims, &found)
      }
      for cell in content.doubtful where !listed.contains(cell) {
        do throws(FormatError) {
          found.doubtful.append(try claims.readDoubtful(cell, of: reading.page, in: self))
        } catch {
          found.faults.append(error)
        }
      }
    } catch {
      found.faults.append(error)
    }
    return found
  }

  /// Reads a cell that its page proves.
  private func read(
    _ cell: Cell, on page: BTreePage, _ chains: ChainRepair, _ claims: inout PageClaims,
    _ found: inout Found
  ) {
    if let repair = chains.repair(of: cell, on: page.number),
      let record = try? record(of: cell, on: page, along: repair.chain)
    {
      let row = StoredRecord(
        rowID: cell.rowID, record: record, page: page.number, offset: cell.offset)
      if repair.isSound { found.rows.append(row) } else { found.spilled.append((row, .inferred)) }
      return
    }
    do throws(FormatError) {
      if chains.isShared(cell, on: page.number) {
        found.spilled.append((try claims.readDoubtful(cell, of: page, in: self), .shared))
        return
      }
      let row = try claims.read(cell, of: page, in: self, for: Survey.firstTreeOwner)
      if cell.overflow != nil, hasZeroedPage(cell, on: page) {
        found.spilled.append((row, .zeroed))
      } else {
        found.rows.append(row)
      }
    } catch {
      if let partial = partialRow(for: error, on: page, &claims) {
        found.partial.append(partial)
      } else {
        found.faults.append(error)
      }
    }
  }

  /// Whether a page of a cell's chain is nothing but zeros, and what lies before or behind it is
  /// not: a value full of zeros hardly begins or ends with a page.
  private func hasZeroedPage(_ cell: Cell, on page: BTreePage) -> Bool {
    guard let chain = try? overflowChain(of: cell, on: page.number) else { return false }
    var before = page.bytes.slice(cell.local).last
    var isZeroBefore = false
    for number in chain.pages {
      guard let bytes = try? bytes(of: number) else { return true }
      if bytes.isZero {
        if before != 0, !isZeroBefore { return true }
        isZeroBefore = true
      } else {
        if isZeroBefore, bytes.slice(4..<5) != [0] { return true }
        isZeroBefore = false
      }
      before = bytes.prefix(geometry.usable).last
    }
    return false
  }
}
