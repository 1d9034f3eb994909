// SPDX-License-Identifier: Apache-2.0
// How a sound tree lies in its pages, and what kinds of value its columns hold.

import SQLiteFormat

/// How a sound tree lies in its pages, and what kinds of value its columns hold.
struct TreeMeasure: Sendable {
  /// A column whose values are counted by their kind.
  struct Column: Hashable, Sendable {
    /// Its name.
    let name: Name
    /// Its declared type.
    let type: String
    /// Where it is among the fields of a record.
    let place: Int
    /// How many of its values are text.
    var texts = 0
    /// How many are numbers.
    var numbers = 0
  }

  /// The table or index.
  let entry: SchemaEntry
  /// How many pages the tree has, with those that values spill to.
  private(set) var pages = 0
  /// How many of them are leaves.
  private(set) var leaves = 0
  /// How many leaves lie before the one that they follow.
  private(set) var backward = 0
  /// How many bytes of the leaves are used.
  private(set) var usedBytes = 0
  /// How many bytes the leaves have for entries.
  private(set) var roomBytes = 0
  /// How many rows or entries there are.
  private(set) var entries = 0
  /// How many of them spill to pages of their own.
  private(set) var spilled = 0
  /// How many of those would not, by the place of the smallest page size in `Geometry.pageSizes`.
  private(set) var fitting = Array(repeating: 0, count: Geometry.pageSizes.count)
  /// How many pages the tree takes when it is written anew.
  var pagesAnew: Int { packing.pages + overflowPages }
  /// The columns whose values are counted.
  private(set) var columns: [Column]
  /// Whether all of the tree was read.
  private(set) var isWhole = true

  private var overflowPages = 0
  private var packing: TreePacking
  private var lastLeaf: PageNumber?

  /// Walks a tree from its root; nothing of it is kept in memory.
  init(_ tree: TreeSurvey, in image: Image, counting columns: [Column] = []) {
    entry = tree.entry
    self.columns = columns
    let root = tree.root ?? .first
    packing = TreePacking(
      isTable: tree.isRowIDTable, usable: image.geometry.usable,
      taken: root == .first ? DatabaseHeader.byteCount : 0)
    var claims = PageClaims(pageCount: image.pageCount)
    var walk = TreeWalk(image, root: root, isTable: tree.isRowIDTable, owner: .tree(0))
    var located = LocatedFields()
    while let step = walk.next(&claims) {
      guard case .page(let visit) = step, visit.content.layoutFault == nil else {
        isWhole = false
        return
      }
      add(visit, image.geometry, &located)
    }
  }

  private mutating func add(
    _ visit: TreeWalk.Visit, _ geometry: Geometry, _ located: inout LocatedFields
  ) {
    let (page, cells) = (visit.page, visit.content.cells)
    pages += 1
    if page.kind.isLeaf {
      leaves += 1
      if let lastLeaf, page.number.number < lastLeaf.number { backward += 1 }
      lastLeaf = page.number
      roomBytes += geometry.usable - page.pointerArrayOffset
      usedBytes += cells.reduce(0) { $0 + $1.size + 2 }
    }
    guard page.kind != .tableInterior else { return }
    for cell in cells {
      entries += 1
      // An entry of an interior page has its child's number in front.
      packing.add(page.kind.isLeaf ? cell.size : max(4, cell.size - 4), rowID: cell.rowID)
      if cell.overflow != nil { addSpilled(cell, page.kind.isTable, geometry) }
      if !columns.isEmpty { count(cell, on: page, &located) }
    }
  }

  private mutating func addSpilled(_ cell: Cell, _ isTable: Bool, _ geometry: Geometry) {
    spilled += 1
    let more = geometry.chainLength(of: cell)
    overflowPages += more
    pages += more
    let size = Geometry.pageSizes.firstIndex { size in
      let larger = Geometry(pageSize: size, reserved: geometry.reserved)
      return larger?.localPayload(total: cell.payloadSize, tableLeaf: isTable) == cell.payloadSize
    }
    if let size { fitting[size] += 1 }
  }

  /// Counts the values of a record whose header lies in its page.
  private mutating func count(
    _ cell: Cell, on page: BTreePage, _ located: inout LocatedFields
  ) {
    let start = cell.local.lowerBound
    guard located.read(start..<(start + cell.payloadSize), of: page.bytes.span),
      located.count > 0, located[0].offset <= cell.local.upperBound
    else { return }
    for index in columns.indices where columns[index].place < located.count {
      switch located[columns[index].place].serialType {
      case 1...9: columns[index].numbers += 1
      case let type where type >= 13 && type % 2 == 1: columns[index].texts += 1
      default: break
      }
    }
  }
}

extension TreeMeasure {
  /// How full the leaves are, in percent.
  var fill: Int { roomBytes > 0 ? usedBytes * 100 / roomBytes : 100 }
  /// How many leaves lie before the one that they follow, in percent.
  var disorder: Int { leaves > 1 ? backward * 100 / (leaves - 1) : 0 }
}
