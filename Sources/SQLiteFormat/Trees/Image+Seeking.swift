// SPDX-License-Identifier: Apache-2.0
// Finding one row of a table by its rowid, as SQLite does.

extension Image {
  /// The cell of a row, found from the root of its table down.
  ///
  /// - Throws: ``FormatError`` when there is no such row, or the tree does not lead to it.
  package func cell(
    ofRow rowID: Int64, inTableAt root: PageNumber
  ) throws(FormatError) -> (cell: Cell, page: BTreePage) {
    let leaf = try TreeWalk.descend(from: tablePage(root)) { page throws(FormatError) in
      if page.kind.isLeaf { return .arrived }
      // The child of the first key that is not below the rowid, or else the right-most one.
      let cell = try page.firstCell(upFrom: rowID)
      guard let child = cell.map({ PageNumber($0.leftChild) }) ?? page.rightChild else {
        throw FormatError(.noChild, page: page.number)
      }
      return .below(try tablePage(child))
    }
    guard let leaf else { throw FormatError(.tooDeep, page: root) }
    guard let cell = try leaf.firstCell(upFrom: rowID), cell.rowID == rowID else {
      throw FormatError(.noChild, page: leaf.number)
    }
    return (cell, leaf)
  }

  private func tablePage(_ number: PageNumber) throws(FormatError) -> BTreePage {
    let page = try btreePage(number)
    guard page.kind.isTable else { throw FormatError(.wrongTree(page.kind), page: number) }
    return page
  }

  /// Where in the database file the last byte of a field's serial type lies.
  ///
  /// - Throws: ``FormatError`` when there is no such row, or it has no such field.
  package func offset(
    ofSerialType field: Int, ofRow rowID: Int64, inTableAt root: PageNumber
  ) throws(FormatError) -> Int {
    let (cell, page) = try cell(ofRow: rowID, inTableAt: root)
    let (record, chain) = try record(of: cell, on: page)
    guard let position = record.lastByte(ofSerialType: field) else {
      throw FormatError(.recordHeader, page: page.number, offset: cell.offset)
    }
    func offset(of page: PageNumber) -> Int { start + (page.number - 1) * geometry.pageSize }
    // A record that does not spill lies in its page.
    guard cell.overflow != nil else { return offset(of: page.number) + position }
    guard position >= cell.local.count else {
      return offset(of: page.number) + cell.local.lowerBound + position
    }
    let (index, rest) = (position - cell.local.count)
      .quotientAndRemainder(dividingBy: geometry.overflowCapacity)
    return offset(of: chain.pages[index]) + 4 + rest
  }
}

extension BTreePage {
  /// The first cell whose key is a rowid or above it; nil where all are below.
  fileprivate func firstCell(upFrom rowID: Int64) throws(FormatError) -> Cell? {
    var (low, high) = (0, cellCount)
    while low < high {
      let middle = (low + high) / 2
      if let key = try cell(middle).rowID, key < rowID { low = middle + 1 } else { high = middle }
    }
    return low < cellCount ? try cell(low) : nil
  }
}

extension Record {
  /// Where in ``bytes`` the serial type of a field ends; nil where there is no such field.
  fileprivate func lastByte(ofSerialType index: Int) -> Int? {
    guard index >= 0, index < fieldCount else { return nil }
    var cursor = types.lowerBound
    for _ in 0...index {
      guard let (_, length) = bytes.varint(at: cursor, limit: types.upperBound) else { return nil }
      cursor += length
    }
    return cursor - 1
  }
}
