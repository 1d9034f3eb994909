// SPDX-License-Identifier: Apache-2.0
// Damage that knows the format: numbers of the header and of pages, cells, statements, journals.

import SQLiteFormat

extension DatabaseFiles {
  /// Changes something that means something, and says what.
  mutating func damageStructure(using random: inout SeededRandom) -> String {
    if let log = self["-wal"], log.count > 56, random.below(3) == 0 {
      return damageLog(log, &random)
    }
    if let journal = self["-journal"], journal.count > 540, random.below(3) == 0 {
      return damageJournal(journal, &random)
    }
    guard var main = self[""], main.count >= 512 else { return damage(using: &random) }
    defer { self[""] = main }
    switch random.below(8) {
    case 0: return damageHeader(&main, &random)
    case 1: return damageStatement(&main, &random)
    case 2: return damageLink(&main, &random)
    case 3, 4: return damagePageHeader(&main, &random)
    default: return damageCell(&main, &random)
    }
  }

  // MARK: Numbers

  /// A number near another one, or one that readers stumble over.
  private func changed(_ value: UInt32, _ random: inout SeededRandom) -> UInt32 {
    switch random.below(4) {
    case 0: value &+ 1
    case 1: value &- 1
    case 2: random.pick(Self.hostile)
    default: UInt32(random.below(64))
    }
  }

  private func change(
    _ bytes: inout Bytes, at offset: Int, width: Int, _ random: inout SeededRandom
  ) -> String {
    guard offset >= 0, offset + width <= bytes.count else { return "nothing" }
    let old = (0..<width).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[offset + $1]) }
    let new = changed(old, &random)
    for index in 0..<width {
      bytes[offset + index] = UInt8(truncatingIfNeeded: new >> UInt32(8 * (width - 1 - index)))
    }
    return "the \(width) bytes at \(offset) from \(old) to \(new)"
  }

  // MARK: The database

  private func damageHeader(_ main: inout Bytes, _ random: inout SeededRandom) -> String {
    let fields = [
      (16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (22, 1), (23, 1), (24, 4), (28, 4), (32, 4),
      (36, 4), (40, 4),
      (44, 4), (52, 4), (56, 4), (60, 4), (64, 4), (68, 4), (92, 4), (96, 4),
    ]
    let (offset, width) = random.pick(fields)
    return "header: " + change(&main, at: offset, width: width, &random)
  }

  /// The first byte of a page's b-tree header; nil where it is no b-tree page.
  private func headerOffset(_ main: Bytes, _ page: Int) -> Int? {
    let offset = page * pageSize + (page == 0 ? 100 : 0)
    guard offset + 12 <= main.count, [2, 5, 10, 13].contains(main[offset]) else { return nil }
    return offset
  }

  /// A b-tree page, counted from 0, with the place of its header.
  private func treePage(_ main: Bytes, _ random: inout SeededRandom) -> (page: Int, header: Int)? {
    let pages = main.count / pageSize
    for _ in 0..<8 where pages > 0 {
      let page = random.below(4) == 0 ? 0 : random.below(pages)
      if let header = headerOffset(main, page) { return (page, header) }
    }
    return nil
  }

  private func damagePageHeader(_ main: inout Bytes, _ random: inout SeededRandom) -> String {
    guard let (page, header) = treePage(main, &random) else { return damageHeader(&main, &random) }
    if random.below(5) == 0 {
      main[header] = random.pick([2, 5, 10, 13, 0, 1, 12])
      return "page \(page + 1): type \(main[header])"
    }
    let (offset, width) = random.pick([(1, 2), (3, 2), (5, 2), (7, 1), (8, 4)])
    return "page \(page + 1): " + change(&main, at: header + offset, width: width, &random)
  }

  private func damageCell(_ main: inout Bytes, _ random: inout SeededRandom) -> String {
    guard let (page, header) = treePage(main, &random) else { return damageHeader(&main, &random) }
    let count = main.bigEndian16(at: header + 3)
    let pointers = header + (main[header] < 8 ? 12 : 8)
    guard count > 0, pointers + 2 * count <= min((page + 1) * pageSize, main.count) else {
      return damagePageHeader(&main, &random)
    }
    let pointer = pointers + 2 * random.below(count)
    let other = pointers + 2 * random.below(count)
    let cell = page * pageSize + main.bigEndian16(at: pointer)
    let label = "page \(page + 1), cell \((pointer - pointers) / 2): "
    switch random.below(6) {
    case 0: return label + "pointer: " + change(&main, at: pointer, width: 2, &random)
    case 1:
      for index in 0..<2 { main.swapAt(pointer + index, other + index) }
      return label + "pointer swapped with cell \((other - pointers) / 2)"
    case 2:
      for index in 0..<2 { main[pointer + index] = main[other + index] }
      return label + "pointer copied from cell \((other - pointers) / 2)"
    case 3:
      return label + change(&main, at: cell + random.below(12), width: 1, &random)
    case 4:
      let offset = cell + random.below(24)
      guard main.indices.contains(offset) else { return "nothing" }
      main[offset] |= 0x80
      return label + "byte \(offset) goes on"
    default:
      return label
        + change(&main, at: cell + random.below(60), width: random.pick([1, 2, 4]), &random)
    }
  }

  /// Overflow chains, the free list, the pointer map: numbers of pages at the start of one.
  private func damageLink(_ main: inout Bytes, _ random: inout SeededRandom) -> String {
    let page = random.below(max(1, main.count / pageSize))
    return "page \(page + 1): link: "
      + change(&main, at: page * pageSize + 4 * random.below(4), width: 4, &random)
  }

  private func damageStatement(_ main: inout Bytes, _ random: inout SeededRandom) -> String {
    let word = Bytes("CREATE ".utf8)
    let starts = main.indices.filter { main[$0] == word[0] && main[$0...].starts(with: word) }
    guard !starts.isEmpty else { return damageHeader(&main, &random) }
    let offset = random.pick(starts) + random.below(90)
    guard offset < main.count else { return "nothing" }
    switch random.below(4) {
    case 0:
      let words = [
        "CHECK", "INDEX", "TABLE", "VIEW ", " AS (", "UNIQUE", "); --", "NULL ", "ROWID", "STRICT",
        "\0\0", "é",
      ]
      let text = Bytes(random.pick(words).utf8)
      guard offset + text.count <= main.count else { return "nothing" }
      main.replaceSubrange(offset..<(offset + text.count), with: text)
      return "statement at \(offset): '\(String(decoding: text, as: UTF8.self))'"
    case 1: main[offset] ^= 0x20
    case 2: main[offset] = random.pick(Array(" ,()'\"`[];-/*x0_.\n%".utf8))
    default: main[offset] = UInt8(random.below(256))
    }
    return "statement at \(offset): byte \(main[offset])"
  }

  // MARK: Journals

  /// Changes frames of the log, and makes their checksums fit.
  private mutating func damageLog(_ log: Bytes, _ random: inout SeededRandom) -> String {
    let frame = 24 + pageSize
    let count = (log.count - 32) / frame
    guard count > 0 else { return damage(using: &random) }
    var changed = log
    let start = 32 + frame * random.below(count)
    let text: String
    switch random.below(6) {
    case 0: text = change(&changed, at: start, width: 4, &random)
    case 1: text = change(&changed, at: start + 4, width: 4, &random)
    case 2:
      changed.removeSubrange(start..<(start + frame))
      text = "without the frame at \(start)"
    case 3:
      changed.append(contentsOf: log[start..<(start + frame)])
      text = "the frame at \(start) once more"
    case 4: text = change(&changed, at: start + 24 + random.below(pageSize), width: 1, &random)
    default: text = change(&changed, at: random.pick([0, 4, 8, 12]), width: 4, &random)
    }
    let isFitted = random.below(4) != 0 && changed.bigEndian(at: 8) == UInt32(pageSize)
    if isFitted {
      changed = JournalBytes.withSalts(
        (changed.bigEndian(at: 16), changed.bigEndian(at: 20)), wal: changed)
    }
    self["-wal"] = changed
    return "log\(isFitted ? ", fitted" : ""): \(text)"
  }

  /// Changes numbers of the journal, or bytes that its checksums do not cover.
  private mutating func damageJournal(_ journal: Bytes, _ random: inout SeededRandom) -> String {
    var changed = journal
    let sector = max(28, Int(journal.bigEndian(at: 20)) & 0xFFFF)
    let record = 8 + pageSize
    let count = max(1, (journal.count - sector) / record)
    let start = sector + record * random.below(count)
    let text =
      switch random.below(4) {
      case 0: change(&changed, at: random.pick([8, 12, 16, 20, 24]), width: 4, &random)
      case 1: change(&changed, at: start, width: 4, &random)
      case 2: change(&changed, at: start + 4 + random.below(pageSize), width: 1, &random)
      default: change(&changed, at: start + 4 + pageSize, width: 4, &random)
      }
    self["-journal"] = changed
    return "journal: \(text)"
  }

  // MARK: Others

  /// Brings in something of another database.
  mutating func splice(_ other: DatabaseFiles, using random: inout SeededRandom) -> String {
    guard var main = self[""], let theirs = other[""] else { return "nothing" }
    let kind = random.below(5)
    switch kind {
    case 0 where other["-wal"] != nil:
      self["-wal"] = other["-wal"]
      return "the log of another"
    case 1 where other["-journal"] != nil:
      self["-journal"] = other["-journal"]
      return "the journal of another"
    case 2:
      let page = random.below(max(1, min(main.count, theirs.count) / pageSize))
      let range = (page * pageSize)..<min((page + 1) * pageSize, main.count, theirs.count)
      guard !range.isEmpty else { return "nothing" }
      main.replaceSubrange(range, with: theirs[range])
      self[""] = main
      return "page \(page + 1) of another"
    case 3:
      let cut = random.below(max(1, main.count / pageSize)) * pageSize
      self[""] = Bytes(main.prefix(cut)) + Bytes(theirs.dropFirst(min(cut, theirs.count)))
      return "another from byte \(cut)"
    default:
      self[""] = main + Bytes(theirs.prefix(random.below(theirs.count) + 1))
      return "another behind it"
    }
  }
}
