// SPDX-License-Identifier: Apache-2.0
// A page with something wrong, as it looks: what made it so leaves its own marks.

import SQLiteFormat

/// A page with something wrong, as it looks.
struct Scar: Hashable, Sendable {
  /// What a page looks like.
  enum Look: Hashable, Sendable {
    /// Nothing but zeros.
    case zeros
    /// Sectors of it hold one byte only, where rows should be; `isWhole` where all of them do.
    case blank(byte: UInt8, sectors: Int, isWhole: Bool)
    /// A mark fills whole sectors of it, as those who copy failing disks leave one.
    case marked
    /// It begins with so many bytes of text.
    case text(Int)
    /// It is a sound page of a tree: another one than its place demands, or of another time.
    case sound
    /// Bytes without a pattern.
    case random
    /// None of these.
    case other
  }

  /// The page.
  let page: PageNumber
  /// What it looks like.
  let look: Look
  /// Whether something leads to it.
  ///
  /// What nothing leads to may be a free page that was never written: SQLite leaves zeros there.
  let isOwned: Bool

  /// The bytes of a sector: no disk changes fewer at once.
  static let sector = 512

  /// Looks at a page of a database.
  init(_ page: PageNumber, _ bytes: Bytes, geometry: Geometry, isOwned: Bool = true) {
    self.page = page
    self.isOwned = isOwned
    look = Self.look(of: bytes, page, geometry)
  }

  private static func look(of bytes: Bytes, _ page: PageNumber, _ geometry: Geometry) -> Look {
    if bytes.isZero { return .zeros }
    let tree = try? BTreePage(bytes, number: page, geometry: geometry)
    let isSound = tree?.layoutFaults.isEmpty == true
    // On the first page, the file header comes before what the tree has.
    if isSound, page != .first { return .sound }
    if MarkedSectors.count(in: bytes) > 0 { return .marked }
    let text = TextRun.length(of: bytes)
    if text >= 32 { return .text(text) }
    if isSound { return .sound }
    let fromEnds = blankSectors(of: bytes, page)
    let blanks = fromEnds.isEmpty ? tree.map(emptiedSectors) ?? [] : fromEnds
    if let blank = blanks.first {
      return .blank(
        byte: blank, sectors: blanks.count, isWhole: blanks.count * sector == bytes.count)
    }
    return looksRandom(bytes) ? .random : .other
  }

  /// The bytes that fill whole sectors in which the page holds, or should hold, rows: 0 or 255.
  ///
  /// The room between the cell pointers and the rows may be zeros.
  private static func blankSectors(of bytes: Bytes, _ page: PageNumber) -> [UInt8] {
    let start = page == .first ? DatabaseHeader.byteCount : 0
    let stated = bytes.big16(at: start + 5) ?? 0
    let content = stated == 0 ? bytes.count : stated
    return runs(of: bytes).flatMap { run -> [UInt8] in
      // Where the first sector is gone, so is what it says of the others. What a value of the app's
      // own ends in has its ends anywhere.
      // Behind the first sector, the zeros go on up to the rows.
      guard run.lowerBound % sector == 0,
        run.upperBound % sector == 0 || run.lowerBound == 0 && bytes[0] == 0,
        bytes[run.lowerBound] == 0xFF || run.lowerBound == 0 || run.lowerBound >= content
      else { return [] }
      return Array(repeating: bytes[run.lowerBound], count: run.count / sector)
    }
  }

  /// The bytes that fill whole sectors in which cells begin, as the pointers of a page say: no cell
  /// begins with a zero, and what stands before or behind a sector may be zeros as well.
  private static func emptiedSectors(of page: BTreePage) -> [UInt8] {
    let pointers = (0..<page.cellCount).compactMap {
      page.bytes.big16(at: page.pointerArrayOffset + 2 * $0)
    }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: page.bytes.count, by: sector) {
      let part = start..<min(start + sector, page.bytes.count)
      let beginnings = pointers.lazy.filter { part.contains($0) }.map { page.bytes[$0] }
      guard let byte = beginnings.first(where: { $0 == 0 || $0 == 0xFF }) else { continue }
      // A cell is blank, and not its sector: these bytes were not lost with sectors.
      guard page.bytes.slice(part).allSatisfy({ $0 == byte }) else { return [] }
      bytes.append(byte)
    }
    return bytes
  }

  /// The runs of at least a sector of zeros, or of 255, each as long as it is.
  private static func runs(of bytes: Bytes) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    var start = 0
    for index in bytes.indices
    where index + 1 == bytes.count || bytes[index + 1] != bytes[index] {
      let isBlank = bytes[index] == 0 || bytes[index] == 0xFF
      if isBlank, index + 1 - start >= sector { runs.append(start..<(index + 1)) }
      start = index + 1
    }
    return runs
  }

  /// Whether a page has each byte about as often as each other.
  private static func looksRandom(_ bytes: Bytes) -> Bool {
    guard bytes.count >= 1024 else { return false }
    var counts = [Double](repeating: 0, count: 256)
    for byte in bytes { counts[Int(byte)] += 1 }
    let expected = Double(bytes.count) / 256
    return counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected } < 400
  }
}
