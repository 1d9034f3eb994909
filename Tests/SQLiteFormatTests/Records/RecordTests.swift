// SPDX-License-Identifier: Apache-2.0
// What counts as a record, and what the values in it are.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RecordTests {
  static let values: [(type: UInt64, content: Bytes, value: Value)] = [
    (0, [], .null), (8, [], .integer(0)), (9, [], .integer(1)),
    (1, [0xFF], .integer(-1)), (2, [0x80, 0x00], .integer(-32768)),
    (3, [0x7F, 0xFF, 0xFF], .integer(8_388_607)), (4, [0, 1, 0, 0], .integer(65536)),
    (5, [0x80, 0, 0, 0, 0, 0], .integer(-140_737_488_355_328)),
    (6, [0x7F, 255, 255, 255, 255, 255, 255, 255], .integer(.max)),
    (7, [0x80, 0, 0, 0, 0, 0, 0, 0], .real(-0.0)),
    (7, [0x7F, 0xF0, 0, 0, 0, 0, 0, 0], .real(.infinity)),
    (7, [0xFF, 0xF0, 0, 0, 0, 0, 0, 1], .null), (12, [], .blob([])), (13, [], .text(Bytes())),
    (14, [0], .blob([0])),
    (15, [0xFF], .text([0xFF])), (19, [0x61, 0, 0x62], .text([0x61, 0, 0x62])),
  ]

  private func read(_ bytes: Bytes) throws(FormatError) -> Record {
    try Record(bytes, in: 0..<bytes.count)
  }

  private func problem(_ bytes: Bytes) -> FormatError.Problem? {
    do {
      _ = try read(bytes)
      return nil
    } catch {
      return error.problem
    }
  }

  @Test(arguments: values)
  func `a serial type gives its value`(_ type: UInt64, _ content: Bytes, _ value: Value) throws {
    let record = try read(.record([(9, []), (type, content), (0, [])]))
    #expect(record.fieldCount == 3)
    let found = try #require(record.value(1))
    #expect(found.isIdentical(to: value))
    #expect(record.value(3) == nil)
    #expect(record.value(-1) == nil)
  }

  @Test func `all types fit in one record`() throws {
    let record = try read(.record(Self.values.map { ($0.type, $0.content) }))
    try #expect(zip(record.values, Self.values).allSatisfy { $0.isIdentical(to: $1.value) })
    #expect(record.fieldCount == Self.values.count)
  }

  @Test func `a header of more than 127 bytes has a longer length`() throws {
    let bytes: Bytes = [0x81, 0x4A] + Bytes(repeating: 9, count: 200)
    try #expect(read(bytes).values == Array(repeating: .integer(1), count: 200))
  }

  @Test func `lengths that are longer than needed are legal`() throws {
    try #expect(read([0x80, 0x80, 0x05, 0x80, 0x01, 0x2A]).values == [.integer(42)])
  }

  @Test(arguments: [10, 11] as [UInt8])
  func `a reserved type is refused`(_ type: UInt8) {
    #expect(problem([0x02, type]) == .reservedSerialType)
    #expect(problem([0x03, 0x09, type]) == .reservedSerialType)
  }

  @Test func `a header that does not end exactly is refused`() {
    // Empty, length 0, longer than the payload, ending inside a varint.
    #expect(problem([]) == .recordHeader)
    #expect(problem([0x00]) == .recordHeader)
    #expect(problem([0x04, 0x09, 0x09]) == .recordHeader)
    #expect(problem([0x02, 0x81]) == .recordHeader)
    #expect(problem([0x02, 0x81, 0x00]) == .recordHeader)
    #expect(problem([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]) == .recordHeader)
  }

  @Test func `parts that do not add up are refused`() {
    #expect(problem([0x02, 0x01]) == .recordLength)
    #expect(problem([0x02, 0x01, 0x05, 0x06]) == .recordLength)
    #expect(problem([0x03, 0x01, 0x02, 0x00, 0x00]) == .recordLength)
    // A text of 2^62 bytes.
    #expect(problem([0x0A] + Bytes(repeating: 0xFF, count: 9)) == .recordLength)
    // A text of half a gigabyte, of which two bytes are there.
    #expect(problem([0x06, 0x83, 0xFF, 0xFF, 0xFF, 0x0D, 0x41, 0x41]) == .recordLength)
  }

  @Test func `every cut of a record is refused`() throws {
    let whole = Bytes.record(Self.values.map { ($0.type, $0.content) })
    for count in 0..<whole.count {
      #expect(problem(Bytes(whole.prefix(count))) != nil, "\(count) bytes")
    }
    // A range beyond the bytes that there are.
    #expect(throws: FormatError.self) { try Record(whole, in: 0..<(whole.count + 1)) }
  }

  @Test func `a record in the middle of a page reads the same`() throws {
    let whole = Bytes.record(text: "in the middle")
    let page = Bytes(repeating: 0xEE, count: 20) + whole + Bytes(repeating: 0xEE, count: 20)
    let record = try Record(page, in: 20..<(20 + whole.count))
    try #expect(record.values == [.text("in the middle")])
  }
}

@Suite struct FingerprintTests {
  private func fingerprint(_ keys: [[Value]]) -> Fingerprint {
    keys.reduce(into: Fingerprint()) { result, values in
      result.add(values.reduce(into: KeyHash()) { $0.add($1) })
    }
  }

  @Test func `order does not matter, everything else does`() {
    let keys: [[Value]] = [
      [.integer(1), .text("a")], [.null, .text("b")], [.real(1.5), .blob([])],
    ]
    #expect(fingerprint(keys) == fingerprint(keys.reversed()))
    #expect(fingerprint(keys) != fingerprint(Array(keys.dropLast())))
    #expect(fingerprint(keys) != fingerprint(keys + [keys[0]]))
    #expect(fingerprint([[.text("ab"), .text("c")]]) != fingerprint([[.text("a"), .text("bc")]]))
    #expect(fingerprint([[.text("a")]]) != fingerprint([[.blob(Bytes("a".utf8))]]))
    #expect(fingerprint([[.null]]) != fingerprint([[.integer(0)]]))
    #expect(fingerprint([[.text(Bytes())]]) != fingerprint([[.text([0])]]))
    #expect(
      fingerprint([[.integer(1)], [.integer(4)]]) != fingerprint([[.integer(2)], [.integer(3)]]))
  }

  @Test func `equal numbers are equal keys however they are stored`() {
    #expect(fingerprint([[.integer(3)]]) == fingerprint([[.real(3)]]))
    #expect(fingerprint([[.real(-0.0)]]) == fingerprint([[.integer(0)]]))
    #expect(fingerprint([[.integer(3)]]) != fingerprint([[.real(3.5)]]))
  }

  @Test func `a field hashes as its value`() throws {
    for (type, content, value) in RecordTests.values {
      let bytes = Bytes.record([(type, content)])
      var field = KeyHash()
      let isThere = field.add(try Record(bytes, in: 0..<bytes.count), field: 0)
      #expect(isThere)
      var whole = KeyHash()
      whole.add(value)
      #expect(field == whole)
    }
    var hash = KeyHash()
    let isThere = hash.add(try Record([0x01], in: 0..<1), field: 0)
    #expect(!isThere)
    #expect(hash == KeyHash())
  }
}
