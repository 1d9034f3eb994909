// SPDX-License-Identifier: Apache-2.0
// The header of a gzip member as anybody may have written it.
//
// offset  size  what (RFC 1952, all numbers little-endian)
//      0     2  1F 8B
//      2     1  method: 8, deflate
//      3     1  flags: 1 text, 2 header CRC, 4 extra field, 8 name, 16 comment
//      4     4  time of the file, seconds since 1970; 0 none
//      8     1  extra flags
//      9     1  operating system
//     10   2+n  with flag 4: length n, then n bytes of extra field
//      …     …  with flag 8: name, ended by a zero byte
//      …     …  with flag 16: comment, ended by a zero byte
//      …     2  with flag 2: the low half of the CRC-32 of all that stands before

internal import SQLiteFormat

/// The header of a gzip member.
struct GzipHeader: Hashable, Sendable {
  /// The size in bytes: where the deflate data begins.
  let byteCount: Int

  /// The flags that RFC 1952 defines.
  private static let flagsMax: UInt8 = 31
  /// No name or comment that is longer is read.
  static let byteCountMax = 256 * 1024

  /// Why bytes are not a header.
  enum Failure: Error, Hashable {
    /// They do not begin like gzip.
    case notGzip
    /// They begin like it, and then end or contradict themselves.
    case damaged
  }

  /// Reads the header at the start of `bytes`.
  ///
  /// - Throws: ``Failure`` when there is none.
  init(_ bytes: Bytes) throws(Failure) {
    guard bytes.count >= 2, bytes[0] == 0x1F, bytes[1] == 0x8B else { throw .notGzip }
    guard bytes.count >= 10, bytes[2] == 8, bytes[3] <= Self.flagsMax else { throw .damaged }
    let flags = bytes[3]
    var end = 10
    if flags & 4 != 0 {
      guard bytes.count >= end + 2 else { throw .damaged }
      end += 2 + Int(bytes[end]) + Int(bytes[end + 1]) << 8
    }
    for flag in [8, 16] as [UInt8] where flags & flag != 0 {
      guard end < bytes.count, let zero = bytes[end...].firstIndex(of: 0) else { throw .damaged }
      end = zero + 1
    }
    if flags & 2 != 0 {
      guard end + 2 <= bytes.count else { throw .damaged }
      let found = UInt32(bytes[end]) | UInt32(bytes[end + 1]) << 8
      guard found == CRC32.checksum(of: Bytes(bytes[..<end])) & 0xFFFF else { throw .damaged }
      end += 2
    }
    guard end <= bytes.count else { throw .damaged }
    byteCount = end
  }
}
