// SPDX-License-Identifier: Apache-2.0
// Deflate data, gzip headers, and gzip files of other makers.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct GzipTests {
  static let text = Bytes(String(repeating: "all that is gold does not glitter ", count: 300).utf8)

  /// A gzip member as any program may write it.
  static func member(_ bytes: Bytes, header: Bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) throws
    -> Bytes
  {
    var member = header
    member += try #require(Deflate.compress(bytes, level: 6))
    member.appendNumber(CRC32.checksum(of: bytes))
    member.appendNumber(UInt32(bytes.count))
    return member
  }

  /// All that a file stands for, and why it ended.
  static func inflate(_ file: Bytes) -> (bytes: Bytes, failure: GunzipStream.Failure?) {
    let stream = GunzipStream(MemorySource(file))
    var bytes = Bytes()
    do throws(GunzipStream.Failure) {
      while let piece = try stream.next() { bytes += piece }
      return (bytes, nil)
    } catch {
      return (bytes, error)
    }
  }

  @Test(arguments: [0, 1, 5, 6, 9]) func `deflating and inflating gives the same bytes`(
    level: Int
  ) throws {
    for bytes in [[], [7], Self.text] as [Bytes] {
      let data = try #require(Deflate.compress(bytes, level: level))
      #expect(Deflate.inflate(data, in: 0..<data.count, to: bytes.count) == bytes)
      #expect(Deflate.inflate(data, in: 0..<data.count, to: bytes.count + 1) == nil)
      #expect(Deflate.inflate(data, in: 0..<(data.count - 1), to: bytes.count) == nil)
      #expect(Deflate.inflate(data + [0], in: 0..<(data.count + 1), to: bytes.count) == nil)
    }
    #expect(Deflate.compress([], level: 6) == Deflate.nothing)
  }

  @Test(arguments: [1, 6, 9]) func `text among what looks random survives, and is still compressed`(
    level: Int
  ) throws {
    var random = SeededRandom(seed: 7)
    var bytes = Bytes()
    for count in [4096, 100, 9000, 4095, 20_000, 1] {
      bytes += random.bytes(count)
      bytes += Self.text.prefix(count)
    }
    let data = try #require(Deflate.compress(bytes, level: level))
    #expect(Deflate.inflate(data, in: 0..<data.count, to: bytes.count) == bytes)
    #expect(data.count < bytes.count * 2 / 3)
  }

  @Test func `what looks random hardly grows`() throws {
    var random = SeededRandom(seed: 8)
    let bytes = random.bytes(256 * 1024)
    let data = try #require(Deflate.compress(bytes, level: 6))
    #expect(Deflate.inflate(data, in: 0..<data.count, to: bytes.count) == bytes)
    #expect(data.count < bytes.count + 1024)
  }

  @Test func `deflate data for more than was promised is refused`() throws {
    let data = try #require(Deflate.compress(Bytes(repeating: 0, count: 1 << 20), level: 9))
    #expect(Deflate.inflate(data, in: 0..<data.count, to: 1000) == nil)
  }

  @Test func `a header with every field`() throws {
    var header: Bytes = [0x1F, 0x8B, 8, 31, 1, 2, 3, 4, 0, 3, 3, 0, 9, 9, 9]
    header += Bytes("name\0comment\0".utf8)
    header.appendNumber(UInt16(truncatingIfNeeded: CRC32.checksum(of: header)))
    #expect(try GzipHeader(header).byteCount == header.count)
    let file = try Self.member(Self.text, header: header)
    #expect(Self.inflate(file).bytes == Self.text)
    for count in 0..<header.count {
      #expect(throws: GzipHeader.Failure.self, "cut at \(count)") {
        try GzipHeader(Bytes(header[..<count]))
      }
    }
  }

  @Test func `a header longer than the first window`() throws {
    let name = Bytes(repeating: UInt8(ascii: "n"), count: 5000) + [0]
    let header: Bytes = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3] + name
    #expect(Self.inflate(try Self.member(Self.text, header: header)).bytes == Self.text)
    let endless: Bytes = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3] + Bytes(repeating: 1, count: 600_000)
    #expect(Self.inflate(endless).failure == .damaged(0))
  }

  @Test func `members follow one another, and other bytes after them are ignored`() throws {
    let file = try Self.member(Self.text) + Self.member([]) + Self.member([1, 2, 3])
    #expect(Self.inflate(file).bytes == Self.text + [1, 2, 3])
    let stream = GunzipStream(MemorySource(file + [0, 0, 0]))
    while try stream.next() != nil {}
    #expect(stream.hasTrailingBytes)
  }

  @Test func `a file cut anywhere is reported, unless between members`() throws {
    let first = try Self.member(Self.text)
    let file = try first + Self.member([1, 2, 3])
    for count in 0..<file.count where count != first.count {
      let result = Self.inflate(Bytes(file[..<count]))
      // One byte after a member may be anything; like gunzip, we ignore it.
      if count == first.count + 1 { continue }
      #expect(result.failure != nil, "cut at \(count)")
      #expect((Self.text + [1, 2, 3]).starts(with: result.bytes))
    }
  }

  @Test func `what is not gzip is named so`() {
    #expect(Self.inflate([]).failure == .notGzip)
    #expect(Self.inflate(Bytes("SQLite format 3\0".utf8)).failure == .notGzip)
  }
}

extension Deflate {
  /// The deflate data of some bytes; nil when memory is short.
  static func compress(_ bytes: Bytes, level: Int) -> Bytes? {
    Deflater(level: level)?.compress(bytes)
  }
}
