// SPDX-License-Identifier: Apache-2.0
// Bytes that stand in the place of others since a file was sent as text: which were others, nothing
// in a row tells.

import SQLiteFormat

/// A byte that every database has, and of which a file has none: something else took its place.
package struct ReplacedByte: Hashable, Sendable {
  /// The byte that is gone: 13, with which the leaves of tables begin, or 10, with which those of
  /// indexes do.
  ///
  /// File format, section 1.6.
  let gone: UInt8
  /// What stands in its place.
  let standIn: UInt8

  /// The byte that is gone, by name.
  var name: String { gone == 0x0D ? "carriage return" : "line feed" }
  /// The pages that begin with it.
  var leaves: String { gone == 0x0D ? "tables" : "indexes" }

  /// Looks for one in a database whose trees were read; nil for none.
  init?(in survey: Survey) {
    guard survey.transfer == nil, let image = survey.image, image.start == 0 else { return nil }
    for gone: UInt8 in [0x0D, 0x0A] {
      guard Self.lacks(gone, image.files.main),
        let standIn = Self.standIn(forFirstOf: gone == 0x0A ? .index : .table, in: survey, image),
        standIn != gone,
        image.pageCount >= Self.pagesMin || Self.lineEnds.isSuperset(of: [gone, standIn])
      else { continue }
      (self.gone, self.standIn) = (gone, standIn)
      return
    }
    return nil
  }

  /// From how many pages on a database has both bytes.
  private static let pagesMin = 8
  /// The two that a conversion of text makes of each other, also in a file of few pages.
  private static let lineEnds: Set<UInt8> = [0x0A, 0x0D]

  /// Whether a file has no such byte.
  static func lacks(_ byte: UInt8, _ source: any PageSource) -> Bool {
    var offset = 0
    while offset < source.byteCount {
      guard let bytes = try? source.read(at: offset, count: 1 << 20), !bytes.isEmpty,
        !bytes.contains(byte)
      else { return false }
      offset += bytes.count
    }
    return true
  }

  /// With what the leaves of tables or indexes begin that should begin with such a byte; nil where
  /// they do not all begin with the same.
  ///
  /// That a file has none of a byte tells nothing where its log has the pages that would.
  private static func standIn(
    forFirstOf kind: SchemaEntry.Kind, in survey: Survey, _ image: Image
  ) -> UInt8? {
    let trees = survey.trees + (survey.schema.map { [$0.tree] } ?? [])
    // The pages of a table WITHOUT ROWID begin as those of indexes do.
    let pages = trees.filter { !$0.isRowIDTable == (kind == .index) }.flatMap { tree in
      [tree.pageFaults, tree.layoutFaults].flatMap { $0.first.compactMap(\.page) }
        + [tree.root].compactMap(\.self)
    }
    let firsts = Set(pages).filter { image.origin(of: $0) == .main }.compactMap { page -> UInt8? in
      let place = page == .first ? DatabaseHeader.byteCount : 0
      guard let bytes = try? image.bytes(of: page), bytes.count > place, !bytes.isZero,
        // The pages between the root and the leaves begin with 2 and 5.
        bytes[place] != 2, bytes[place] != 5
      else { return nil }
      return bytes[place]
    }
    return Set(firsts).count == 1 ? firsts.first : nil
  }
}

/// The bytes of a file that may stand in the place of others.
struct ReplacedBytes: Sendable {
  /// Whether a byte may, by the byte.
  private let suspects: [Bool]
  /// Whether every such byte stood for the same other one, so that all lengths that were changed
  /// are longer, or all are shorter.
  private let isOneForOne: Bool

  /// The bytes of a database that may be others; nil for none.
  init?(in survey: Survey) {
    switch survey.transfer {
    case .reencoded: self.init([0xEF, 0xBF, 0xBD])
    case .charactersWidened: self.init(0x80...0xFF)
    case .questionMarks: self.init([UInt8(ascii: "?")])
    // Where a byte lost its highest bit, or was taken out, nothing is left that would tell.
    case .sevenBits, .carriageReturnsRemoved: self.init(0...0xFF)
    // A line feed is left wherever something before it was dropped.
    case .carriageReturnsDropped, .carriageReturnsReplaced:
      self.init([0x0A], isOneForOne: true)
    case .lineFeedsExpanded, .logLineFeedsExpanded, .bytesWidened, .blocksParted, .chunked:
      return nil
    case nil:
      guard let replaced = survey.replacedByte else { return nil }
      self.init([replaced.standIn], isOneForOne: true)
    }
  }

  private init(_ bytes: some Sequence<UInt8>, isOneForOne: Bool = false) {
    var suspects = [Bool](repeating: false, count: 256)
    for byte in bytes { suspects[Int(byte)] = true }
    (self.suspects, self.isOneForOne) = (suspects, isOneForOne)
  }

  /// Whether a byte of a row's rowid, or of its record, may be another one.
  func mayHaveChanged(_ row: StoredRecord) -> Bool {
    if let rowID = row.rowID, haveChanged(Bytes(varint: UInt64(bitPattern: rowID))) { return true }
    let record = row.record
    // Where the sum of the lengths is right, and is no changed one itself, none of them is.
    let areLengthsProven = isOneForOne && !haveChanged(Bytes(varint: UInt64(record.byteCount)))
    if !areLengthsProven, haveChanged(record.typeBytes) { return true }
    return record.fields.contains { field in
      guard field.length > 0 else { return false }
      var pieces = record.pieces(of: field)
      do throws(FormatError) {
        while let piece = try pieces.next() {
          if haveChanged(piece.bytes[piece.range]) { return true }
        }
        return false
      } catch {
        return true
      }
    }
  }

  private func haveChanged(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.contains { suspects[Int($0)] }
  }
}

extension Image {
  /// Whether the file has lost the byte with which the leaves of tables begin: with which one they
  /// begin then tells nothing of them.
  var lacksTableLeaves: Bool {
    start == 0 && ReplacedByte.lacks(BTreePage.Kind.tableLeaf.rawValue, files.main)
  }
}

extension Bytes {
  /// A number as a varint.
  ///
  /// File format, section 1.6.
  fileprivate init(varint number: UInt64) {
    let isLong = number >> 56 != 0
    var (rest, bytes) = (isLong ? number >> 8 : number >> 7, [UInt8]())
    let last = isLong ? UInt8(truncatingIfNeeded: number) : UInt8(number & 0x7F)
    while rest > 0 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    self.init(bytes.reversed() + [last])
  }
}
