// SPDX-License-Identifier: Apache-2.0
// A text into whose pages something was written that is not its own.
//
// Media lose and confuse whole sectors: the bytes of a file from one multiple of 512 to another. An
// overflow page has no form in which that shows (section 1.7), but a text has:
//
// file    0    4              512                           1024              1536
// page    next text ......... | zeros, or a page of a tree | the text goes on |

extension Image {
  /// The overflow page on which a sector in the midst of a text of a record is none of the text;
  /// nil where nothing shows that.
  ///
  /// Payloads longer than ``Record/wholeMax`` are not looked at.
  func overwrittenPage(
    of record: Record, along chain: OverflowChain, behind local: Int
  ) -> PageNumber? {
    guard record.isWhole else { return nil }
    for field in record.fields where field.isText && field.end > local {
      let text = SpilledText(
        image: self, payload: record.bytes, range: field.offset..<field.end, local: local,
        chain: chain)
      if let sectors = text.overwrittenSectors { return text.page(of: sectors.lowerBound) }
    }
    return nil
  }
}

extension Image {
  /// Whether whole sectors are filled with one byte in a text that lies on the page of its cell.
  func hasBlankSector(inTextOf cell: Cell, on page: BTreePage) -> Bool {
    let size = Self.sectorSize
    guard cell.overflow == nil, cell.local.count > size else { return false }
    let start = offset(of: page.number)
    func sector(of place: Int) -> Range<Int> {
      let first = place - ((start + place) % size + size) % size
      return first..<(first + size)
    }
    // Two bytes tell of nearly all sectors that they are none.
    let isAny = stride(
      from: sector(of: cell.local.lowerBound).upperBound, to: cell.local.upperBound, by: size
    ).contains { place in
      let byte = page.bytes[place]
      return (byte == 0 || byte >= 0x80) && cell.local.upperBound - place > 1
        && page.bytes[place + 1] == byte
    }
    guard isAny, let record = try? Record(page.bytes, in: cell.local) else { return false }
    return record.fields.contains { field in
      field.isText
        && FilledSectors(
          bytes: record.bytes, text: field.offset..<field.end, slack: slackOfCharacters,
          sector: sector
        ).first(from: field.offset) != nil
    }
  }
}

/// A text that goes on in overflow pages.
private struct SpilledText {
  let image: Image
  let payload: Bytes
  /// Where the text lies in the payload.
  let range: Range<Int>
  /// How much of the payload lies in its cell.
  let local: Int
  let chain: OverflowChain

  /// How many bytes lie between two places that are looked at first.
  private static let probeStep = 64
  /// What the other contents of a sector have at least, which are not text: a byte in so many that is
  /// strange in one, and some that are controls.
  private static let strangeShare = 32
  private static let controlsMin = 4
  /// How far from the borders of sectors they begin and end to be strange.
  private static let marginMax = 32
  /// How many bytes of a scalar can stand on the other side of a border.
  private static let scalarRestMax = 3

  /// The sectors of the payload in which something else stands than text; nil where nothing shows
  /// that there are some.
  var overwrittenSectors: Range<Int>? {
    let slack = image.slackOfCharacters
    let filled = FilledSectors(bytes: payload, text: range, slack: slack, sector: sector)
      .first(from: local)
    // In UTF-16 half of the bytes of most texts are controls.
    guard filled == nil, slack == 0 else { return filled }
    var position = max(range.lowerBound, local)
    while let place = firstProbe(from: position) {
      let sector = sector(of: place)
      let strange = payload[sector.clamped(to: range)].count { $0.isControl || $0 >= 0x80 }
      if strange * Self.strangeShare >= sector.count { return strangeSectors }
      position = sector.upperBound
    }
    return nil
  }

  /// The first of the places looked at, from a position on, where there is what texts hardly hold.
  private func firstProbe(from position: Int) -> Int? {
    let bytes = payload.span
    var place = position
    while place <= range.upperBound - 8, let word = bytes.big64(at: place) {
      if word.hasByteBelow9 || word == .max { return place }
      place += Self.probeStep
    }
    return nil
  }

  /// The sectors between whose borders lies all that is strange in the text.
  ///
  /// A text that is strange elsewhere, or begins or ends to be so elsewhere, holds what it should.
  private var strangeSectors: Range<Int>? {
    var strange = StrangeBytes()
    var begin = 0
    var parser = Unicode.UTF8.ForwardParser()
    var rest = payload[range].makeIterator()
    var position = range.lowerBound
    scalars: while true {
      let length: Int
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: break scalars
      case .valid(let scalar) where scalar.first?.isControl != true:
        position += scalar.count
        continue scalars
      case .valid(let scalar): length = scalar.count
      case .error(let count): length = count
      }
      if strange.count == 0 {
        guard let border = border(beforeStrange: position) else { return nil }
        begin = border
      }
      strange.add(payload, position..<(position + length))
      position += length
    }
    guard let span = strange.span, let end = border(behindStrange: span.upperBound),
      begin > range.lowerBound, end < range.upperBound, begin < end
    else { return nil }
    // Zeros in the midst of a text may be its own, but hardly begin and end as sectors do.
    if strange.zeros == strange.count { return span == begin..<end ? span : nil }
    let isDense =
      strange.count * Self.strangeShare >= end - begin && strange.controls >= Self.controlsMin
    return isDense || strange.count >= end - begin ? begin..<end : nil
  }

  /// The border of a sector at which the first strange byte can have got into the text.
  private func border(beforeStrange position: Int) -> Int? {
    guard position >= local else {
      return local - position <= Self.scalarRestMax ? local : nil
    }
    let sector = sector(of: position)
    if position - sector.lowerBound < Self.marginMax { return sector.lowerBound }
    return sector.upperBound - position <= Self.scalarRestMax ? sector.upperBound : nil
  }

  /// The border of a sector at which the strange bytes before a position can end.
  private func border(behindStrange position: Int) -> Int? {
    guard position > local else { return nil }
    let sector = sector(of: position - 1)
    if sector.upperBound - position < Self.marginMax { return sector.upperBound }
    return position - sector.lowerBound <= Self.scalarRestMax ? sector.lowerBound : nil
  }

  /// The overflow page on which a byte of the payload lies.
  func page(of position: Int) -> PageNumber? {
    let index = (position - local) / image.geometry.overflowCapacity
    return chain.pages.indices.contains(index) ? chain.pages[index] : nil
  }

  /// The part of the payload that lies in one sector of the file with a byte of it, which is on an
  /// overflow page.
  private func sector(of position: Int) -> Range<Int> {
    let size = Image.sectorSize
    let capacity = image.geometry.overflowCapacity
    let start = position - (position - local) % capacity
    let place = (page(of: position).map { image.offset(of: $0) } ?? 0) + 4 + position - start
    let before = (place % size + size) % size
    return max(start, position - before)..<min(start + capacity, position - before + size)
  }
}

/// What of a text is strange in it: controls, and bytes that are no part of a scalar.
private struct StrangeBytes {
  private(set) var count = 0
  private(set) var controls = 0
  private(set) var zeros = 0
  /// From the first to the last of them.
  private(set) var span: Range<Int>?

  mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
    count += range.count
    controls += bytes[range].count(where: \.isControl)
    zeros += bytes[range].count { $0 == 0 }
    span = (span?.lowerBound ?? range.lowerBound)..<range.upperBound
  }
}

extension UInt8 {
  /// Whether the byte is a control that is none of a text's lines and tabs.
  fileprivate var isControl: Bool {
    self < 0x20 && self != 0x09 && self != 0x0A && self != 0x0C && self != 0x0D
  }
}

extension UInt64 {
  /// Whether one of the eight bytes is less than 9: above those are a text's lines and tabs.
  fileprivate var hasByteBelow9: Bool {
    (self &- 0x0909_0909_0909_0909) & ~self & 0x8080_8080_8080_8080 != 0
  }
}
