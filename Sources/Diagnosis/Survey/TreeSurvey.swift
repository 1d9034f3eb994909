// SPDX-License-Identifier: Apache-2.0
// What one tree of the database holds, and what is wrong with it.

package import SQLiteFormat

/// What one tree of the database holds, and what is wrong with it.
package struct TreeSurvey: Hashable, Sendable {
  /// The table or index.
  package let entry: SchemaEntry
  /// Whether the tree is that of a table with rowids.
  package let isRowIDTable: Bool
  /// The root; nil when the schema names none.
  package let root: PageNumber?
  /// How many pages of the tree were visited.
  package internal(set) var pages = 0
  /// How many records can be read and lie in their place.
  package internal(set) var records = 0
  /// How many records can be read but lie where they do not belong.
  package internal(set) var misplaced = FaultList()
  /// Records that cannot be rows of their table: ``RowShape/fits(_:)`` says why.
  package internal(set) var unfit = FaultList()
  /// Records with a value of a type that its column never holds: ``RowShape/violations(of:)``.
  package internal(set) var mistyped = FaultList()
  /// Records with NULL in a column that refuses it.
  package internal(set) var nulls = FaultList()
  /// How many records hold NULL in each column that refuses it.
  package internal(set) var nullCounts: [Name: Int] = [:]
  /// Records that end before a column whose default is of a type that it refuses.
  package internal(set) var mistypedDefaults = FaultList()
  /// What its rows come to, where a module keeps a virtual table in them.
  var shadow: ShadowTally?
  /// What SQLite computed of the rows, where something of that was to be.
  package internal(set) var computed: ComputedRows?
  /// Pages that could not be visited.
  package internal(set) var pageFaults = FaultList()
  /// Cells that yield no record.
  package internal(set) var cellFaults = FaultList()
  /// Pages that use their bytes wrongly although every cell can be read.
  package internal(set) var layoutFaults = FaultList()
  /// Entries of interior pages that do not lie between those of the pages beside them.
  package internal(set) var misplacedBetween = FaultList()
  /// Leaves at another depth than the first.
  package internal(set) var unevenLeaves = FaultList()
  /// The largest rowid, of tables with rowids.
  package internal(set) var largestRowID: Int64?
  /// The keys of the tree's entries, when it is an index.
  package internal(set) var keys = Fingerprint()
  /// The keys that each index over this table should hold, by its name: those of
  /// every row that can be read, in its place or not.
  package internal(set) var expectedKeys: [Name: Fingerprint] = [:]

  /// Marks of the leaves, in order, where another table has as many columns; until leaves that were
  /// written to the wrong place are found.
  var leafMarks: [LeafMark] = []
  /// Leaves of a table whose rows all lack columns, and that do not end where they were divided from
  /// the next one; no more than are looked at, and one.
  var shortLeaves: [PageNumber] = []

  /// Whether nothing is wrong with the tree.
  package var isSound: Bool {
    isReadable && layoutFaults.isEmpty && unevenLeaves.isEmpty && misplacedBetween.isEmpty
  }

  /// Whether every record can be read and is in its place.
  package var isReadable: Bool {
    pageFaults.isEmpty && cellFaults.isEmpty && misplaced.isEmpty
  }

  init(_ entry: SchemaEntry, root: PageNumber?, isRowIDTable: Bool) {
    self.entry = entry
    self.root = root
    self.isRowIDTable = isRowIDTable
  }
}

/// One tree to be scanned, with what the schema says about it.
struct TreeTask: Sendable {
  /// The table or index.
  let entry: SchemaEntry
  /// The root; nil where nothing leads to it.
  let root: PageNumber?
  /// Whether the tree is that of a table with rowids.
  let isRowIDTable: Bool
  /// Whom its pages are claimed for.
  let owner: PageOwner
  /// The indexes over the table whose keys can be computed from its rows.
  var indexes: [IndexShape] = []
  /// How its records become rows, where that is known.
  var shape: RowShape?
  /// The order of its entries, when it is an index.
  var order: KeyOrder?
  /// What of the table only SQLite can compute.
  var computed: ComputedTable?
  /// Whether another table has as many columns.
  var hasPeers = false
  /// What a module keeps in its rows.
  var shadow: ShadowRole?
  /// Who has SQLite compute that.
  var parser: (any SchemaParsing)?
}

extension TreeSurvey {
  /// A tree that must be somewhere, although nothing leads to it.
  static func rootless(_ entry: SchemaEntry, isRowIDTable: Bool) -> TreeSurvey {
    var survey = TreeSurvey(entry, root: nil, isRowIDTable: isRowIDTable)
    survey.pageFaults.add(FormatError(.noChild))
    return survey
  }

  /// Scans a tree to its end, or for as long as `goesOn` says so of what is known by then.
  init(
    _ task: TreeTask, in image: Image, claims: inout PageClaims,
    while goesOn: (TreeSurvey) -> Bool = { _ in true }
  ) {
    guard let root = task.root else {
      self = .rootless(task.entry, isRowIDTable: task.isRowIDTable)
      return
    }
    self.init(task.entry, root: root, isRowIDTable: task.isRowIDTable)
    var tally = RecordTally(
      indexes: task.indexes, sumsKeys: task.entry.kind == .index, shape: task.shape,
      order: task.order)
    let computation = task.computed.flatMap { task.parser?.computation(for: $0) }
    var shadow = task.shadow.map { ShadowTally($0) }
    var leafDepth: Int?
    var watch = task.order.map { OrderWatch($0) }
    var scan = TreeScan(image, root: root, isTable: isRowIDTable, owner: task.owner)
    scan.run(
      &claims,
      takesWhole: { (shadow?.isSettled ?? true) && take($0, &tally, computation, &watch) }
    ) { event in
      switch event {
      case .page(let visit):
        pages += 1
        if let fault = visit.content.layoutFault { layoutFaults.add(fault) }
        watch?.turn(to: visit.page, isSound: visit.content.layoutFault == nil)
        if let fault = watch?.faultBeside(visit, in: image) { misplacedBetween.add(fault) }
        if visit.page.kind.isLeaf {
          if let leafDepth, leafDepth != visit.depth {
            unevenLeaves.add(FormatError(.uneven, page: visit.page.number))
          }
          leafDepth = leafDepth ?? visit.depth
          if task.hasPeers, let mark = LeafMark(visit) { leafMarks.append(mark) }
          if shortLeaves.count <= TwinLeaves.shortMax, entry.kind == .table, let shape = task.shape,
            visit.mayBeShortCopy(of: shape)
          {
            shortLeaves.append(visit.page.number)
          }
          if visit.isEmptyBelowRoot {
            pageFaults.add(FormatError(.noCell, page: visit.page.number))
          }
        }
        return goesOn(self)
      case .record(let stored):
        tally.add(stored)
        note(stored, task.shape)
        computation?.add(stored)
        shadow?.add(stored)
        if let problem = watch?.fault(of: stored.record) {
          misplaced.add(FormatError(problem, page: stored.page, offset: stored.offset))
          break
        }
        records += 1
        if let rowID = stored.rowID { largestRowID = max(largestRowID ?? rowID, rowID) }
      case .cellFault(let error), .doubtful(_, let error): cellFaults.add(error)
      case .pageFault(let error, _): pageFaults.add(error)
      case .misplaced(let stored):
        misplaced.add(FormatError(.keyOrder, page: stored.page, offset: stored.offset))
        tally.add(stored)
        note(stored, task.shape)
        computation?.add(stored)
      }
      return true
    }
    keys = tally.keys
    for (index, keys) in zip(task.indexes, tally.expected) {
      expectedKeys[index.name] = keys
    }
    self.shadow = shadow
    take(computation?.result)
  }

  /// Takes in what was computed of the rows.
  private mutating func take(_ result: ComputedRows?) {
    guard let result else { return }
    computed = result
    nulls.add(result.nulls)
    nullCounts.merge(result.nullCounts, uniquingKeysWith: +)
    mistyped.add(result.mistyped)
    expectedKeys.merge(result.keys) { own, _ in own }
  }

  /// Takes in a page whose records are all as they should be; false, and nothing is taken in,
  /// where one is not.
  private mutating func take(
    _ visit: TreeWalk.Visit, _ tally: inout RecordTally, _ computation: (any RowComputation)?,
    _ watch: inout OrderWatch?
  ) -> Bool {
    guard let first = visit.content.cells.first, let last = visit.content.cells.last else {
      return true
    }
    if let watch {
      guard let record = try? Record(visit.page.bytes, in: first.local), watch.allows(record)
      else { return false }
    }
    var sum = tally
    guard sum.add(visit), computation?.add(visit) ?? true else { return false }
    tally = sum
    records += visit.content.cells.count
    if let rowID = last.rowID { largestRowID = max(largestRowID ?? rowID, rowID) }
    if watch != nil, let record = try? Record(visit.page.bytes, in: last.local) {
      watch?.pass(record)
    }
    return true
  }

  /// Takes in what a record says that can be read, in its place or not.
  private mutating func note(_ stored: StoredRecord, _ shape: RowShape?) {
    guard let shape else { return }
    let fault = FormatError(.recordHeader, page: stored.page, offset: stored.offset)
    if !shape.fits(stored.record) { unfit.add(fault) }
    let violations = shape.violations(of: stored.record)
    if violations.types { mistyped.add(fault) }
    if violations.nulls {
      nulls.add(fault)
      for column in shape.columns(withRefusedNullIn: stored.record) {
        nullCounts[column, default: 0] += 1
      }
    }
    if violations.defaults { mistypedDefaults.add(fault) }
  }
}

extension TreeWalk.Visit {
  /// Whether every row of a leaf lacks columns, as if it was added before those, and the leaf does not
  /// end with the row by which it was divided from the next one; those of keys are in no other place.
  fileprivate func mayBeShortCopy(of shape: RowShape) -> Bool {
    let isMet = shape.withoutRowID ? depth == 0 : upper == nil || upper == content.cells.last?.rowID
    return !isMet && !content.cells.isEmpty
      && content.cells.allSatisfy { cell in
        (try? Record(page.bytes, in: cell.local)).map { $0.fieldCount < shape.stored.count }
          ?? false
      }
  }

  /// Whether it is a leaf without a cell that is not the root: no tree has one (section 1.6).
  fileprivate var isEmptyBelowRoot: Bool {
    depth > 0 && page.kind.isLeaf && content.layoutFault == nil && content.cells.isEmpty
      && content.doubtful.isEmpty
  }
}

extension TreeSurvey {
  /// Whether hardly any of its rows have a value of a type that its column never holds: those are damaged.
  ///
  /// Where many have, the statement of the table is another one than they were written under.
  package var hasFewMistyped: Bool { mistyped.count > 0 && mistyped.count * 16 <= records }

  /// How many rows it has that no row of its table can be.
  var rowsOfOthers: Int { max(unfit.count, mistyped.count, nulls.count) }

  /// Whether so many rows are not in their place that the keys may be those of another table.
  var isOutOfOrder: Bool { misplaced.count >= 8 && misplaced.count * 4 > records }

  /// Whether some of its rows are not in their place, or cannot be of its table.
  var hasRowsOfOthers: Bool { !misplaced.isEmpty || rowsOfOthers > 0 }

  /// Some of the pages of such rows.
  var suspectPages: [PageNumber] {
    (misplaced.first + unfit.first + mistyped.first + nulls.first).compactMap(\.page)
  }
}
