// SPDX-License-Identifier: Apache-2.0
// The digest and the checksum against published vectors.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct DigestTests {
  /// A published message and its digest.
  struct Vector: CustomTestStringConvertible {
    let message: Bytes
    let digest: String
    var testDescription: String { "\(message.count) bytes" }

    init(_ message: String, _ digest: String) {
      self.message = Bytes(message.utf8)
      self.digest = digest
    }
  }

  /// FIPS 180-4 examples, with the empty message and the million letters of the older appendix.
  static let vectors = [
    Vector("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    Vector("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
    Vector(
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ]

  @Test(arguments: vectors) func `published vectors`(_ vector: Vector) {
    #expect(SHA256.digest(of: vector.message).description == vector.digest)
  }

  @Test(arguments: vectors) func `published vectors without the processor's help`(
    _ vector: Vector
  ) {
    var hash = SHA256(usingInstructions: false)
    hash.update(vector.message)
    #expect(hash.digest().description == vector.digest)
  }

  @Test func `pieces give the digest of the whole wherever they are cut`() {
    let message = Bytes((0..<200).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    let whole = SHA256.digest(of: message)
    for cut in 0...message.count {
      var hash = SHA256()
      hash.update(Bytes(message[..<cut]))
      _ = hash.digest()
      hash.update(Bytes(message[cut...]))
      #expect(hash.digest() == whole, "cut at \(cut)")
    }
  }

  @Test(arguments: [true, false])
  func `a digest of a piece is taken along with that of the whole`(_ usesInstructions: Bool) {
    var random = SeededRandom(seed: 5)
    for cuts in [[0], [64], [65_536, 65_536, 100], [1, 64, 63, 200], [128, 0, 127, 65]] {
      var (message, hash) = (Bytes(), SHA256(usingInstructions: usesInstructions))
      for count in cuts {
        let piece = random.bytes(count)
        #expect(hash.add(piece) == SHA256.digest(of: piece), "\(cuts)")
        message += piece
      }
      #expect(hash.digest() == SHA256.digest(of: message), "\(cuts)")
    }
  }

  @Test func `a digest survives as text and as bytes`() {
    let digest = SHA256.digest(of: Bytes("abc".utf8))
    #expect(Digest(digest.description) == digest)
    #expect(Digest(bytes: digest.bytes) == digest)
    #expect(Digest(String(digest.description.dropLast())) == nil)
    #expect(Digest(digest.description.dropLast() + "g") == nil)
    #expect(Digest(bytes: digest.bytes.dropLast()) == nil)
  }

  @Test func `the checksum of gzip`() {
    #expect(CRC32.checksum(of: Bytes("123456789".utf8)) == 0xCBF4_3926)
    #expect(CRC32.checksum(of: []) == 0)
    let first = CRC32.checksum(of: Bytes("1234".utf8))
    #expect(CRC32.checksum(of: Bytes("56789".utf8), after: first) == 0xCBF4_3926)
    #expect(CRC32.checksum(of: [], after: first) == first)
  }
}
