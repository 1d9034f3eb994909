// SPDX-License-Identifier: Apache-2.0
// Varints of every length, in every way they can be cut off.

import SQLiteFormat
import Testing

@Suite struct VarintTests {
  /// Values at the limits of every length, as the file-format document defines them.
  static let vectors: [(bytes: Bytes, value: UInt64)] = [
    ([0x00], 0), ([0x7F], 127),
    ([0x81, 0x00], 128), ([0xFF, 0x7F], 16383),
    ([0x81, 0x80, 0x00], 16384), ([0xFF, 0xFF, 0x7F], 2_097_151),
    ([0x81, 0x80, 0x80, 0x00], 2_097_152), ([0xFF, 0xFF, 0xFF, 0x7F], 268_435_455),
    ([0x81, 0x80, 0x80, 0x80, 0x00], 268_435_456),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 34_359_738_367),
    ([0x81, 0x80, 0x80, 0x80, 0x80, 0x00], 34_359_738_368),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 4_398_046_511_103),
    ([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 4_398_046_511_104),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 562_949_953_421_311),
    ([0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 562_949_953_421_312),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], 72_057_594_037_927_935),
    ([0x80, 0xC0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 72_057_594_037_927_936),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .max),
    ([0xBF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], UInt64(Int64.max)),
    ([0xC0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 1 << 63),
  ]

  @Test(arguments: vectors)
  func `a varint gives its value and its length`(_ bytes: Bytes, _ value: UInt64) throws {
    let padded: Bytes = [0xAA, 0xAA] + bytes + [0xAA]
    let read = try #require(padded.varint(at: 2, limit: padded.count))
    #expect(read.value == value)
    #expect(read.length == bytes.count)
    #expect(Bytes.varint(value) == bytes)
  }

  @Test(arguments: vectors)
  func `a varint that is cut off gives nothing`(_ bytes: Bytes, _: UInt64) {
    for count in 0..<bytes.count {
      #expect(Bytes(bytes.prefix(count)).varint(at: 0, limit: 100) == nil, "after \(count)")
      #expect(bytes.varint(at: 0, limit: count) == nil, "limit \(count)")
    }
    #expect(bytes.varint(at: bytes.count, limit: 100) == nil)
    #expect(bytes.varint(at: -1, limit: 100) == nil)
  }

  @Test(arguments: 1...8)
  func `more bytes than needed are legal`(_ padding: Int) throws {
    let bytes = Bytes(repeating: 0x80, count: padding) + [0x05]
    let read = try #require(bytes.varint(at: 0, limit: bytes.count))
    #expect(read.value == 5)
    #expect(read.length == padding + 1)
  }
}

@Suite struct NumberTests {
  static let signed: [(width: Int, bytes: Bytes, value: Int64)] = [
    (1, [0x80], -128), (2, [0x7F, 0xFF], 32767), (2, [0xFF, 0xFF], -1),
    (3, [0x80, 0x00, 0x00], -8_388_608), (4, [0x00, 0x00, 0x01, 0x00], 256),
    (6, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], -2),
    (8, [0x80, 0, 0, 0, 0, 0, 0, 0], .min), (8, [0x7F, 255, 255, 255, 255, 255, 255, 255], .max),
  ]

  @Test(arguments: signed)
  func `a number of so many bytes keeps its sign`(_ width: Int, _ bytes: Bytes, _ value: Int64) {
    #expect((Bytes([9]) + bytes).signed(at: 1, width: width) == value)
    #expect(bytes.signed(at: 1, width: width) == nil)
    #expect(bytes.signed(at: -1, width: width) == nil)
  }

  @Test func `what lies outside is nil`() {
    let bytes: Bytes = [1, 2, 3, 4, 5]
    #expect(bytes.big32(at: 1) == 0x0203_0405)
    #expect(bytes.big16(at: 3) == 0x0405)
    for offset in [-1, 2, 5, .max, .min] { #expect(bytes.big32(at: offset) == nil) }
    for offset in [-1, 4, 5, .max, .min] { #expect(bytes.big16(at: offset) == nil) }
    #expect(bytes.slice(3..<9) == [4, 5])
    #expect(bytes.slice(7..<9) == [])
    #expect(bytes.matches([4, 5], at: 3))
    #expect(!bytes.matches([4, 5, 6], at: 3))
    #expect(!bytes.matches([1], at: -1))
  }

  @Test func `a page number is never 0`() {
    #expect(PageNumber(0) == nil)
    #expect(PageNumber(UInt32(0)) == nil)
    #expect(PageNumber(-1) == nil)
    #expect(PageNumber(1 << 32) == nil)
    #expect(PageNumber(UInt32.max)?.number == 4_294_967_295)
  }
}
