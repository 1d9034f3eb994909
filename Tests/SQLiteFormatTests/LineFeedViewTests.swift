// SPDX-License-Identifier: Apache-2.0
// A file that went through a text transfer reads as it was before.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LineFeedViewTests {
  private static func transferred(_ bytes: Bytes) -> Bytes {
    Bytes(bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
  }

  @Test func `every run of bytes is what it was, over all borders of blocks`() throws {
    var random = SeededRandom(seed: 20_261_121)
    // Few values, so that line feeds and carriage returns lie on every border somewhere.
    let bytes = Bytes((0..<100_000).map { _ in [0x0A, 0x0D, 0x0D, 0x41][random.below(4)] })
    let view = try #require(try LineFeedView(MemorySource(Self.transferred(bytes))))
    #expect(view.byteCount == bytes.count)
    #expect(view.removedCount == bytes.count { $0 == 0x0A })
    #expect(try view.read(at: 0, count: bytes.count) == bytes)
    for _ in 0..<200 {
      let (offset, count) = (random.below(bytes.count), 1 + random.below(40_000))
      let end = min(bytes.count, offset + count)
      #expect(try view.read(at: offset, count: count) == Bytes(bytes[offset..<end]))
    }
    #expect(try view.read(at: bytes.count, count: 1).isEmpty)
    #expect(try view.read(at: -1, count: 1).isEmpty)
  }

  @Test func `a lone line feed says that there was no such transfer`() throws {
    let bytes = Self.transferred(Bytes(repeating: 0x0A, count: 20_000)) + [0x0A]
    #expect(try LineFeedView(MemorySource(bytes)) == nil)
    #expect(try LineFeedView(MemorySource([]))?.byteCount == 0)
  }
}
