// SPDX-License-Identifier: Apache-2.0
// Why an item of a file yields nothing. Damage is data: most readers collect these and go on.

/// Why a page, cell, chain, record, log or journal yields nothing.
package struct FormatError: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Problem: Hashable, Sendable {
    /// The file has no such page.
    case pageMissing
    /// The page exists but cannot be read.
    case unreadable(String)
    /// The page is only partly there.
    case pageIncomplete
    /// The first byte is that of no b-tree page.
    case notABTreePage(type: UInt8)
    /// An index page in a table's tree, or the other way round.
    case wrongTree(BTreePage.Kind)
    /// The page claims more cells than fit.
    case cellCountTooLarge(Int)
    /// A cell pointer leads outside the cell content area.
    case cellPointerOutside(Int)
    /// A cell is not wholly inside its page.
    case cellCutOff
    /// A payload larger than the file could hold.
    case payloadTooLarge
    /// An overflow chain ends too early.
    case chainTooShort
    /// An overflow chain goes on after its last page.
    case chainTooLong
    /// An overflow chain leads to a page that cannot be part of it.
    case chainAstray
    /// The last page of an overflow chain is nothing but zeros in the midst of a text.
    case chainBlank
    /// An overflow chain leads to a page that the pointer map has in another one.
    case chainDisputed
    /// A sector in the midst of a text is blank, or holds what is no text.
    case textOverwritten
    /// A record's header does not fit its payload.
    case recordHeader
    /// A record has a serial type that is reserved.
    case reservedSerialType
    /// The parts of a record do not add up to its payload.
    case recordLength
    /// A page that something else already owns.
    case claimedTwice
    /// A page that is the same as one of another tree.
    case copied
    /// Keys that do not ascend, or leave the interval of their parent.
    case keyOrder
    /// Two entries with the same key, where no two may have it.
    case keyTwice
    /// Leaves of one tree at different depths.
    case uneven
    /// A tree deeper than any that SQLite makes.
    case tooDeep
    /// A child pointer of 0.
    case noChild
    /// Nothing leads to a page of a tree.
    case unreached
    /// A leaf without a cell below another page.
    case noCell
    /// A list whose entry count cannot be true.
    case listCount
    /// A page header that the rest of its page contradicts.
    case pageHeader
    /// A cell of which nothing proves that it is in use.
    case cellUnproven
    /// A cell through which a place may run where bytes were put in or left out.
    case cellJoined
    /// The first bytes are those of no write-ahead log.
    case notALog
    /// The header of a write-ahead log has another checksum than its bytes give.
    case logChecksum
    /// The first bytes are those of no rollback journal; after a commit they are zeros.
    case notAJournal
    /// A rollback journal with pages or sectors of a size that there is not.
    case journalSizes
  }

  /// What is wrong.
  package let problem: Problem
  /// On which page.
  package let page: PageNumber?
  /// At which byte of the page.
  package let offset: Int?
  /// The cell whose chain is broken, where the page is one of its chain.
  package let cell: CellPlace?

  /// Makes an error.
  package init(
    _ problem: Problem, page: PageNumber? = nil, offset: Int? = nil, cell: CellPlace? = nil
  ) {
    self.problem = problem
    self.page = page
    self.offset = offset
    self.cell = cell
  }

  /// Where a cell begins.
  package struct CellPlace: Hashable, Sendable {
    /// Its page.
    package let page: PageNumber
    /// The byte of the page.
    package let offset: Int
  }

  /// The same, met in a cell: of a page of its chain, the link at its beginning.
  func met(in cell: Cell, on page: PageNumber) -> FormatError {
    guard let broken = self.page, broken != page else {
      return FormatError(problem, page: page, offset: offset ?? cell.offset)
    }
    return FormatError(
      problem, page: broken, offset: offset ?? 0, cell: CellPlace(page: page, offset: cell.offset))
  }
}

extension FormatError.Problem: CustomStringConvertible {
  /// What is wrong, lower case, without full stop.
  package var description: String {
    switch self {
    case .pageMissing: "the file has no such page"
    case .unreadable(let reason): "the page cannot be read: \(reason)"
    case .pageIncomplete: "the page is only partly there"
    case .notABTreePage: "it does not begin as a page of a table or index does"
    case .wrongTree(let kind): "a page of kind \(kind) does not belong in this tree"
    case .cellCountTooLarge(let count): "\(count) cells do not fit in the page"
    case .cellPointerOutside(let pointer): "a cell pointer leads to byte \(pointer)"
    case .cellCutOff: "a cell does not end inside its page"
    case .payloadTooLarge: "a payload is larger than the file"
    case .chainTooShort: "an overflow chain ends too early"
    case .chainTooLong: "an overflow chain goes on after its last page"
    case .chainAstray: "an overflow chain leads to a page that cannot be part of it"
    case .chainBlank: "the last page of an overflow chain is blank where a text goes on"
    case .chainDisputed:
      "its overflow chain leads to a page that the pointer map has in another one"
    case .textOverwritten: "a sector in the midst of a text is blank, or is no text"
    case .recordHeader: "a record header does not fit its payload"
    case .reservedSerialType: "a record has a reserved serial type"
    case .recordLength: "the parts of a record do not add up to its payload"
    case .claimedTwice: "the page already belongs to something else"
    case .copied: "it is the same page as one of another tree"
    case .keyOrder: "keys are out of order"
    case .keyTwice: "two entries have the same key, which is to be unique"
    case .uneven: "leaves lie at different depths"
    case .tooDeep: "the tree is deeper than any that SQLite makes"
    case .noChild: "a child pointer is 0"
    case .unreached: "no page above leads to one of its pages"
    case .noCell: "it has no cell, as only the root of an empty tree has none"
    case .listCount: "a list's entry count cannot be true"
    case .pageHeader: "the page header does not fit the rest of its page"
    case .cellUnproven: "nothing proves that a cell is in use"
    case .cellJoined: "bytes may have been put in or left out inside a cell"
    case .notALog: "it does not begin as a write-ahead log does"
    case .logChecksum: "its checksum is another than its bytes give"
    case .notAJournal: "it does not begin as a rollback journal does"
    case .journalSizes: "its pages or sectors have a size that SQLite does not use"
    }
  }
}

extension FormatError.Problem {
  /// Whether this is what can be wrong with an overflow chain.
  package var breaksChain: Bool {
    switch self {
    case .chainTooShort, .chainTooLong, .chainAstray, .chainBlank, .claimedTwice, .pageMissing,
      .pageIncomplete, .unreadable, .payloadTooLarge:
      true
    default: false
    }
  }
}
