// SPDX-License-Identifier: Apache-2.0
// A file whose parts are read where they belong.

import SQLiteFormat
import Testing

@Suite struct RejoinedFileTests {
  private let file = RejoinedFile(
    MemorySource(Bytes(0..<20)),
    [
      .init(place: 0, offset: 0, byteCount: 4), .init(place: 4, offset: 10, byteCount: 4),
      .init(place: 12, offset: 18, byteCount: 4),
    ])

  @Test func `parts are read in their places, and what is in none is zero`() throws {
    #expect(file.byteCount == 16)
    let whole: Bytes = [0, 1, 2, 3, 10, 11, 12, 13, 0, 0, 0, 0, 18, 19, 0, 0]
    #expect(try file.read(at: 0, count: 99) == whole)
    for start in 0..<16 {
      for count in 0...16 {
        let expected = whole[start..<min(16, start + count)]
        #expect(try file.read(at: start, count: count).elementsEqual(expected))
      }
    }
    #expect(try file.read(at: 16, count: 1).isEmpty)
  }

  @Test func `what lies between parts is a hole`() {
    #expect(file.dataRange(from: 0) == 0..<4)
    #expect(file.dataRange(from: 5) == 5..<8)
    #expect(file.dataRange(from: 8) == 12..<14)
    #expect(file.dataRange(from: 14) == nil)
  }
}
