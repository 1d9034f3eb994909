// SPDX-License-Identifier: Apache-2.0
// The rows that nodes of an R-tree hold of which some are missing or of another moment: each leaf has
// all of its rows, with their coordinates.

package import SQLiteFormat

/// The rows in those nodes of an R-tree that are there.
package struct RegionRows: Sendable {
  /// A row: its id, and its coordinates as the node has them.
  package struct Row: Hashable, Sendable {
    /// The id.
    package let id: Int64
    /// The coordinates, of four bytes each, the highest first.
    package let words: [UInt32]
  }

  /// The rows, by their ids.
  package private(set) var rows: [Row] = []

  /// Finds the rows of leaves among nodes; `links` says in which node each row is noted to lie.
  ///
  /// Ids in other nodes are those of nodes, and what a lost sector holds are no rows. A node is a leaf
  /// where most of its ids of which something is noted are noted to lie in it, or where it hangs at the
  /// end of the tree and nothing is noted of them.
  package init(_ nodes: [Int64: Bytes], links: [Int64: Int64], cellByteCount: Int) {
    let ends = Self.ends(of: nodes, cellByteCount)
    var found: [Int64: (row: Row, isNoted: Bool)] = [:]
    for (node, bytes) in nodes.sorted(by: { $0.key < $1.key }) {
      guard let ids = bytes.ids(cellByteCount: cellByteCount) else { continue }
      let noted = ids.compactMap { links[$0] }
      let isNoted = noted.count { $0 == node } * 2 > noted.count
      guard isNoted || ends.contains(node) && noted.isEmpty else { continue }
      for (cell, id) in ids.enumerated() where found[id].map({ !$0.isNoted }) ?? true {
        let start = 4 + cell * cellByteCount + 8
        if links[id] == nil, bytes.isBlank((start - 8)..<(start + cellByteCount - 8)) { continue }
        let words = stride(from: start, to: start + cellByteCount - 8, by: 4).compactMap {
          bytes.big32(at: $0)
        }
        found[id] = (Row(id: id, words: words), links[id] == node)
      }
    }
    rows = found.values.map(\.row).sorted { $0.id < $1.id }
  }

  /// The nodes at the ends of the tree, as far as it can be followed from its root.
  private static func ends(of nodes: [Int64: Bytes], _ cellByteCount: Int) -> Set<Int64> {
    guard let depth = nodes[1]?.big16(at: 0), depth <= RegionTree.depthMax else { return [] }
    var (level, seen): (Set<Int64>, Set<Int64>) = ([1], [1])
    for _ in 0..<depth {
      let below = level.flatMap { nodes[$0]?.ids(cellByteCount: cellByteCount) ?? [] }
      level = Set(below).subtracting(seen)
      seen.formUnion(level)
    }
    return level
  }
}

extension Bytes {
  /// Whether a part is nothing but zeros, or 255 again and again, as in a sector that was lost.
  fileprivate func isBlank(_ part: Range<Int>) -> Bool {
    guard let byte = self[part].first, byte == 0 || byte == 0xFF else { return false }
    return self[part].allSatisfy { $0 == byte }
  }
}
