// SPDX-License-Identifier: Apache-2.0
// The file header field by field.

import SQLiteFormat
import Testing

@Suite struct DatabaseHeaderTests {
  private static func header(_ fields: [Int: UInt32] = [:], pageSize: Int = 4096) -> Bytes {
    var bytes = Bytes(repeating: 0, count: 100)
    bytes.set(DatabaseHeader.magic, at: 0)
    bytes.setBig16(pageSize & 0xFFFF, at: 16)
    bytes.set([1, 2, 12, 64, 32, 32], at: 18)
    for (offset, value) in fields { bytes.set(.big32(value), at: offset) }
    return bytes
  }

  @Test func `every field is where the document says`() throws {
    let fields: [Int: UInt32] = [
      24: 7, 28: 99, 32: 5, 36: 3, 40: 11, 44: 4, 52: 6, 56: 3, 60: UInt32(bitPattern: -9), 64: 1,
      68: 0x4650_4B00, 92: 7, 96: 3_040_001,
    ]
    let header = try #require(DatabaseHeader(Self.header(fields)))
    #expect(header.hasMagic)
    #expect(header.pageSize == 4096)
    #expect(header.writeVersion == 1)
    #expect(header.readVersion == 2)
    #expect(header.isWAL)
    #expect(header.reserved == 12)
    #expect(header.hasPayloadFractions)
    #expect(header.geometry == Geometry(pageSize: 4096, reserved: 12))
    #expect(header.changeCounter == 7)
    #expect(header.pageCount == 99)
    #expect(header.isPageCountValid)
    #expect(header.firstFreelistTrunk == 5.page)
    #expect(header.freelistCount == 3)
    #expect(header.schemaCookie == 11)
    #expect(header.schemaFormat == 4)
    #expect(header.largestRoot == 6)
    #expect(header.isAutoVacuum)
    #expect(header.encoding == .utf16be)
    #expect(header.userVersion == -9)
    #expect(header.incrementalVacuum)
    #expect(header.applicationID == 0x4650_4B00)
    #expect(header.versionValidFor == 7)
    #expect(header.writerVersion == 3_040_001)
  }

  @Test func `a stored page size of 1 is 65536`() throws {
    #expect(try #require(DatabaseHeader(Self.header(pageSize: 1))).pageSize == 65536)
    #expect(try #require(DatabaseHeader(Self.header(pageSize: 1000))).geometry == nil)
    #expect(try #require(DatabaseHeader(Self.header(pageSize: 0))).geometry == nil)
  }

  @Test func `fewer than 100 bytes are no header`() {
    for count in [0, 1, 16, 99] {
      #expect(DatabaseHeader(Bytes(Self.header().prefix(count))) == nil)
    }
    #expect(DatabaseHeader(Bytes(repeating: 0, count: 100))?.hasMagic == false)
  }

  @Test func `the page count is valid only for its change counter`() throws {
    #expect(try !#require(DatabaseHeader(Self.header([24: 7, 28: 99, 92: 6]))).isPageCountValid)
    #expect(try !#require(DatabaseHeader(Self.header([24: 7, 28: 0, 92: 7]))).isPageCountValid)
  }

  @Test(arguments: [0, 4, UInt32.max])
  func `an encoding that there is not is none`(_ stored: UInt32) throws {
    #expect(try #require(DatabaseHeader(Self.header([56: stored]))).encoding == nil)
  }
}
