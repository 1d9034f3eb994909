// SPDX-License-Identifier: Apache-2.0
// Reading a page that may be damaged: as which kind, and by which of its accounts.
//
// A page accounts for its cells three times: the header counts them and says where they start,
// the pointers lead to each, and the cells themselves, one behind the other, fill what is not free.
// Damage seldom hits all three. What two of them agree on is proven; what only one of them says
// is doubtful; and of a cell that the header does not vouch for, nothing tells a live row from a
// deleted one.

extension Image {
  /// What a page holds, each cell decoded once where the page is sound.
  package func content(of page: BTreePage) -> PageContent {
    doubting(
      page.soundCells.map(PageContent.init(sound:)) ?? PageEvidence(page, in: self).account.content,
      on: page.number)
  }

  /// The content of a page, with cells in doubt that may not be as they were written.
  private func doubting(_ content: PageContent, on page: PageNumber) -> PageContent {
    guard files.hasDoubts else { return content }
    let places = content.cells.filter { suspicion(of: $0, on: page) != nil }.map(\.offset)
    return places.isEmpty ? content : content.doubting(cellsAt: places)
  }

  /// Why a cell that is whole may not be as it was written; nil where nothing says so.
  package func suspicion(of cell: Cell, on page: PageNumber) -> FormatError.Problem? {
    if isJoined(cell, on: page) { return .cellJoined }
    guard cell.overflow != nil, !files.disputedPages.isEmpty else { return nil }
    return reachedPages(of: cell, on: page).contains(where: files.disputedPages.contains)
      ? .chainDisputed : nil
  }

  /// Whether bytes may have been put into a cell or its overflow chain, or left out of them.
  private func isJoined(_ cell: Cell, on page: PageNumber) -> Bool {
    if origin(of: page) == .main, files.doubtfulCells[page]?.contains(cell.offset) == true {
      return true
    }
    guard cell.overflow != nil, !files.doubtfulPages.isEmpty else { return false }
    return reachedPages(of: cell, on: page).contains {
      files.doubtfulPages.contains($0) && origin(of: $0) == .main
    }
  }

  /// The cells that a page proves to be its own, with a fault for each of the others that it
  /// counts.
  package func cells(of page: BTreePage) -> (cells: [Cell], faults: [FormatError]) {
    let content = content(of: page)
    return (
      content.cells, content.faults + content.doubtful.map { doubt(of: $0, on: page.number) }
    )
  }

  /// Why a cell that is whole is not sure to be in use, or to be as it was written.
  func doubt(of cell: Cell, on page: PageNumber) -> FormatError {
    FormatError(
      suspicion(of: cell, on: page) ?? .cellUnproven, page: page, offset: cell.offset)
  }

  /// Reads a page as one of these kinds.
  ///
  /// Its type byte counts as long as the rest of the page does not speak against it. A sound page
  /// of another kind is none of these.
  ///
  /// - Throws: ``FormatError`` when nothing of such a page can be read.
  package func reading(
    of number: PageNumber, as kinds: [BTreePage.Kind]
  ) throws(FormatError) -> PageReading {
    let bytes = try bytes(of: number)
    let fault: FormatError
    var stated: BTreePage?
    do throws(FormatError) {
      let page = try BTreePage(bytes, number: number, geometry: geometry)
      let cells = page.soundCells
      guard kinds.contains(page.kind) || cells == nil else {
        throw FormatError(.wrongTree(page.kind), page: number)
      }
      if let cells {
        return PageReading(page: page, content: doubting(PageContent(sound: cells), on: number))
      }
      fault = FormatError(.wrongTree(page.kind), page: number)
      stated = page
    } catch {
      if case .wrongTree = error.problem { throw error }
      fault = error
    }
    guard !bytes.isZero else { throw fault }
    let isKnown = kinds.count < BTreePage.Kind.allCases.count
    let accounts = kinds.compactMap { kind in
      BTreePage(bytes, number: number, geometry: geometry, readAs: kind).flatMap { page in
        isKnown || mayBeTreePage(page) ? PageEvidence(page, in: self).account : nil
      }
    }
    guard let best = best(accounts, stated: stated, bytes) else { throw fault }
    return PageReading(page: best.page, content: doubting(best.content, on: number))
  }

  /// Whether a page of which nothing is known is worth a search for cells: its header can be that
  /// of a page of a tree, or it is a leaf's and does not begin as an overflow page does.
  private func mayBeTreePage(_ page: BTreePage) -> Bool {
    if page.contentStart >= page.pointerArrayOffset, page.contentStart < geometry.usable {
      return true
    }
    if page.cellCount > 0, page.pointerArrayEnd < geometry.usable,
      let target = page.bytes.big16(at: page.pointerArrayOffset), target >= page.pointerArrayEnd,
      target < geometry.usable
    {
      return true
    }
    let link = page.bytes.big32(at: 0) ?? 0
    return page.kind.isLeaf && (link > pageCount || page.bytes[..<8].allSatisfy { $0 == 0 })
  }

  /// The account of a damaged page that has most in its favour; nil when none has enough.
  ///
  /// What the type byte says is given up only for cells that are certain, or where it leaves none.
  private func best(
    _ accounts: [PageAccount], stated: BTreePage?, _ bytes: Bytes
  ) -> PageAccount? {
    let byType = accounts.first { $0.page.kind == stated?.kind }
    if let byType, byType.isProven { return byType }
    let best = accounts.max { $0.weight < $1.weight }
    guard let best, best.weight > 0 else { return byType }
    // A kind that is neither stated nor expected needs more than cells here and there.
    let isKnown = accounts.count < BTreePage.Kind.allCases.count
    let isEnough = best.isProven || isKnown || best.covered * 2 >= bytes.count { $0 != 0 }
    if let byType {
      let isSure = !best.content.cells.isEmpty || byType.covered == 0
      return isEnough && isSure && best.weight > 2 * byType.weight ? best : byType
    }
    if let stated {
      let rival = PageEvidence(stated, in: self).account
      guard best.weight > (isKnown ? 1 : 2) * rival.weight else { return nil }
    }
    return isEnough ? best : nil
  }
}

/// What one way to read a damaged page comes to.
struct PageAccount {
  /// The page, with what of its header could be put right.
  let page: BTreePage
  /// The cells.
  let content: PageContent
  /// Whether the cells account for the whole page.
  let isProven: Bool

  /// How many bytes the cells take.
  var covered: Int { (content.cells + content.doubtful).byteCount }

  /// How much speaks for this reading; anything may look like a cell of a table's interior page.
  var weight: Int {
    (isProven && !content.cells.isEmpty ? 1 << 20 : 0) + 2 * content.cells.byteCount
      + (page.kind == .tableInterior ? 0 : content.doubtful.byteCount)
  }
}

extension [Cell] {
  /// How many bytes of their page the cells take, those once that several share.
  fileprivate var byteCount: Int {
    var (sum, end) = (0, 0)
    for cell in sorted(by: { $0.offset < $1.offset }) where cell.end > end {
      sum += cell.end - Swift.max(cell.offset, end)
      end = cell.end
    }
    return sum
  }
}
