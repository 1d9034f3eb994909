// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), the one digest by which bytes are proven equal.

internal import CDigest
package import SQLiteFormat

/// The SHA-256 of a run of bytes.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
  /// The eight words of the digest, first word first.
  let words: SIMD8<UInt32>

  init(words: SIMD8<UInt32>) {
    self.words = words
  }

  /// Makes a digest of its 64 hexadecimal digits; nil when they are not.
  package init?(_ text: String) {
    guard text.utf8.count == 64 else { return nil }
    var words = SIMD8<UInt32>()
    for (index, digit) in text.utf8.enumerated() {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      words[index / 8] = words[index / 8] << 4 | UInt32(value)
    }
    self.words = words
  }

  /// Makes a digest of its 32 bytes; nil when there are more or fewer.
  init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words = SIMD8<UInt32>()
    for (index, byte) in bytes.enumerated() {
      words[index / 4] = words[index / 4] << 8 | UInt32(byte)
    }
    self.words = words
  }

  /// The 32 bytes.
  package var bytes: Bytes {
    var bytes = Bytes()
    for index in 0..<8 {
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: words[index] >> shift)) }
    }
    return bytes
  }

  /// The 64 hexadecimal digits, lower case.
  package var description: String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}

extension Digest: Codable {
  /// Reads the 64 hexadecimal digits.
  ///
  /// - Throws: `DecodingError` when the text is not that.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = Digest(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a SHA-256")
    }
    self = digest
  }

  /// Writes the 64 hexadecimal digits.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// A SHA-256 in the making: bytes go in piece by piece.
package struct SHA256: Sendable {
  private var words = SIMD8<UInt32>(
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
  /// The bytes that do not fill a block of 64 yet.
  private var rest = Bytes()
  private var byteCount: UInt64 = 0
  /// Whether the processor does the rounds itself, several times as fast.
  private let usesInstructions: Bool

  /// Starts a digest of no bytes.
  package init() {
    self.init(usingInstructions: true)
  }

  /// Starts a digest of no bytes that uses the processor's instructions, if it has any, or not.
  init(usingInstructions isWanted: Bool) {
    usesInstructions = isWanted && Self.hasInstructions
  }

  private static let hasInstructions = dbrescue_sha256_is_supported()

  /// The digest of bytes that are all there.
  package static func digest(of bytes: Bytes) -> Digest {
    var hash = SHA256()
    hash.update(bytes)
    return hash.digest()
  }

  /// Adds bytes.
  package mutating func update(_ bytes: Bytes) {
    byteCount &+= UInt64(bytes.count)
    var start = 0
    if !rest.isEmpty {
      start = min(64 - rest.count, bytes.count)
      rest += bytes[..<start]
      guard rest.count == 64 else { return }
      compress(rest, from: 0, blocks: 1)
      rest.removeAll(keepingCapacity: true)
    }
    let blocks = (bytes.count - start) / 64
    compress(bytes, from: start, blocks: blocks)
    rest += bytes[(start + blocks * 64)...]
  }

  /// Adds bytes, and returns the SHA-256 of them alone: both take hardly longer than one.
  mutating func add(_ bytes: Bytes) -> Digest {
    var alone = SHA256(usingInstructions: usesInstructions)
    guard usesInstructions, rest.isEmpty else {
      update(bytes)
      alone.update(bytes)
      return alone.digest()
    }
    let blocks = bytes.count / 64
    compressByInstructions(bytes, blocks: blocks, with: &alone)
    alone.rest += bytes[(blocks * 64)...]
    alone.byteCount = UInt64(bytes.count)
    rest = alone.rest
    byteCount &+= alone.byteCount
    return alone.digest()
  }

  /// The digest of all bytes added so far.
  package func digest() -> Digest {
    var padded = self
    padded.rest.append(0x80)
    while padded.rest.count % 64 != 56 { padded.rest.append(0) }
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      padded.rest.append(UInt8(truncatingIfNeeded: (byteCount &* 8) >> shift))
    }
    padded.compress(padded.rest, from: 0, blocks: padded.rest.count / 64)
    return Digest(words: padded.words)
  }

  private mutating func compress(_ bytes: Bytes, from start: Int, blocks: Int) {
    if usesInstructions {
      compressByInstructions(bytes, from: start, blocks: blocks)
    } else {
      compressByRounds(bytes, from: start, blocks: blocks)
    }
  }

  private mutating func compressByInstructions(_ bytes: Bytes, from start: Int, blocks: Int) {
    unsafe bytes[start...].withUnsafeBufferPointer { bytes in
      unsafe Self.roundConstants.withUnsafeBufferPointer { constants in
        unsafe withUnsafeMutableBytes(of: &words) { words in
          unsafe dbrescue_sha256_compress(
            words.baseAddress?.assumingMemoryBound(to: UInt32.self), bytes.baseAddress, blocks,
            constants.baseAddress)
        }
      }
    }
  }

  /// Takes the same blocks into this digest and another one.
  private mutating func compressByInstructions(
    _ bytes: Bytes, blocks: Int, with other: inout SHA256
  ) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe Self.roundConstants.withUnsafeBufferPointer { constants in
        unsafe withUnsafeMutableBytes(of: &words) { words in
          unsafe withUnsafeMutableBytes(of: &other.words) { others in
            unsafe dbrescue_sha256_compress_two(
              words.baseAddress?.assumingMemoryBound(to: UInt32.self),
              others.baseAddress?.assumingMemoryBound(to: UInt32.self), bytes.baseAddress, blocks,
              constants.baseAddress)
          }
        }
      }
    }
  }

  private mutating func compressByRounds(_ bytes: Bytes, from start: Int, blocks: Int) {
    var words = self.words
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe Self.roundConstants.withUnsafeBufferPointer { constants in
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
          for block in 0..<blocks {
            unsafe Self.expand(bytes, at: start + block * 64, into: schedule, adding: constants)
            unsafe Self.run(schedule, on: &words)
          }
        }
      }
    }
    self.words = words
  }

  /// Fills the schedule of one block, round constants already added.
  @inline(__always) @unsafe private static func expand(
    _ bytes: UnsafeRawBufferPointer, at start: Int,
    into schedule: UnsafeMutableBufferPointer<UInt32>, adding constants: UnsafeBufferPointer<UInt32>
  ) {
    for index in 0..<16 {
      unsafe schedule[index] = UInt32(
        bigEndian: bytes.loadUnaligned(fromByteOffset: start &+ index &* 4, as: UInt32.self))
    }
    for index in 16..<64 {
      let early = unsafe schedule[index &- 15]
      let late = unsafe schedule[index &- 2]
      let low = (early &>> 7 | early &<< 25) ^ (early &>> 18 | early &<< 14) ^ (early &>> 3)
      let high = (late &>> 17 | late &<< 15) ^ (late &>> 19 | late &<< 13) ^ (late &>> 10)
      unsafe schedule[index] = schedule[index &- 16] &+ low &+ schedule[index &- 7] &+ high
    }
    for index in 0..<64 { unsafe schedule[index] = schedule[index] &+ constants[index] }
  }

  /// The 64 rounds of one block, eight at a time so that no word has to move.
  @inline(__always) @unsafe private static func run(
    _ schedule: UnsafeMutableBufferPointer<UInt32>, on words: inout SIMD8<UInt32>
  ) {
    var (a, b, c, d) = (words[0], words[1], words[2], words[3])
    var (e, f, g, h) = (words[4], words[5], words[6], words[7])
    var index = 0
    while index < 64 {
      unsafe round(a, b, c, &d, e, f, g, &h, schedule[index])
      unsafe round(h, a, b, &c, d, e, f, &g, schedule[index &+ 1])
      unsafe round(g, h, a, &b, c, d, e, &f, schedule[index &+ 2])
      unsafe round(f, g, h, &a, b, c, d, &e, schedule[index &+ 3])
      unsafe round(e, f, g, &h, a, b, c, &d, schedule[index &+ 4])
      unsafe round(d, e, f, &g, h, a, b, &c, schedule[index &+ 5])
      unsafe round(c, d, e, &f, g, h, a, &b, schedule[index &+ 6])
      unsafe round(b, c, d, &e, f, g, h, &a, schedule[index &+ 7])
      index &+= 8
    }
    words = words &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  @inline(__always) private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
    _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ word: UInt32
  ) {
    let mixed = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
    let sum = h &+ mixed &+ ((e & (f ^ g)) ^ g) &+ word
    let turned = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
    d = d &+ sum
    h = sum &+ turned &+ ((a & b) ^ (c & (a ^ b)))
  }

  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
