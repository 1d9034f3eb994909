// SPDX-License-Identifier: Apache-2.0
// Where the rows of an R-tree lie in space: its nodes tell, all other columns are in another table.
//
// node: depth of the tree, in its root (2) · cells (2) · cells × (id (8) · coordinates × 4)

package import SQLiteFormat

/// The coordinates of the rows of an R-tree, by their ids.
struct Regions: Sendable {
  /// How many coordinates a row has.
  let count: Int
  private let table: VirtualTable
  /// Where those of a row begin.
  private var places: [Int64: Int] = [:]
  private var words: ContiguousArray<UInt32> = []

  /// Reads the coordinates of all rows.
  init(of table: VirtualTable, count: Int, in survey: Survey) {
    self.count = count
    self.table = table
    guard count > 0, let image = survey.image, let links = survey.root(of: table.part("rowid")),
      let nodes = survey.root(of: table.part("node"))
    else { return }
    // Only nodes that rows are noted in hold rows: in the others, ids are those of nodes.
    var leaves: Set<Int64> = []
    image.forEachRecord(ofTree: links, isTable: true) { stored in
      if let node = stored.record.value(1)?.integerValue { leaves.insert(node) }
      return true
    }
    image.forEachRecord(ofTree: nodes, isTable: true) { stored in
      guard let id = stored.rowID, leaves.contains(id) else { return true }
      if case .blob(let bytes)? = stored.record.value(1) { add(bytes) }
      return true
    }
  }

  private mutating func add(_ node: Bytes) {
    let byteCount = 8 + 4 * count
    for cell in 0..<(node.big16(at: 2) ?? 0) {
      let start = 4 + cell * byteCount
      guard start + byteCount <= node.count, let id = node.signed(at: start, width: 8) else {
        return
      }
      places[id] = words.count
      for index in 0..<count { words.append(node.big32(at: start + 8 + 4 * index) ?? 0) }
    }
  }

  /// A coordinate of a row; nil where no node has the row.
  func value(_ index: Int, of id: Int64?) -> Value? {
    guard let start = id.flatMap({ places[$0] }) else { return nil }
    return table.coordinate(words[start + index])
  }
}

extension VirtualTable {
  /// A coordinate of an R-tree as its nodes have it.
  package func coordinate(_ word: UInt32) -> Value {
    module == "rtree_i32"
      ? .integer(Int64(Int32(bitPattern: word))) : .real(Double(Float(bitPattern: word)))
  }
}

extension Survey {
  fileprivate func root(of part: VirtualTable.Part?) -> PageNumber? {
    part.flatMap { tree(named: $0.name) }?.root
  }
}
