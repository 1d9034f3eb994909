// SPDX-License-Identifier: Apache-2.0
// The rows in the nodes of an R-tree of which a part was lost.

import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct RegionRowsTests {
  private static let cellByteCount = 8 + 4 * 4

  /// A cell with an id of one byte.
  private func cell(_ id: UInt8) -> Bytes {
    Bytes(repeating: 0, count: 7) + [id] + Bytes(repeating: id, count: 16)
  }

  @Test(arguments: [0, 0xFF] as [UInt8])
  func `what a blank sector holds in a node is no row`(_ fill: UInt8) {
    let blank = Bytes(repeating: fill, count: Self.cellByteCount)
    let node: Bytes = [0, 0, 0, 4] + cell(7) + cell(8) + blank + cell(9)
    let found = RegionRows([1: node], links: [7: 1, 8: 1], cellByteCount: Self.cellByteCount)
    #expect(found.rows.map(\.id) == [7, 8, 9])
  }

  @Test func `a row that is noted counts whatever its bytes are`() {
    let node: Bytes = [0, 0, 0, 2] + cell(0) + cell(8)
    let found = RegionRows([1: node], links: [0: 1, 8: 1], cellByteCount: Self.cellByteCount)
    #expect(found.rows.map(\.id) == [0, 8])
  }
}
