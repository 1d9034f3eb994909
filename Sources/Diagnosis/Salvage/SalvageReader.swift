// SPDX-License-Identifier: Apache-2.0
// Every row that the bytes of a file set hold, table by table, with the evidence for it.

package import SQLiteFormat
import Synchronization

/// The reading side of a salvage: which bytes are rows, and whose.
package struct SalvageReader: Sendable {
  let reconstruction: Reconstruction
  let image: Image
  private let believesTables: Bool
  /// Pages whose frames in the log were damaged.
  private let damagedPages: Set<PageNumber>
  /// Those of them that are damaged where it cannot be seen.
  private let pagesSeemingSound: Set<PageNumber>
  /// Whether pages were lost: one of zeros in an overflow chain may be another one.
  private let missesPages: Bool
  /// The bytes that may stand in the place of others; nil for none.
  private let replacedBytes: ReplacedBytes?

  /// Makes a reader; nil when the survey found no database.
  ///
  /// Where `believesTables`, a row counts although an index contradicts it: whoever makes the
  /// indexes anew has decided who is right.
  package init?(_ reconstruction: Reconstruction, believesTables: Bool = false) {
    guard let image = reconstruction.survey.image else { return nil }
    self.believesTables = believesTables
    self.reconstruction = reconstruction
    self.image = image
    missesPages = !reconstruction.survey.trees.allSatisfy(\.isReadable)
    replacedBytes = ReplacedBytes(in: reconstruction.survey)
    damagedPages = image.damagedPages
    pagesSeemingSound = damagedPages.filter {
      (try? image.btreePage($0))?.layoutFaults.isEmpty ?? false
    }
  }

  private var survey: Survey { reconstruction.survey }

  /// A reader of the pages, which remembers what was read of them to put tables together again.
  var pages: PageReader { PageReader(image, reconstruction.memory) }

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
      do {
        try scan(table, &claims) { item in
          if batch.add(item), !put(batch.removeAll()) { throw Unwanted() }
        }
        _ = put(batch.removeAll())
      } catch {
        // Whoever takes the rows has failed, and says why.
      }
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

  /// Nobody wants more rows.
  private struct Unwanted: Error {}

  /// An index of which nothing is wrong, by name.
  package func soundIndex(named name: Name) -> TreeSurvey? {
    survey.treePlaces.index(named: name).map { survey.trees[$0] }.flatMap { $0.isSound ? $0 : nil }
  }

  /// Reads the entries of an index, in their order.
  package func readEntries(
    of index: TreeSurvey, _ body: (StoredRecord) throws -> Void
  ) rethrows {
    guard let root = index.root else { return }
    try image.forEachRecord(ofTree: root, isTable: false) { stored in
      try body(stored)
      return true
    }
  }

  /// Reads the rows of one table, in the order of its tree.
  private func scan(
    _ table: TreeSurvey, _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    if let assignment = reconstruction.assignment(of: table) {
      return try read(assignment, of: table, &claims, body)
    }
    guard let root = table.root else { return }
    let name = table.entry.name
    var scan = TreeScan(
      image, root: root, isTable: table.isRowIDTable, owner: .tree(0))
    var zeroed: Set<Int> = []
    try scan.run(&claims) { event in
      switch event {
      case .page(let visit): zeroed = missesPages ? image.zeroedCells(of: visit) : []
      case .record(let stored):
        if zeroed.contains(stored.offset) {
          try body(.doubtful(table: name, stored, .chain(.zeroed)))
        } else {
          try body(row(stored, of: name))
        }
      case .misplaced(let stored): try body(.doubtful(table: name, stored, .misplaced))
      case .doubtful(let stored, let error):
        try body(.doubtful(table: name, stored, Doubt(of: error.problem)))
      // The survey counts what is lost.
      case .cellFault, .pageFault: break
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
    let contested = table.isRowIDTable ? contestedRows(of: assignment) : []
    let unordered = unorderedRows(of: table, assignment)
    for page in assignment.pages {
      let found = image.claimedRows(
        on: page, isTable: table.isRowIDTable, reconstruction.memory, reconstruction.chains,
        &claims)
      for partial in found.partial { try body(.partial(table: name, partial)) }
      for (row, doubt) in found.setAside { try body(.doubtful(table: name, row, doubt)) }
      for row in found.doubtful {
        if assignment.proves(row), row.rowID.map(contested.contains) != true {
          try body(self.row(row, of: name, isPageProven: true))
        } else {
          try body(.doubtful(table: name, row, .unproven))
        }
      }
      for row in found.rows {
        let place = ChainRepair.Place(page: row.page, offset: row.offset)
        let isInOrder = !unordered.contains(place)
        let doubt = assignment.doubt(of: row, isInOrder: isInOrder)
        if let doubt, doubt != .contradicted || !believesTables {
          try body(.doubtful(table: name, row, doubt))
        } else {
          try body(self.row(row, of: name))
        }
      }
    }
  }

  /// The rows of a table whose keys do not follow one another.
  private func unorderedRows(
    of table: TreeSurvey, _ assignment: Reassembly.Assignment
  ) -> Set<ChainRepair.Place> {
    let order = table.isRowIDTable ? nil : survey.keyOrder(of: table)
    guard table.isRowIDTable || order?.columns.isEmpty == false else { return [] }
    return KeySequence(assignment.pages, in: pages, order).unordered
  }

  /// A row against which nothing speaks but that a page of it may be damaged unseen, where it is not
  /// proven, and that bytes of it may be others.
  private func row(
    _ row: StoredRecord, of table: Name, isPageProven: Bool = false
  ) -> SalvagedItem {
    if replacedBytes?.mayHaveChanged(row) == true { return .doubtful(table: table, row, .replaced) }
    if isPageProven { return .row(table: table, row) }
    if pagesSeemingSound.contains(row.page) { return .doubtful(table: table, row, .unproven) }
    return image.spills(row, onto: damagedPages)
      ? .doubtful(table: table, row, .chain(.damaged)) : .row(table: table, row)
  }

  /// Reads the rows of pages whose table is not proven.
  package func readOrphans(
    _ claims: inout PageClaims, _ body: (SalvagedItem) throws -> Void
  ) rethrows {
    for orphan in reconstruction.reassembly.orphans {
      let found = image.claimedRows(
        on: orphan.page, isTable: orphan.isTable, reconstruction.memory, reconstruction.chains,
        &claims)
      let names = orphan.candidates.map { survey.trees[$0].entry.name }
      let name = names.count == 1 ? names[0] : nil
      // Without a row that can be read whole, only what leads to the page tells its table.
      let leading = survey.treeThatLeads(to: orphan.page).map { survey.trees[$0].entry }
      let owner = name ?? (leading?.kind == .table ? leading?.name : nil)
      for partial in found.partial { try body(.partial(table: owner, partial)) }
      for row in found.rows + found.doubtful + found.setAside.map(\.row) {
        try body(.doubtful(table: name, row, .orphan(candidates: names)))
      }
    }
  }

  /// Claims with which a reading starts: pages that cannot hold rows are taken.
  package var startingClaims: PageClaims {
    var claims = PageClaims(pageCount: image.pageCount)
    let strange = survey.strangePagesOfSchema
    survey.claims.forEach { page, owner in
      if owner == .schema && !strange.contains(page) || owner == .reserved {
        _ = claims.claim(page, for: owner)
      }
    }
    return claims
  }
}

extension Doubt {
  /// The doubt of a row whose cell is not proven, for a reason.
  init(of problem: FormatError.Problem?) {
    self =
      switch problem {
      case .cellJoined?: .joined
      case .chainDisputed?: .chain(.disputed)
      default: .unproven
      }
  }
}

extension Reassembly.Assignment {
  /// Why a row is not placed in the table of its page; nil when nothing speaks against it.
  fileprivate func doubt(of row: StoredRecord, isInOrder: Bool) -> Doubt? {
    let testimony = witnesses.testimony(on: row)
    if testimony.isDenied { return .contradicted }
    return isInOrder || testimony.isEchoed ? nil : .misplaced
  }
}
