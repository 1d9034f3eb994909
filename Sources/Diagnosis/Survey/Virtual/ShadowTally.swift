// SPDX-License-Identifier: Apache-2.0
// What the rows of a table come to in which a module keeps a virtual one.

import SQLiteFormat

/// What a module keeps in the rows of a table.
enum ShadowRole: Hashable, Sendable {
  /// Pages of terms of FTS5, with the record that says which segments there are.
  case termPages
  /// The first terms of the pages of FTS5.
  case pageTerms
  /// The settings of FTS5.
  case settings
  /// The sizes of the documents, in words.
  case documentSizes
  /// Blocks of terms of FTS3 and FTS4.
  case blocks
  /// The segments of FTS3 and FTS4.
  case directory
  /// Texts of FTS3 and FTS4, where nothing else says whether they have words.
  case texts
  /// Nodes of an R-tree, with so many bytes for a cell.
  case nodes(cellByteCount: Int)
  /// In which node of an R-tree a row or a node lies.
  case nodeLinks
}

extension VirtualTable {
  /// What the module keeps in each of its tables, as far as a look at that tells anything.
  var roles: [Name: ShadowRole] {
    var roles: [Name: ShadowRole] = [:]
    for part in parts where !misshapen.contains(part.name) {
      roles[part.name] = role(of: Name(part.name.text.dropFirst(name.text.count + 1)))
    }
    return roles
  }

  private func role(of suffix: Name) -> ShadowRole? {
    switch (module, suffix) {
    case ("fts5", "data"): .termPages
    case ("fts5", "idx"): .pageTerms
    case ("fts5", "config"): .settings
    case (_, "docsize"): .documentSizes
    case ("fts3", "content"), ("fts4", "content"): hasPlainTexts ? ShadowRole.texts : nil
    case ("fts3", "segments"), ("fts4", "segments"): .blocks
    case ("fts3", "segdir"), ("fts4", "segdir"): .directory
    case (_, "node"): .nodes(cellByteCount: regionByteCount)
    case (_, "rowid"), (_, "parent"): .nodeLinks
    default: nil
    }
  }

  /// Whether its texts alone say that it has words: none of them is left out of its index.
  private var hasPlainTexts: Bool { part("docsize") == nil && indexesEveryText }

  /// How many columns an R-tree has besides its id and coordinates.
  package var auxiliaryCount: Int { max(0, (part("rowid")?.columnCount ?? 2) - 2) }

  /// The bytes of a cell of an R-tree: an id, and the coordinates in each dimension; those of
  /// polygons have two.
  package var regionByteCount: Int {
    let dimensions = module == "geopoly" ? 2 : max(1, (columnCount - 1 - auxiliaryCount) / 2)
    return 8 + 8 * dimensions
  }
}

/// What the rows of a table come to in which a module keeps a virtual one.
struct ShadowTally: Hashable, Sendable {
  /// What the rows are.
  let role: ShadowRole
  /// Rows that are not what the module writes.
  private(set) var faults = FaultList()
  /// The ids of pages or blocks of terms, of nodes, in stretches without a gap.
  private(set) var ids: [ClosedRange<Int64>] = []
  /// The segments that FTS5 says there are; nil where that cannot be read.
  private(set) var structure: [FullTextSegment]?
  /// The segments of FTS3 and FTS4 that have blocks.
  private(set) var segments: [ClosedRange<Int64>] = []
  /// The segments whose pages have first terms.
  private(set) var segmentIDs: Set<Int64> = []
  /// How many documents FTS5 counts.
  private(set) var documentCount: Int64?
  /// Whether any document has words.
  private(set) var hasWords = false
  /// Whether no more rows need be looked at.
  var isSettled: Bool { role == .texts && hasWords }
  /// Which version of the format FTS5 has noted.
  private(set) var version: Int64?
  /// What lies in which node of an R-tree.
  private(set) var links = Fingerprint()

  init(_ role: ShadowRole) { self.role = role }

  /// Takes a row.
  mutating func add(_ stored: StoredRecord) {
    let isRead: Bool
    switch role {
    case .termPages: isRead = addTermPage(stored)
    case .pageTerms: isRead = addPageTerm(stored)
    case .settings: isRead = addSetting(stored)
    case .documentSizes: isRead = addSize(stored)
    case .blocks: isRead = addBlock(stored)
    case .directory: isRead = addSegment(stored)
    case .texts: isRead = addTexts(stored)
    case .nodes(let byteCount): isRead = addNode(stored, cellByteCount: byteCount)
    case .nodeLinks: isRead = addLink(stored)
    }
    if !isRead {
      faults.add(FormatError(.recordHeader, page: stored.page, offset: stored.offset))
    }
  }

  /// Whether all of these ids are there.
  func holds(_ wanted: ClosedRange<Int64>) -> Bool {
    let index = ids.partitioningIndex { $0.upperBound >= wanted.lowerBound }
    return index < ids.count && ids[index].contains(wanted.lowerBound)
      && ids[index].contains(wanted.upperBound)
  }

  private mutating func note(_ id: Int64) {
    guard let last = ids.last, last.upperBound < .max, last.upperBound + 1 == id else {
      return ids.append(id...id)
    }
    ids[ids.count - 1] = last.lowerBound...id
  }

  // MARK: FTS5

  private mutating func addTermPage(_ stored: StoredRecord) -> Bool {
    guard let id = stored.rowID, let bytes = stored.blob(1) else { return false }
    switch id {
    case FullTextSegment.averagesID:
      documentCount = bytes.varint(at: 0, limit: bytes.count).flatMap { Int64(exactly: $0.value) }
      return bytes.isEmpty || documentCount != nil
    case FullTextSegment.structureID:
      structure = FullTextSegment.all(in: bytes)
      return structure != nil
    case ..<(1 << FullTextSegment.idShift): return true
    default:
      guard FullTextSegment.isTermPage(id) else { return true }
      note(id)
      return bytes.isTermPage
    }
  }

  private mutating func addPageTerm(_ stored: StoredRecord) -> Bool {
    guard let segment = stored.record.value(0)?.integerValue else { return false }
    segmentIDs.insert(segment)
    return true
  }

  private mutating func addSetting(_ stored: StoredRecord) -> Bool {
    // In UTF-16, each letter of the name has a zero beside it.
    if case .text(let name)? = stored.record.value(0),
      name.filter({ $0 != 0 }).elementsEqual("version".utf8)
    {
      version = stored.record.value(1)?.integerValue
    }
    return true
  }

  private mutating func addSize(_ stored: StoredRecord) -> Bool {
    guard !hasWords else { return true }
    guard let bytes = stored.blob(1) else { return false }
    hasWords = !bytes.isZero
    return true
  }

  // MARK: FTS3 and FTS4

  private mutating func addBlock(_ stored: StoredRecord) -> Bool {
    // A block without content only keeps ids from being used twice.
    guard let id = stored.rowID, let bytes = stored.blob(1), !bytes.isEmpty else { return true }
    guard bytes[0] == 0 else { return bytes.isTermNode }
    note(id)
    return bytes.isTermLeaf
  }

  private mutating func addTexts(_ stored: StoredRecord) -> Bool {
    guard !hasWords else { return true }
    // Every tokenizer takes these letters and digits for those of words.
    hasWords = stored.record.fields.contains { field in
      guard field.isText, case .text(let bytes)? = try? stored.record.value(of: field) else {
        return false
      }
      return bytes.contains { Unicode.Scalar($0).isWordOfASCII }
    }
    return true
  }

  private mutating func addSegment(_ stored: StoredRecord) -> Bool {
    guard let root = stored.blob(5), !root.isEmpty else { return false }
    let first = stored.record.value(2)?.integerValue ?? 0
    let last = stored.record.value(3)?.integerValue ?? 0
    guard first != 0 else { return root.isTermLeaf }
    guard first > 0, last >= first else { return false }
    segments.append(first...last)
    return root.isTermNode
  }

  // MARK: R-trees

  private mutating func addNode(_ stored: StoredRecord, cellByteCount: Int) -> Bool {
    guard let id = stored.rowID, let bytes = stored.blob(1), let count = bytes.big16(at: 2),
      4 + count * cellByteCount <= bytes.count
    else { return false }
    note(id)
    for cell in 0..<count {
      add(bytes.signed(at: 4 + cell * cellByteCount, width: 8) ?? 0, in: id)
    }
    return true
  }

  private mutating func addLink(_ stored: StoredRecord) -> Bool {
    guard let id = stored.rowID, let node = stored.record.value(1)?.integerValue else {
      return false
    }
    add(id, in: node)
    return true
  }

  private mutating func add(_ id: Int64, in node: Int64) {
    var key = KeyHash()
    key.add(id)
    key.add(node)
    links.add(key)
  }
}

extension StoredRecord {
  /// A field that is a blob; nil where it is none, or cannot be read.
  fileprivate func blob(_ index: Int) -> Bytes? {
    guard case .blob(let bytes)? = record.value(index) else { return nil }
    return bytes
  }
}

extension Unicode.Scalar {
  /// Whether it is a letter or digit of ASCII.
  fileprivate var isWordOfASCII: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}
