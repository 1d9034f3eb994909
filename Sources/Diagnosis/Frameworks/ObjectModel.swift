// SPDX-License-Identifier: Apache-2.0
// The model that Core Data describes in its metadata: a property list, read no deeper than needed.

package import SQLiteFormat

/// The model of a Core Data store.
package struct ObjectModel {
  /// The names that its makers gave it.
  let identifiers: [String]
  /// What tells it from other models; nil where nothing does.
  let checksum: String?
  /// The hashes of its entities, in hexadecimal digits, by their names.
  private let hashes: [String: String]

  /// Reads the property list of a store; nil where it is none.
  package init?(_ bytes: Bytes) {
    guard let list = BinaryPropertyList(bytes), let top = list.dictionary() else { return nil }
    identifiers = top["NSStoreModelVersionIdentifiers"].map(list.strings) ?? []
    checksum =
      ["NSStoreModelVersionChecksumKey", "NSStoreModelVersionHashesDigest"].lazy
      .compactMap { top[$0].flatMap(list.string) }.first(where: \.isDigest)
    let entities = top["NSStoreModelVersionHashes"].flatMap { list.dictionary($0) } ?? [:]
    hashes = entities.compactMapValues(list.data)
  }

  /// What tells the model from others, by name.
  ///
  /// These are its entities by their hashes, or else its checksum, and what its makers call it. What
  /// does not look like a name is left out.
  package var marks: [String: String] {
    var marks: [String: String] = [:]
    let names = identifiers.filter(\.isPlainWords)
    if !names.isEmpty { marks["identifiers"] = names.sorted().joined(separator: ", ") }
    for (entity, hash) in hashes where entity.isPlainName { marks["entity \(entity)"] = hash }
    if hashes.isEmpty, let checksum { marks["checksum"] = checksum }
    return marks
  }

  /// The model in words: what its makers call it, or else its checksum, or that of the hashes of its
  /// entities; nil where nothing tells it.
  var words: String? {
    let names = identifiers.filter(\.isPlainWords)
    if !names.isEmpty { return names.joined(separator: ", ") }
    if let checksum { return "checksum \(checksum.prefix(12))" }
    guard !hashes.isEmpty else { return nil }
    var sum = KeyHash()
    for (entity, hash) in hashes.sorted(by: { $0.key < $1.key }) {
      sum.add(.text(entity))
      sum.add(.text(hash))
    }
    return "entities \(String(sum.digest, radix: 16))"
  }
}

/// A binary property list, of which single objects are read: nothing in it leads deeper than is asked.
private struct BinaryPropertyList {
  /// The longest list that is read, and the most entries of one object.
  private static let byteMax = 1 << 20
  private static let countMax = 10_000

  private let bytes: Bytes
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let topObject: Int
  private let tableOffset: Int

  init?(_ bytes: Bytes) {
    guard (40...Self.byteMax).contains(bytes.count), bytes.starts(with: "bplist00".utf8) else {
      return nil
    }
    self.bytes = bytes
    let trailer = bytes.count - 32
    (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
    guard let count = Self.number(bytes, trailer + 8, 8),
      let top = Self.number(bytes, trailer + 16, 8),
      let table = Self.number(bytes, trailer + 24, 8), (1...8).contains(offsetSize),
      (1...8).contains(referenceSize)
    else { return nil }
    (objectCount, topObject, tableOffset) = (count, top, table)
  }

  /// The references of a dictionary by its keys, of the top one where no other is named.
  func dictionary(_ object: Int? = nil) -> [String: Int]? {
    guard let (kind, count, start) = header(of: object ?? topObject), kind == 0xD,
      let references = references(2 * count, at: start)
    else { return nil }
    let pairs = zip(references.prefix(count), references.dropFirst(count))
    return Dictionary(
      pairs.compactMap { key, value in string(key).map { ($0, value) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The strings of an array or a set.
  func strings(_ object: Int) -> [String] {
    guard let (kind, count, start) = header(of: object), kind == 0xA || kind == 0xC else {
      return []
    }
    return (references(count, at: start) ?? []).compactMap(string)
  }

  /// A string.
  func string(_ object: Int) -> String? {
    guard let (kind, count, start) = header(of: object) else { return nil }
    switch kind {
    case 0x5: return range(start, count).flatMap { String(validating: bytes[$0], as: UTF8.self) }
    case 0x6:
      return range(start, 2 * count).map { TextEncoding.utf16be.string(Bytes(bytes[$0])) }
    default: return nil
    }
  }

  /// Some bytes, in hexadecimal digits, of no more than a hash has.
  func data(_ object: Int) -> String? {
    guard let (kind, count, start) = header(of: object), kind == 0x4, count <= 64 else {
      return nil
    }
    return range(start, count).map {
      bytes[$0].map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
  }

  private func references(_ count: Int, at start: Int) -> [Int]? {
    guard range(start, count * referenceSize) != nil else { return nil }
    return (0..<count).compactMap {
      Self.number(bytes, start + $0 * referenceSize, referenceSize)
    }
  }

  /// The kind of an object, how much is in it, and where that begins.
  private func header(of object: Int) -> (kind: UInt8, count: Int, start: Int)? {
    guard (0..<min(objectCount, bytes.count)).contains(object), tableOffset < bytes.count,
      let offset = Self.number(bytes, tableOffset + object * offsetSize, offsetSize),
      bytes.indices.contains(offset)
    else { return nil }
    let (kind, low) = (bytes[offset] >> 4, bytes[offset] & 0xF)
    guard low == 0xF else { return (kind, Int(low), offset + 1) }
    guard offset + 1 < bytes.count, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0xF <= 3 else {
      return nil
    }
    let size = 1 << Int(bytes[offset + 1] & 0xF)
    guard let count = Self.number(bytes, offset + 2, size), count <= Self.countMax else {
      return nil
    }
    return (kind, count, offset + 2 + size)
  }

  private func range(_ start: Int, _ count: Int) -> Range<Int>? {
    start <= bytes.count && count <= bytes.count - start ? start..<(start + count) : nil
  }

  private static func number(_ bytes: Bytes, _ offset: Int, _ size: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    return Int(exactly: bytes[offset..<(offset + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

extension String {
  /// Whether it is short, and of the letters of which names of versions are made.
  var isPlainName: Bool {
    (1...100).contains(utf8.count)
      && utf8.allSatisfy { byte in
        byte.isLetterOrDigit || "._-+:/".utf8.contains(byte)
      }
  }

  /// Whether it is a plain name, or several with one space between each two.
  var isPlainWords: Bool {
    utf8.count <= 100
      && split(separator: " ", omittingEmptySubsequences: false).allSatisfy {
        String($0).isPlainName
      }
  }

  /// Whether it is short, and of nothing but letters of any script and what ASCII prints.
  var isShortText: Bool {
    (1...100).contains(utf8.count)
      && unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || (0x20...0x7E).contains($0.value)
      }
  }

  /// Whether it can be a digest in base64.
  fileprivate var isDigest: Bool {
    let digits = utf8.reversed().drop { $0 == UInt8(ascii: "=") }
    return (20...100).contains(utf8.count) && utf8.count.isMultiple(of: 4)
      && utf8.count - digits.count <= 2
      && digits.allSatisfy { $0.isLetterOrDigit || "+/".utf8.contains($0) }
  }
}

extension UInt8 {
  /// Whether it is a letter or a digit of ASCII.
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}
