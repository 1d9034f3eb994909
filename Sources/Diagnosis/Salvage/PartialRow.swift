// SPDX-License-Identifier: Apache-2.0
// What is left of a row that is lost: the start of its record, or its entries in indexes.

package import SQLiteFormat

/// What is left of a row that is lost.
package struct PartialRow: Sendable {
  /// Where what is left was found.
  package enum Source: Hashable, Sendable {
    /// In the row's own cell, whose overflow chain is broken.
    case cell(FormatError.Problem)
    /// In an entry of an index.
    case index(Name)
  }

  /// Where it was found.
  package let source: Source
  /// The rowid; nil in tables without.
  package let rowID: Int64?
  /// The values that are known, each with its position in the table's record, in order.
  package let values: [(field: Int, value: Value)]
  /// The first bytes of the text or blob in which the chain breaks, with its position.
  package let cut: (field: Int, value: Value)?
  /// How many fields the row's record has; nil where that is not known.
  package let fieldCount: Int?
  /// The page of the cell or entry.
  package let page: PageNumber
  /// Where the cell or entry starts in the page.
  package let offset: Int
}

extension PartialRow {
  /// The first fields, which are the key of a table without rowids; NULL where one is not known.
  package func key(_ count: Int) -> [Value] {
    (0..<count).map { field in values.first { $0.field == field }?.value ?? .null }
  }
}

extension Image {
  /// What is left of the row whose cell a scan of `page` could not read; nil when that is nothing.
  func partialRow(
    for fault: FormatError, on page: BTreePage, _ claims: inout PageClaims
  ) -> PartialRow? {
    guard fault.problem.breaksChain,
      let cell = cells(of: page).cells.first(where: {
        $0.offset == (fault.cell?.offset ?? fault.offset) && $0.overflow != nil
      }), let fields = claims.leadingFields(of: cell, on: page, in: self),
      let values = try? fields.record.values
    else { return nil }
    return PartialRow(
      source: .cell(fault.problem), rowID: cell.rowID,
      values: values.enumerated().map { ($0.offset, $0.element) },
      cut: fields.cut.map { (values.count, $0) },
      fieldCount: fields.announced, page: page.number, offset: cell.offset)
  }
}
