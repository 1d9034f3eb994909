// SPDX-License-Identifier: Apache-2.0
// The members of a backup file: the format, and how one member is written and read.
//
// A backup file is a sequence of gzip members (RFC 1952), so that `gunzip -c` gives the exact
// database. Each carries in its extra field what it is. All numbers are little-endian.
//
// offset  size  what
//      0    10  gzip: 1F 8B 08 04, time 0, flags 0, system FF (unknown)
//     10     2  gzip: length of the extra field, 88 + n
//     12     2  extra field: the subfield "DR"
//     14     2  extra field: length of the subfield, 84 + n
//     16     4  "DRBK"
//     20     1  version of this layout: 1
//     21     1  kind: 1 opening, 2 data, 3 manifest, 4 index, 5 end
//     22     2  0
//     24     8  id of the backup, 8 symbols in ASCII
//     32     4  number: of the span, or of the part of a document, from 0
//     36     4  length of the deflate data
//     40     4  length of what it inflates to; 0 unless kind 2
//     44     4  n, the length of the payload; 0 for kind 2
//     48     8  where the span begins in the image, or the payload in its document
//     56     8  length of the image, or of the document
//     64    32  SHA-256 of the span, or of the payload
//     96     4  CRC-32 of the bytes 0 ..< 96
//    100     n  payload
//    100+n   …  deflate data; `03 00` unless kind 2
//      …     8  gzip: CRC-32 and length of the uncompressed bytes
//
// The order in the file:
//   opening    JSON: what was known before the data (a document, in as many parts as needed)
//   data       the image in spans of 64 KiB, that is of whole pages of any size; the last is shorter
//   manifest   JSON: what was measured after (a document)
//   index      a document of one entry per data member:
//                 0   8  where the member begins in the file
//                 8   4  its length in the file
//                12   4  what it inflates to
//                16  32  SHA-256 of that
//   end        one part of 128 bytes, so that it is the last 238 bytes of the file:
//                 0  32  SHA-256 of the manifest document
//                32   8  where the manifest begins in the file
//                40   8  length of the manifest document
//                48  32  SHA-256 of the index document
//                80   8  where the index begins in the file
//                88   8  length of the index document
//                96   8  length of the image
//               104   8  number of data members
//               112  16  "end of backup\n", 0, 0
//
// A file without the end mark is incomplete. Its members are found forward by their lengths
// and, after damage, by looking for the next bytes that read as a member's head.

internal import SQLiteFormat

/// What stands before the data of a member: everything but the payload itself.
struct MemberHead: Hashable, Sendable {
  /// What a member is for.
  enum Kind: UInt8, Sendable {
    case opening = 1
    case data, manifest, index, end
  }

  /// The size of the head in the file.
  static let byteCount = 100
  /// The size of what gzip writes after the deflate data.
  static let trailerByteCount = 8
  /// The bytes of the image that one data member holds.
  ///
  /// Longer ones compress better, by 1 % at 256 KiB; of shorter ones, more are as they were in the
  /// backup before, and cost next to nothing.
  static let spanByteCount = 64 * 1024
  /// The longest span that is read; a bound on memory that leaves room for other writers.
  static let spanByteCountMax = 4 * 1024 * 1024
  /// The longest payload: what fits beside the head in an extra field, rounded down.
  static let payloadByteCountMax = 60 * 1024

  var kind: Kind
  var id: BackupID
  var number: Int
  var deflatedByteCount: Int
  var inflatedByteCount: Int
  var payloadByteCount: Int
  var offset: Int
  var total: Int
  var digest: Digest

  /// The size of the whole member in the file.
  var memberByteCount: Int {
    Self.byteCount + payloadByteCount + deflatedByteCount + Self.trailerByteCount
  }
}

extension MemberHead {
  /// What gzip writes after empty data: a checksum and a length of 0.
  static let emptyTrailer = Bytes(repeating: 0, count: trailerByteCount)
  /// The bytes that every head begins with.
  static let gzipBytes: Bytes = [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF]
  private static let markBytes = Bytes("DRBK".utf8)
  private static let subfieldBytes = Bytes("DR".utf8)
  private static let version: UInt8 = 1
  /// What the extra field holds beside the payload, from offset 16.
  private static let fieldByteCount = 84

  /// The head as it stands in the file.
  var encoded: Bytes {
    var bytes = Self.gzipBytes
    bytes.appendNumber(UInt16(truncatingIfNeeded: Self.fieldByteCount + 4 + payloadByteCount))
    bytes += Self.subfieldBytes
    bytes.appendNumber(UInt16(truncatingIfNeeded: Self.fieldByteCount + payloadByteCount))
    bytes += Self.markBytes
    bytes += [Self.version, kind.rawValue, 0, 0]
    bytes += id.symbols
    for value in [number, deflatedByteCount, inflatedByteCount, payloadByteCount] {
      bytes.appendNumber(UInt32(truncatingIfNeeded: value))
    }
    for value in [offset, total] { bytes.appendNumber(UInt64(truncatingIfNeeded: value)) }
    bytes += digest.bytes
    bytes.appendNumber(CRC32.checksum(of: bytes))
    return bytes
  }

  /// Reads a head; nil when the bytes from `start` are not exactly one that we write.
  init?(_ bytes: Bytes, at start: Int = 0) {
    guard bytes.count - start >= Self.byteCount else { return nil }
    let head = Bytes(bytes[start..<(start + Self.byteCount)])
    guard head.starts(with: Self.gzipBytes), head[12...].starts(with: Self.subfieldBytes),
      head[16...].starts(with: Self.markBytes), head[20] == Self.version,
      head[22] == 0, head[23] == 0,
      head.number(at: 96, count: 4) == Int(CRC32.checksum(of: Bytes(head[..<96]))),
      let kind = Kind(rawValue: head[21]), let id = BackupID(symbols: head[24..<32]),
      let number = head.number(at: 32, count: 4), let deflated = head.number(at: 36, count: 4),
      let inflated = head.number(at: 40, count: 4), let payload = head.number(at: 44, count: 4),
      let offset = head.number(at: 48, count: 8), let total = head.number(at: 56, count: 8),
      let digest = Digest(bytes: head[64..<96]),
      head.number(at: 10, count: 2) == Self.fieldByteCount + 4 + payload,
      head.number(at: 14, count: 2) == Self.fieldByteCount + payload
    else { return nil }
    self.init(
      kind: kind, id: id, number: number, deflatedByteCount: deflated,
      inflatedByteCount: inflated, payloadByteCount: payload, offset: offset, total: total,
      digest: digest)
    guard isPlausible else { return nil }
  }

  /// Whether the lengths are such as a writer of this format can mean, and cannot exhaust us.
  private var isPlausible: Bool {
    guard kind == .data else {
      return deflatedByteCount == Deflate.nothing.count && inflatedByteCount == 0
        && payloadByteCount <= Self.payloadByteCountMax && payloadByteCount <= total
        && offset <= total - payloadByteCount
    }
    return (1...Self.spanByteCountMax).contains(inflatedByteCount) && payloadByteCount == 0
      && deflatedByteCount <= Self.spanByteCountMax + Self.spanByteCountMax / 8
      && inflatedByteCount / Deflate.ratioMax <= deflatedByteCount
      && inflatedByteCount <= total && offset <= total - inflatedByteCount
  }
}

/// A data member: where it lies in the file, and which bytes of the image it stands for.
struct DataMember: Hashable, Sendable {
  /// The size of its entry in the index.
  static let entryByteCount = 48

  /// Its number, from 0.
  var number: Int
  /// Where it begins in the file.
  var position: Int
  /// Its length in the file.
  var byteCount: Int
  /// The bytes of the image that it holds.
  var span: Range<Int>
  /// The SHA-256 of those bytes.
  var digest: Digest

  /// Where its deflate data lies within the member.
  var deflated: Range<Int> {
    MemberHead.byteCount..<(byteCount - MemberHead.trailerByteCount)
  }

  /// The head that the member must have.
  func head(id: BackupID, total: Int) -> MemberHead {
    MemberHead(
      kind: .data, id: id, number: number, deflatedByteCount: deflated.count,
      inflatedByteCount: span.count, payloadByteCount: 0, offset: span.lowerBound, total: total,
      digest: digest)
  }
}

extension Bytes {
  /// Adds a number, low byte first.
  mutating func appendNumber(_ value: some FixedWidthInteger & UnsignedInteger) {
    unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
  }

  /// The number in `count` bytes from `offset`, low byte first; nil where it is no `Int`.
  func number(at offset: Int, count: Int) -> Int? {
    guard offset >= 0, count <= self.count, offset <= self.count - count else { return nil }
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(self[offset + index]) }
    return Int(exactly: value)
  }
}
