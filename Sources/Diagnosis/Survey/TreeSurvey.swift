// SPDX-License-Identifier: Apache-2.0
// What one tree of the database holds, and what is wrong with it.

public import SQLiteFormat

/// Faults of one kind: all are counted, the first ones are kept.
public struct FaultList: Hashable, Sendable {
  /// How many are kept.
  public static let keptMax = 256
  /// How many there were.
  public private(set) var count = 0
  /// The first ones.
  public private(set) var first: [FormatError] = []

  /// Adds a fault.
  mutating func add(_ fault: FormatError) {
    count += 1
    if first.count < Self.keptMax { first.append(fault) }
  }

  /// Whether there are none.
  public var isEmpty: Bool { count == 0 }
}

/// What one tree of the database holds, and what is wrong with it.
public struct TreeSurvey: Hashable, Sendable {
  /// The table or index.
  public let entry: SchemaEntry
  /// Whether the tree is that of a table with rowids.
  public let isRowIDTable: Bool
  /// The root; nil when the schema names none.
  public let root: PageNumber?
  /// How many pages of the tree were visited.
  public internal(set) var pages = 0
  /// How many records can be read and lie in their place.
  public internal(set) var records = 0
  /// How many records lie on pages that the tree has lost and that were given back to it.
  public internal(set) var regained = 0
  /// How many records can be read but lie where they do not belong.
  public internal(set) var misplaced = FaultList()
  /// Records that cannot be rows of their table: ``RowShape/fits(_:)`` says why.
  public internal(set) var unfit = FaultList()
  /// Records with a number where a column holds only text: ``RowShape/isMistyped(_:)``.
  public internal(set) var mistyped = FaultList()
  /// Pages that could not be visited.
  public internal(set) var pageFaults = FaultList()
  /// Cells that yield no record.
  public internal(set) var cellFaults = FaultList()
  /// Pages that use their bytes wrongly although every cell can be read.
  public internal(set) var layoutFaults = FaultList()
  /// Leaves at another depth than the first.
  public internal(set) var unevenLeaves = FaultList()
  /// The largest rowid, of tables with rowids.
  public internal(set) var largestRowID: Int64?
  /// The keys of the tree's entries, when it is an index.
  public internal(set) var keys = Fingerprint()
  /// The keys that each index over this table should hold, by its name in lower case: those of
  /// every row that can be read, in its place or not.
  public internal(set) var expectedKeys: [String: Fingerprint] = [:]

  /// Whether nothing is wrong with the tree.
  public var isSound: Bool {
    isReadable && layoutFaults.isEmpty && unevenLeaves.isEmpty
  }

  /// Whether every record can be read and is in its place.
  public var isReadable: Bool {
    pageFaults.isEmpty && cellFaults.isEmpty && misplaced.isEmpty
  }

  init(_ entry: SchemaEntry, root: PageNumber?, isRowIDTable: Bool) {
    self.entry = entry
    self.root = root
    self.isRowIDTable = isRowIDTable
  }
}

extension TreeSurvey {
  /// A tree that must be somewhere, although nothing leads to it.
  static func rootless(_ entry: SchemaEntry, isRowIDTable: Bool) -> TreeSurvey {
    var survey = TreeSurvey(entry, root: nil, isRowIDTable: isRowIDTable)
    survey.pageFaults.add(FormatError(.noChild))
    return survey
  }

  /// Scans a tree.
  ///
  /// `indexes` are the indexes over the table whose keys can be computed from its rows, and
  /// `shape` is how its records become rows, where that is known. `order` is that of an index.
  static func scan(
    _ entry: SchemaEntry, root: PageNumber, isRowIDTable: Bool, image: Image,
    owner: PageClaims.Owner, claims: inout PageClaims, indexes: [IndexShape] = [],
    shape: RowShape? = nil, order: KeyOrder? = nil
  ) -> TreeSurvey {
    var survey = TreeSurvey(entry, root: root, isRowIDTable: isRowIDTable)
    var expected = indexes.map { _ in Fingerprint() }
    var leafDepth: Int?
    var watch = order.map { OrderWatch($0) }
    var scan = TreeScan(image, root: root, isTable: isRowIDTable, owner: owner)
    scan.run(&claims) { event in
      switch event {
      case .page(let visit):
        survey.pages += 1
        let fault = visit.content.layoutFault
        if let fault { survey.layoutFaults.add(fault) }
        watch?.turn(to: visit.page, isSound: fault == nil)
        if visit.page.kind.isLeaf {
          if let leafDepth, leafDepth != visit.depth {
            survey.unevenLeaves.add(FormatError(.uneven, page: visit.page.number))
          }
          leafDepth = leafDepth ?? visit.depth
        }
      case .record(let stored):
        survey.note(stored, of: shape, in: indexes, &expected)
        guard watch?.accepts(stored.record) ?? true else {
          survey.misplaced.add(FormatError(.keyOrder, page: stored.page, offset: stored.offset))
          break
        }
        survey.records += 1
        if let rowID = stored.rowID {
          survey.largestRowID = max(survey.largestRowID ?? rowID, rowID)
        }
      case .cellFault(let error), .doubtful(_, let error): survey.cellFaults.add(error)
      case .pageFault(let error, _): survey.pageFaults.add(error)
      case .misplaced(let stored):
        survey.misplaced.add(FormatError(.keyOrder, page: stored.page, offset: stored.offset))
        survey.note(stored, of: shape, in: indexes, &expected)
      }
      return true
    }
    for (index, keys) in zip(indexes, expected) {
      survey.expectedKeys[index.name.lowercased()] = keys
    }
    return survey
  }

  /// Takes in what a record says that can be read, in its place or not.
  private mutating func note(
    _ stored: StoredRecord, of shape: RowShape?, in indexes: [IndexShape],
    _ expected: inout [Fingerprint]
  ) {
    for position in indexes.indices {
      expected[position].add(indexes[position].key(of: stored))
    }
    if entry.kind == .index { keys.add(stored.record.wholeKey) }
    guard let shape else { return }
    let fault = FormatError(.recordHeader, page: stored.page, offset: stored.offset)
    if !shape.fits(stored.record) { unfit.add(fault) }
    if shape.isMistyped(stored.record) { mistyped.add(fault) }
  }
}

/// How the entries of an index follow from the rows of its table.
struct IndexShape {
  /// The index.
  let name: String
  /// The key's fields, in the index's order.
  let fields: [Field]

  /// Where one field of an index entry comes from.
  enum Field {
    /// The rowid.
    case rowID
    /// A field of the table's record, or its default where the record is too short.
    case stored(Int, default: Value)
  }

  /// The hash of the entry that the index should have for a row.
  func key(of stored: StoredRecord) -> KeyHash {
    var key = KeyHash()
    for field in fields {
      switch field {
      case .rowID: key.add(stored.rowID ?? 0)
      case .stored(let index, let defaultValue):
        if !key.add(stored.record, field: index) { key.add(defaultValue) }
      }
    }
    return key
  }
}

extension Record {
  /// The hash of all fields.
  var wholeKey: KeyHash {
    var key = KeyHash()
    for index in fields.indices { _ = key.add(self, field: index) }
    return key
  }
}
