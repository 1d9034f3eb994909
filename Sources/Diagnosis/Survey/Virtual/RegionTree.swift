// SPDX-License-Identifier: Apache-2.0
// The nodes of an R-tree as they hang together: what its other tables note of rows and of nodes
// follows from them, but for columns that are no coordinates.

package import SQLiteFormat

/// The nodes of an R-tree of which none is missing.
package struct RegionTree: Sendable {
  /// The most levels that the module makes above its leaves.
  static let depthMax = 40

  /// The node that each row lies in.
  package private(set) var rows: [Int64: Int64] = [:]
  /// The node that each node but the root hangs in.
  package private(set) var parents: [Int64: Int64] = [:]

  /// Puts nodes together; nil where one is missing or is none, or hangs nowhere or twice, or where
  /// two hold one row.
  package init?(_ nodes: [Int64: Bytes], cellByteCount: Int) {
    guard let depth = nodes[1]?.big16(at: 0), depth <= Self.depthMax else { return nil }
    var level: [Int64] = [1]
    for height in stride(from: depth, through: 0, by: -1) {
      var below: [Int64] = []
      for id in level {
        guard let children = nodes[id]?.ids(cellByteCount: cellByteCount) else { return nil }
        for child in children {
          let isKnown =
            height == 0
            ? rows.updateValue(id, forKey: child) != nil
            : child == 1 || parents.updateValue(id, forKey: child) != nil
          if isKnown { return nil }
        }
        if height > 0 { below += children }
      }
      level = below
    }
    guard parents.count + 1 == nodes.count else { return nil }
  }
}

extension ContiguousArray where Element == UInt8 {
  /// The ids in the cells of a node: of rows, or of the nodes below; nil where it is none.
  func ids(cellByteCount: Int) -> [Int64]? {
    guard let count = big16(at: 2), 4 + count * cellByteCount <= self.count else { return nil }
    return (0..<count).compactMap { signed(at: 4 + $0 * cellByteCount, width: 8) }
  }
}
