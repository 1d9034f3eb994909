// SPDX-License-Identifier: Apache-2.0
// What the pages of a file look like in the order in which they lie, and whom they refer to by
// number: all that the search for the numbers needs.

import SQLiteFormat

/// The pages of a file without numbers, and their references to numbered ones.
struct PageRoll {
  /// What one page looks like.
  struct Entry {
    /// What kind of content a page has.
    enum Content {
      /// Nothing but zeros.
      case zero
      /// A page of a b-tree.
      case tree(BTreePage.Kind)
      /// Anything else.
      case other
    }

    /// What it holds.
    var content = Content.other
    /// The first and the last rowid of a table's page.
    var rowIDs: ClosedRange<Int64>?
    /// The least and the greatest key of an index's page, as far as they are kept.
    var keys: (least: Value, greatest: Value)?
    /// How many values the first record of an index's page has.
    var fieldCount: Int?
    /// The pages that it leads to, where it is an interior page.
    var children: [PageNumber] = []
    /// Its first four bytes: on an overflow page, the next page.
    var next: UInt32 = 0
    /// What it looks like at a glance, unless it is nothing but zeros.
    var glance: UInt64?
  }

  /// A reference from one page to another by its number.
  struct Reference {
    /// What the page of that number must be.
    enum Expectation {
      /// A page of a table with rowids above the one and up to the other.
      case table(above: Int64?, upTo: Int64?)
      /// A page of an index with keys between these, whether that is certain or only likely, and with
      /// as many values as the entries above it have.
      case index(above: Value?, upTo: Value?, isCertain: Bool, fieldCount: Int?)
      /// The first page of an overflow chain of this length.
      case chain(length: Int)
      /// The overflow page before the one at this position.
      case before(position: Int)
      /// The interior page that leads to the page of an entry of the pointer map at a position.
      case parent(map: Int, entry: Int)
    }

    /// The number.
    let number: Int
    /// What must be there.
    let expectation: Expectation
  }

  /// How many bytes of a key are kept.
  private static let keyMax = 32
  /// How many references are kept, at most: beyond it, every second one is dropped, and so on.
  static let referenceMax = 8192
  /// How many pages are looked at, at most: those of four gigabytes tell as much as all.
  static let pageMax = 1 << 20

  /// How the file is cut.
  let geometry: Geometry
  /// Where its first whole page starts.
  let phase: Int
  private let referenceMax: Int
  /// The positions of the first pages behind places where bytes were put in or left out.
  let breaks: Set<Int>
  /// The pages, in the order in which they lie.
  private(set) var entries: [Entry] = []
  /// References, spread over the file.
  private(set) var references: [Reference] = []
  /// The positions of pages that read as pointer maps.
  private(set) var pointerMaps: [Int] = []
  /// Whether the first whole page reads as page 1.
  private(set) var startsWithFirstPage = false

  private var stride = 1
  private var passed = 0

  /// Reads every page of a file.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init(_ source: any PageSource, _ geometry: Geometry, phase: Int) throws(ReadFailure) {
    try self.init(
      source, geometry, PageSlots(source, geometry.pageSize, phase: phase),
      referenceMax: Self.referenceMax)
  }

  /// Reads the pages that lie in some slots of a file.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init(
    _ source: any PageSource, _ geometry: Geometry, _ slots: PageSlots, referenceMax: Int
  ) throws(ReadFailure) {
    self.geometry = geometry
    self.referenceMax = referenceMax
    phase = slots.offset(of: 0)
    breaks = slots.breaks
    let count = min(Self.pageMax, slots.count)
    entries.reserveCapacity(count)
    while entries.count < count {
      let first = entries.count
      let run = slots.run(
        from: first, upTo: min(max(1, (1 << 18) / geometry.pageSize), count - first))
      let place = slots.offset(of: first)
      guard let data = source.dataRange(from: place),
        data.lowerBound < place + run * geometry.pageSize
      else {
        entries.append(contentsOf: repeatElement(Entry(content: .zero), count: run))
        continue
      }
      let bytes = try source.read(at: place, count: run * geometry.pageSize)
      for index in 0..<run {
        let start = index * geometry.pageSize
        add(bytes.slice(start..<(start + geometry.pageSize)), at: first + index)
      }
    }
  }

  private mutating func add(_ bytes: Bytes, at position: Int) {
    var entry = Entry()
    entry.next = bytes.big32(at: 0) ?? 0
    defer { entries.append(entry) }
    if bytes.isZero {
      entry.content = .zero
      return
    }
    if position == 0, phase < geometry.pageSize,
      let page = try? BTreePage(bytes, number: .first, geometry: geometry), page.kind.isTable,
      page.layoutFaults.isEmpty
    {
      startsWithFirstPage = true
    }
    entry.glance = bytes.glance
    guard let number = PageNumber(2),
      let page = try? BTreePage(bytes, number: number, geometry: geometry),
      page.contentStart <= geometry.usable, page.layoutFaults.isEmpty
    else {
      addPointerMap(bytes, at: position)
      return
    }
    entry.content = .tree(page.kind)
    if page.cellCount > 0, let first = try? page.cell(0),
      let last = try? page.cell(page.cellCount - 1)
    {
      if let lower = first.rowID, let upper = last.rowID, lower <= upper {
        entry.rowIDs = lower...upper
      }
      if !page.kind.isTable, let lower = Self.key(of: first, page),
        let upper = Self.key(of: last, page)
      {
        entry.keys = lower.compare(with: upper, .binary) <= 0 ? (lower, upper) : (upper, lower)
      }
      entry.fieldCount = Self.fieldCount(of: first, page)
    }
    entry.children = addReferences(of: page)
  }

  /// Takes in what a page refers to; returns its children.
  private mutating func addReferences(of page: BTreePage) -> [PageNumber] {
    var cells: [Cell] = []
    for index in 0..<page.cellCount {
      guard let cell = try? page.cell(index) else { return [] }
      cells.append(cell)
      if let overflow = cell.overflow, let first = PageNumber(overflow) {
        note(first, .chain(length: geometry.chainLength(of: cell)))
      }
    }
    guard !page.kind.isLeaf else { return [] }
    let children = page.children(of: cells)
    let keys = page.kind.isTable ? [] : cells.map { Self.key(of: $0, page) }
    let order = Self.order(of: keys)
    let fieldCount = cells.first.flatMap { Self.fieldCount(of: $0, page) }
    for (index, child) in children.enumerated() {
      guard let child else { continue }
      if page.kind.isTable {
        note(
          child,
          .table(
            above: index > 0 ? cells[index - 1].rowID : nil,
            upTo: index < cells.count ? cells[index].rowID : nil))
      } else {
        let before = index > 0 ? keys[index - 1] : nil
        let after = index < keys.count ? keys[index] : nil
        note(
          child,
          order == .descending
            ? .index(above: after, upTo: before, isCertain: true, fieldCount: fieldCount)
            : .index(
              above: before, upTo: after, isCertain: order == .ascending, fieldCount: fieldCount))
      }
    }
    return children.compactMap(\.self)
  }

  /// The order of the keys of one page, byte by byte; nil where they have none, or are too few to
  /// tell.
  private static func order(of keys: [Value?]) -> Order? {
    let known = keys.compactMap(\.self)
    guard known.count > 1 else { return nil }
    let steps = zip(known, known.dropFirst()).map { $0.compare(with: $1, .binary) }
    if steps.allSatisfy({ $0 <= 0 }), steps.contains(where: { $0 < 0 }) { return .ascending }
    return steps.allSatisfy { $0 >= 0 } && steps.contains { $0 > 0 } ? .descending : nil
  }

  private enum Order {
    case ascending
    case descending
  }

  /// The beginning of the first field of an index entry; nil where it cannot be told.
  private static func key(of cell: Cell, _ page: BTreePage) -> Value? {
    guard !page.kind.isTable, cell.overflow == nil,
      let value = (try? Record(page.bytes, in: cell.local))?.value(0)
    else { return nil }
    switch value {
    case .text(let bytes): return .text(Bytes(bytes.prefix(keyMax)))
    case .blob(let bytes): return .blob(Bytes(bytes.prefix(keyMax)))
    case .null, .integer, .real: return value
    }
  }

  /// How many values an index entry has; nil where it cannot be told.
  private static func fieldCount(of cell: Cell, _ page: BTreePage) -> Int? {
    page.kind.isTable || cell.overflow != nil
      ? nil : (try? Record(page.bytes, in: cell.local))?.fieldCount
  }

  /// Takes in a page that is a pointer map as far as its entries tell.
  private mutating func addPointerMap(_ bytes: Bytes, at position: Int) {
    var found: [Reference] = []
    var sum = 0
    for index in 0..<(geometry.usable / 5) {
      let offset = 5 * index
      guard let parent = bytes.big32(at: offset + 1) else { return }
      guard let kind = PointerMapEntry.Kind(rawValue: bytes[offset]) else {
        guard bytes[offset] == 0, parent == 0 else { return }
        continue
      }
      guard (parent == 0) == (kind == .root || kind == .free) else { return }
      sum += 1
      let expectation: Reference.Expectation? =
        switch kind {
        case .child: .parent(map: position, entry: index)
        case .laterOverflow: .before(position: position + 1 + index)
        case .root, .free, .firstOverflow: nil
        }
      if let expectation, found.count < 64 {
        found.append(Reference(number: Int(parent), expectation: expectation))
      }
    }
    guard sum >= 2 else { return }
    pointerMaps.append(position)
    for reference in found { note(reference) }
  }

  private mutating func note(_ number: PageNumber, _ expectation: Reference.Expectation) {
    note(Reference(number: number.number, expectation: expectation))
  }

  private mutating func note(_ reference: Reference) {
    passed += 1
    guard passed % stride == 0 else { return }
    references.append(reference)
    guard references.count > referenceMax else { return }
    references = Swift.stride(from: 0, to: references.count, by: 2).map { references[$0] }
    stride *= 2
  }
}

extension PageRoll {
  /// How many pages that stand there twice are looked for, at most.
  private static let twinMax = 64

  /// Whether the pages from one position to another stand there twice: before these, or behind them,
  /// lie others that look the same.
  func standTwice(from first: Int, to end: Int) -> Bool {
    let count = end - first
    guard (1...Self.twinMax).contains(count), entries.indices.contains(first), end <= entries.count
    else { return false }
    return (first..<end).allSatisfy { position in
      guard let glance = entries[position].glance else { return false }
      return [position - count, position + count].contains {
        entries.indices.contains($0) && entries[$0].glance == glance
      }
    }
  }
}
