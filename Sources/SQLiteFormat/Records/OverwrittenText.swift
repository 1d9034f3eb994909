// SPDX-License-Identifier: Apache-2.0
// A text into whose pages something was written that is not its own.
//
// Media lose and confuse whole sectors: the bytes of a file from one multiple of 512 to another. The
// payload of a cell and an overflow page have no form in which that shows (sections 1.6 and 1.7), but a
// text has:
//
// file    0    4              512                           1024              1536
// page    next text ......... | zeros, or a page of a tree | the text goes on |

extension Image {
  /// The page on which a sector in the midst of a text of a record is none of the text; nil where
  /// nothing shows that.
  ///
  /// Payloads longer than ``Record/wholeMax`` are not looked at.
  func overwrittenPage(
    of record: Record, in cell: Cell, on page: BTreePage, along chain: OverflowChain
  ) -> PageNumber? {
    guard record.isWhole else { return nil }
    let places = PayloadPlaces(image: self, cell: cell, page: page.number, chain: chain)
    for field in record.fields where field.isText {
      let text = StoredText(
        payload: record.bytes, range: field.offset..<field.end, places: places,
        slack: slackOfCharacters)
      if let sectors = text.overwrittenSectors { return places.page(of: sectors.lowerBound) }
    }
    return nil
  }

  /// Whether a text that lies on the page of its cell, all of it, has a sector that is none of it.
  func hasOverwrittenText(_ cell: Cell, on page: BTreePage) -> Bool {
    guard cell.overflow == nil, cell.local.count > Self.sectorSize else { return false }
    let start = offset(of: page.number)
    let isUTF8 = hasUTF8Texts
    func hasStrangeSector(_ range: Range<Int>) -> Bool {
      page.bytes.hasStrangeSector(in: range, startingAt: start, isUTF8: isUTF8)
    }
    // Blobs are so as well: only where it is in a text, the text is read.
    guard hasStrangeSector(cell.local), let found = try? Record(page.bytes, in: cell.local),
      found.fields.contains(where: { $0.isText && hasStrangeSector($0.offset..<$0.end) })
    else { return false }
    let payload = page.bytes.slice(cell.local)
    guard let record = try? Record(payload, in: 0..<payload.count) else { return false }
    return overwrittenPage(of: record, in: cell, on: page, along: OverflowChain(pages: [])) != nil
  }
}

/// Where the bytes of a payload lie in the file: in their cell, and behind that on overflow pages.
private struct PayloadPlaces {
  let image: Image
  let cell: Cell
  let page: PageNumber
  let chain: OverflowChain

  /// The page on which a byte of the payload lies.
  func page(of position: Int) -> PageNumber? {
    guard position >= cell.local.count else { return page }
    let index = (position - cell.local.count) / image.geometry.overflowCapacity
    return chain.pages.indices.contains(index) ? chain.pages[index] : nil
  }

  /// The part of the payload that lies in one sector of the file with a byte of it.
  func sector(of position: Int) -> Range<Int> {
    let (size, local) = (Image.sectorSize, cell.local.count)
    let capacity = image.geometry.overflowCapacity
    let isLocal = position < local
    let start = isLocal ? 0 : position - (position - local) % capacity
    let place =
      (page(of: position).map { image.offset(of: $0) } ?? 0)
      + (isLocal ? cell.local.lowerBound : 4) + position - start
    let before = (place % size + size) % size
    return max(
      start, position - before)..<min(isLocal ? local : start + capacity, position - before + size)
  }
}

/// A text of a payload.
private struct StoredText {
  let payload: Bytes
  /// Where the text lies in the payload.
  let range: Range<Int>
  let places: PayloadPlaces
  /// How many bytes of a character may be the same as those of a sector beside it.
  let slack: Int

  /// What the other contents of a sector have at least, which are not text: a byte in so many that is
  /// strange in one, and some that are controls.
  private static let strangeShare = 32
  private static let controlsMin = 4
  /// How many bytes of no scalar tell as much.
  private static let brokenMin = 64
  /// How far from the borders of sectors they begin and end to be strange.
  private static let marginMax = 32
  private static let endMarginMax = 8
  /// How many bytes of a scalar can stand on the other side of a border.
  fileprivate static let scalarRestMax = 3

  /// The sectors of the payload in which something else stands than text; nil where nothing shows
  /// that there are some.
  var overwrittenSectors: Range<Int>? {
    guard range.count > Image.sectorSize / 2 else { return nil }
    let filled = FilledSectors(bytes: payload, text: range, slack: slack, sector: places.sector)
      .first(from: range.lowerBound)
    // In UTF-16 half of the bytes of most texts are controls.
    guard filled == nil, slack == 0 else { return filled }
    var position = range.lowerBound
    // The last sector of the text may go on behind it.
    while position < range.upperBound,
      let place = payload.firstProbe(in: position..<range.upperBound)
    {
      let sector = places.sector(of: place)
      let strange = payload[sector.clamped(to: range)].count { $0.isControl || $0 >= 0x80 }
      if strange * Self.strangeShare >= sector.count { return strangeSectors }
      position = sector.upperBound
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
    guard let span = strange.span, begin > range.lowerBound else { return nil }
    if range.upperBound - span.upperBound < Self.endMarginMax,
      places.sector(of: span.upperBound - 1).upperBound >= range.upperBound
    {
      return isRest(from: begin, strange) ? begin..<range.upperBound : nil
    }
    guard let end = border(behindStrange: span.upperBound), end < range.upperBound, begin < end
    else { return nil }
    // Zeros in the midst of a text may be its own, but hardly begin and end as sectors do.
    if strange.isOfZeros { return strange.fillsWithZeros(begin..<end) ? begin..<end : nil }
    let isDense =
      strange.count * Self.strangeShare >= end - begin
      && (strange.controls >= Self.controlsMin
        || strange.count - strange.controls >= Self.brokenMin)
    return isDense || strange.count >= end - begin ? begin..<end : nil
  }

  /// Whether the text ends in sectors that are none of it, the first of which begins there.
  ///
  /// What a program puts behind a text begins anywhere: it has to be long, and to begin right there.
  private func isRest(from begin: Int, _ strange: StrangeBytes) -> Bool {
    guard let first = strange.span?.lowerBound, range.upperBound - begin >= Image.sectorSize / 2
    else { return false }
    return abs(first - begin) < Self.endMarginMax && !strange.isOfZeros
      && strange.count * Self.strangeShare >= range.upperBound - begin
      && strange.controls >= Self.controlsMin
  }

  /// The border of a sector at which the first strange byte can have got into the text.
  private func border(beforeStrange position: Int) -> Int? {
    let sector = places.sector(of: position)
    if position - sector.lowerBound < Self.marginMax { return sector.lowerBound }
    return sector.upperBound - position <= Self.scalarRestMax ? sector.upperBound : nil
  }

  /// The border of a sector at which the strange bytes before a position can end.
  private func border(behindStrange position: Int) -> Int? {
    let sector = places.sector(of: position - 1)
    if sector.upperBound - position < Self.marginMax { return sector.upperBound }
    return position - sector.lowerBound <= Self.scalarRestMax ? sector.lowerBound : nil
  }
}

/// What of a text is strange in it: controls, and bytes that are no part of a scalar.
private struct StrangeBytes {
  private(set) var count = 0
  private(set) var controls = 0
  private var zeroCount = 0
  /// From the first to the last of them.
  private(set) var span: Range<Int>?
  /// From the first to the last zero.
  private(set) var zeros: Range<Int>?

  /// Whether zeros fill sectors, but for a few bytes at one end.
  func fillsWithZeros(_ sectors: Range<Int>) -> Bool {
    guard let zeros, sectors.clamped(to: zeros) == zeros else { return false }
    return zeros.lowerBound - sectors.lowerBound < Self.otherMax
      && sectors.upperBound - zeros.upperBound < Self.otherMax
      && sectors.count - zeroCount <= Self.otherMax
  }

  private static let otherMax = 8

  /// Whether there are zeros and nothing else but pieces of scalars that they have cut.
  var isOfZeros: Bool { count - zeroCount <= 2 * StoredText.scalarRestMax }

  mutating func add(_ bytes: Bytes, _ range: Range<Int>) {
    count += range.count
    controls += bytes[range].count(where: \.isControl)
    span = (span?.lowerBound ?? range.lowerBound)..<range.upperBound
    guard bytes[range.lowerBound] == 0 else { return }
    zeroCount += range.count
    zeros = (zeros?.lowerBound ?? range.lowerBound)..<range.upperBound
  }
}

extension UInt8 {
  /// Whether the byte is a control that is none of a text's lines and tabs.
  fileprivate var isControl: Bool {
    self < 0x20 && self != 0x09 && self != 0x0A && self != 0x0C && self != 0x0D
  }
}

extension Image {
  /// Whether texts are in UTF-8.
  package var hasUTF8Texts: Bool { slackOfCharacters == 0 }
}

extension Record {
  /// Whether a text in UTF-8 has controls that are none of a text's lines and tabs.
  package var hasControlsInText: Bool {
    fields.contains { field in
      field.isText && field.end <= bytes.count
        && bytes[field.offset..<field.end].contains(where: \.isControl)
    }
  }
}

extension Bytes {
  /// How many bytes lie between two places that are looked at first, in a text and in a sector.
  private static let (probeStep, sectorProbeStep) = (64, 16)
  /// How many places of a sector have to be strange.
  private static let probesMin = 4

  /// The first of the places looked at in a range where there is what texts hardly hold.
  fileprivate func firstProbe(in range: Range<Int>) -> Int? {
    let bytes = span
    var place = range.lowerBound
    while place <= range.upperBound - 8, let word = bytes.big64(at: place) {
      if word.isStrange { return place }
      place += Self.probeStep
    }
    return nil
  }

  /// Whether what texts hardly hold stands again and again in the part of a range that lies in one
  /// sector of a file in which these bytes start at an offset.
  ///
  /// Half of the bytes of most texts in UTF-16 are controls: there, only what fills a sector tells.
  fileprivate func hasStrangeSector(
    in range: Range<Int>, startingAt offset: Int, isUTF8: Bool
  ) -> Bool {
    let bytes = span
    var place = range.lowerBound
    while place <= range.upperBound - 8 {
      let end = Swift.min(
        range.upperBound, place + Image.sectorSize - (offset + place) % Image.sectorSize)
      var count = 0
      while place <= end - 8, let word = bytes.big64(at: place) {
        if isUTF8 ? word.isStrange : word.isOneFill { count += 1 }
        place += Self.sectorProbeStep
      }
      if count >= Self.probesMin { return true }
      place = Swift.max(place, end)
    }
    return false
  }
}

extension UInt64 {
  /// Whether the eight bytes are such as texts hardly hold.
  fileprivate var isStrange: Bool {
    hasByteBelow9 || hasByteAboveUTF8 || hasBrokenScalar || isOneFill
  }

  /// Whether one of the first seven bytes begins a scalar in UTF-8 with which the byte behind it does not
  /// go on.
  fileprivate var hasBrokenScalar: Bool {
    let beginning = self & (self << 1) & 0x8080_8080_8080_8080
    let goingOn = self & ~(self << 1) & 0x8080_8080_8080_8080
    return (beginning >> 8) & ~goingOn & 0x0080_8080_8080_8080 != 0
  }

  /// Whether the eight bytes are the same one, which fills no text: 0, or one that goes on from no
  /// scalar in UTF-8.
  fileprivate var isOneFill: Bool {
    self == (self & 0xFF) &* 0x0101_0101_0101_0101 && (self == 0 || self & 0x80 != 0)
  }

  /// Whether one of the eight bytes is less than 9: above those are a text's lines and tabs.
  fileprivate var hasByteBelow9: Bool {
    (self &- 0x0909_0909_0909_0909) & ~self & 0x8080_8080_8080_8080 != 0
  }

  /// Whether one of the eight bytes is 0xF8 or more, which no text in UTF-8 has.
  fileprivate var hasByteAboveUTF8: Bool {
    let rest = ~self & 0xF8F8_F8F8_F8F8_F8F8
    return (rest &- 0x0101_0101_0101_0101) & ~rest & 0x8080_8080_8080_8080 != 0
  }
}
