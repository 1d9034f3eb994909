// SPDX-License-Identifier: Apache-2.0
// That a picture holds each point at its place.

import Testing

@testable import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct IndexedPictureTests {
  @Test func `each point has its colour, and what a row lacks is beyond`() throws {
    let picture = IndexedPicture(
      width: 3, height: 2, palette: [(0, 0, 0), (1, 2, 3)], points: [1, 2, 3, 4], beyond: 5)
    let prefix = "data:image/png;base64,"
    #expect(picture.address.hasPrefix(prefix))
    let data = try #require(Data(base64Encoded: String(picture.address.dropFirst(prefix.count))))
    let file = Array(data)
    #expect(file.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    // The rows: a zero, then two points in each byte.
    let rows: [UInt8] = [0, 0x12, 0x35, 0, 0x45, 0x55]
    #expect(file.indices.contains { file[$0...].starts(with: rows) })
    // Nothing is said of what shows through.
    #expect(!file.indices.contains { file[$0...].starts(with: Array("tRNS".utf8)) })
    // The checksum of the chunk without content is the same in every PNG.
    #expect(file.suffix(8) == [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
  }

  @Test func `what lies behind shows through one colour`() throws {
    let picture = IndexedPicture(
      width: 2, height: 1, palette: [(0, 0, 0), (1, 2, 3), (4, 5, 6)], points: [1, 2], beyond: 1,
      clear: 1)
    let data = try #require(
      Data(base64Encoded: String(picture.address.dropFirst("data:image/png;base64,".count))))
    let file = Array(data)
    // Its length, its name, and how dense each colour is up to that one.
    let chunk: [UInt8] = [0, 0, 0, 2] + Array("tRNS".utf8) + [0xFF, 0]
    #expect(file.indices.contains { file[$0...].starts(with: chunk) })
  }
}
