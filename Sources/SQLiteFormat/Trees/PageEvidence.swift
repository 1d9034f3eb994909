// SPDX-License-Identifier: Apache-2.0
// A page taken apart: what its header, its pointers and its content each say about its cells.

/// What the parts of a page say about its cells, each for itself.
struct PageEvidence {
  /// One entry of the pointer array, or what lies where entries would follow.
  struct Pointer {
    /// Where it leads.
    let target: Int
    /// The cell there; nil where none can be.
    let cell: Cell?
    /// Whether the cell's record has the form of one.
    let holds: Bool
  }

  /// The page, with its header as it is stored.
  let page: BTreePage
  /// Where the bytes of the page end: inside it where the file ends there.
  let limit: Int
  /// What the pointers lead to, as far as pointers can reach.
  let pointers: [Pointer]
  /// The freeblocks, as far as their chain holds.
  let blocks: [Range<Int>]
  /// Whether the chain of freeblocks ends as it should.
  let areBlocksWhole: Bool
  /// The position of the first pointer that leads to a cell, by where the cell lies.
  ///
  /// It is ``nowhere`` where none leads: a page has fewer pointers than that.
  private let positions: [UInt16]
  private static let nowhere = UInt16.max
  /// The image that the page is one of.
  let image: Image
  /// The number of the last page to which a cell may lead.
  let lastReferable: Int

  /// Takes a page apart.
  init(_ page: BTreePage, in image: Image) {
    let lastReferable = image.lastReferable
    let limit = min(page.geometry.usable, page.bytes.count)
    let room = max(0, limit - page.pointerArrayOffset) / 2
    var pointers: [Pointer] = []
    var positions = [UInt16](repeating: Self.nowhere, count: max(0, limit))
    for position in 0..<min(page.geometry.cellCountMax, room) {
      let place = page.pointerArrayOffset + 2 * position
      let target = page.bytes.big16(at: place) ?? 0
      let cell = target >= place + 2 && target <= limit - 4 ? try? page.cell(at: target) : nil
      // Many pointers can lead to one cell, whose form is looked at once.
      let known = cell == nil || positions[target] == Self.nowhere ? nil : Int(positions[target])
      let holds =
        known.map { pointers[$0].holds } ?? cell.map { Self.holds($0, on: page, lastReferable) }
        ?? false
      if cell != nil, positions[target] == Self.nowhere { positions[target] = UInt16(position) }
      pointers.append(Pointer(target: target, cell: cell, holds: holds))
    }
    self.page = page
    self.image = image
    self.lastReferable = lastReferable
    self.limit = limit
    self.pointers = pointers
    self.positions = positions
    var (blocks, areBlocksWhole) = Self.freeblocks(of: page, limit)
    // What a broken chain leads to at last is no freeblock where the pointers lead to cells in it.
    if !areBlocksWhole, let last = blocks.last,
      pointers.prefix(page.cellCount).contains(where: { $0.holds && last.contains($0.target) })
    {
      blocks.removeLast()
    }
    (self.blocks, self.areBlocksWhole) = (blocks, areBlocksWhole)
  }

  /// The freeblocks as far as their chain ascends inside the page, and whether it ends.
  private static func freeblocks(of page: BTreePage, _ limit: Int) -> ([Range<Int>], Bool) {
    var blocks: [Range<Int>] = []
    var next = page.firstFreeblock
    var end = page.pointerArrayOffset
    while next != 0 {
      guard next >= end, let block = page.freeblock(at: next, limit) else { return (blocks, false) }
      blocks.append(block)
      end = block.upperBound
      next = page.bytes.big16(at: next) ?? 0
    }
    return (blocks, true)
  }

  /// Whether a cell has the form of one; what follows on other pages is for its reader to prove.
  private static func holds(_ cell: Cell, on page: BTreePage, _ lastReferable: Int) -> Bool {
    func isElsewhere(_ stored: UInt32) -> Bool {
      guard let number = PageNumber(stored) else { return false }
      return number != .first && number != page.number && number.number <= lastReferable
    }
    if !page.kind.isLeaf, !isElsewhere(cell.leftChild) { return false }
    if let overflow = cell.overflow, !isElsewhere(overflow) { return false }
    return page.kind == .tableInterior
      || Record.hasForm(page.bytes, in: cell.local, payload: cell.payloadSize)
  }

  /// The position of the pointer that leads to a place, when it is one of the first `count`.
  func position(of offset: Int, in count: Int) -> Int? {
    guard positions.indices.contains(offset) else { return nil }
    let position = Int(positions[offset])
    return position < min(count, pointers.count) ? position : nil
  }

  /// The cell at a place, and what speaks for it; `counted` pointers are believed.
  func candidate(at offset: Int, counted: Int) -> PageTiling.Candidate? {
    if let position = position(of: offset, in: counted) {
      let pointer = pointers[position]
      return pointer.holds ? pointer.cell.map { .init(cell: $0, isPointed: true) } : nil
    }
    guard let cell = try? page.cell(at: offset), Self.holds(cell, on: page, lastReferable),
      areBlocksWhole || !isFreed(cell)
    else { return nil }
    return .init(cell: cell, isPointed: false)
  }

  /// Whether what would be the left child of a cell is the head of a freeblock: deleting a cell of
  /// an interior page overwrites nothing else.
  func isFreed(_ cell: Cell) -> Bool {
    guard !page.kind.isLeaf, let block = statedFreeblock(at: cell.offset) else { return false }
    let end = block.upperBound
    return (cell.end..<(cell.end + 4)).contains(end) || end == page.geometry.usable
      || position(of: end, in: pointers.count) != nil
  }

  /// The best tiling of a range, as far as the page's bytes reach.
  func tiling(of range: Range<Int>, blocks: [Range<Int>], counted: Int) -> PageTiling {
    let range = range.clamped(to: 0..<limit)
    return PageTilings(range, of: page.bytes, blocks: blocks) {
      candidate(at: $0, counted: counted)
    }.tiling(from: range.lowerBound)
  }

  /// Whether a range of free bytes says of itself that it is a freeblock: fragments may follow.
  func isFreeblock(_ gap: Range<Int>) -> Bool { gap.count >= 4 && fragments(in: gap) < 4 }

  /// How many bytes of a range of free ones are in no freeblock, when one may begin it.
  func fragments(in gap: Range<Int>) -> Int {
    guard let block = statedFreeblock(at: gap.lowerBound), block.upperBound <= gap.upperBound else {
      return gap.count
    }
    return gap.upperBound - block.upperBound
  }

  /// The freeblock that a range of unexplained bytes begins, and that goes on over what looks like
  /// cells up to one of `ends`: only the first of several deleted cells is overwritten.
  func freeblock(in gap: Range<Int>, ending ends: Set<Int>) -> Range<Int>? {
    statedFreeblock(at: gap.lowerBound).flatMap { block in
      block.upperBound > gap.upperBound
        && (block.upperBound..<(block.upperBound + 4)).contains(where: ends.contains) ? block : nil
    }
  }

  /// The freeblock at an offset, as its own four bytes tell it.
  func statedFreeblock(at offset: Int) -> Range<Int>? {
    guard let block = page.freeblock(at: offset, limit) else { return nil }
    let next = page.bytes.big16(at: offset) ?? 0
    return next == 0 || next >= block.upperBound && next <= limit - 4 ? block : nil
  }
}

extension BTreePage {
  /// The freeblock at an offset; nil when its size cannot be.
  fileprivate func freeblock(at offset: Int, _ limit: Int) -> Range<Int>? {
    guard offset <= limit - 4, let size = bytes.big16(at: offset + 2), size >= 4,
      size <= limit - offset
    else { return nil }
    return offset..<(offset + size)
  }
}

extension Record {
  /// Whether bytes have the form of a record of `payload` bytes, of which they are the local part.
  ///
  /// It has at least one field. A header that goes on elsewhere is believed for the rest.
  package static func hasForm(_ bytes: Bytes, in local: Range<Int>, payload: Int) -> Bool {
    let limit = min(local.upperBound, bytes.count)
    guard let (size, length) = bytes.varint(at: local.lowerBound, limit: limit),
      size > UInt64(length), size <= UInt64(payload)
    else { return false }
    let headerEnd = local.lowerBound + Int(size)
    var cursor = local.lowerBound + length
    var total = Int(size)
    while cursor < headerEnd {
      guard let (type, length) = bytes.varint(at: cursor, limit: min(headerEnd, limit)) else {
        return headerEnd > limit
      }
      guard let width = width(ofSerialType: type), width <= payload - total else { return false }
      total += width
      cursor += length
    }
    return total == payload
  }
}
