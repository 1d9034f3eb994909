// SPDX-License-Identifier: Apache-2.0
// A file in which a text transfer made two bytes of one reads as it was before.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PairedBytesViewTests {
  private static func transferred(_ bytes: Bytes, _ pairing: BytePairing) -> Bytes {
    Bytes(
      bytes.flatMap { byte -> [UInt8] in
        switch pairing {
        case .lineFeed: byte == 0x0A ? [0x0D, 0x0A] : [byte]
        case .wideCharacter: byte < 0x80 ? [byte] : [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
        }
      })
  }

  // Few values, so that pairs and what looks like their halves lie on every border somewhere.
  @Test(arguments: [
    (BytePairing.lineFeed, Bytes([0x0A, 0x0D, 0x0D, 0x41])),
    (.wideCharacter, Bytes([0xC2, 0xC3, 0x80, 0xBF, 0xFF, 0x41])),
  ])
  func `every run of bytes is what it was, over all borders of blocks`(
    _ pairing: BytePairing, _ values: Bytes
  ) throws {
    var random = SeededRandom(seed: 20_261_121)
    let bytes = Bytes((0..<100_000).map { _ in values[random.below(values.count)] })
    let changed = Self.transferred(bytes, pairing)
    let view = try #require(try PairedBytesView(MemorySource(changed), pairing))
    #expect(view.byteCount == bytes.count)
    #expect(try view.read(at: 0, count: bytes.count) == bytes)
    for _ in 0..<200 {
      let (offset, count) = (random.below(bytes.count), 1 + random.below(40_000))
      let end = min(bytes.count, offset + count)
      #expect(try view.read(at: offset, count: count) == Bytes(bytes[offset..<end]))
    }
    #expect(try view.read(at: bytes.count, count: 1).isEmpty)
    #expect(try view.read(at: -1, count: 1).isEmpty)
  }

  @Test(arguments: [(BytePairing.lineFeed, UInt8(0x0A)), (.wideCharacter, 0xC3)])
  func `a byte that stands alone says that there was no such transfer`(
    _ pairing: BytePairing, _ byte: UInt8
  ) throws {
    let bytes = Self.transferred(Bytes(repeating: byte, count: 20_000), pairing) + [byte]
    #expect(try PairedBytesView(MemorySource(bytes), pairing) == nil)
    #expect(try PairedBytesView(MemorySource([]), pairing)?.byteCount == 0)
  }
}
