// SPDX-License-Identifier: Apache-2.0
// Databases that were sent as if they were text.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TextTransferTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  @Test(arguments: [
    "deep-trees", "page-size-1024", "every-value-UTF-16le", "long-values-512", "many-tables",
    "auto-vacuum-full",
  ])
  func `a carriage return before every line feed is taken out again`(_ name: String) throws {
    let recipe = try Recipe.named(name)
    let path = try recipe.build(in: scratch.path)
    let bytes = try path.contents()
    let survey = Survey(main: Damage.crlf.applied(to: bytes, pageSize: recipe.builder.pageSize))
    #expect(survey.transfer == .lineFeedsExpanded(removed: bytes.count { $0 == 0x0A }))
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.faults.map(\.code) == [.lineEndingsConverted])
    #expect(survey.verdict == .damagedIntact)
  }

  @Test func `text with carriage returns in a sound database is left alone`() throws {
    let (bytes, path) = try lines()
    let survey = Survey(main: bytes)
    #expect(survey.transfer == nil)
    #expect(survey.verdict == .healthy)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test(arguments: [
    (998, [0x0D, 0x0A]), (1000, [0x0A]), (512, [1, 2, 3, 4, 5, 6, 7, 8]), (76, [0x0A]),
    (64, [0x0D, 0x0A]), (19, [0x0D]),
  ])
  func `what was put in after each so many bytes is left out again`(
    _ block: Int, _ added: [UInt8]
  ) throws {
    let (bytes, path) = try lines()
    for endsInBlock in [true, false] {
      var parted = Bytes()
      for start in stride(from: 0, to: bytes.count, by: block) {
        parted += bytes[start..<min(start + block, bytes.count)]
        if start + block < bytes.count || !endsInBlock { parted += added }
      }
      let survey = Survey(main: parted)
      #expect(survey.transfer == .blocksParted(block: block, added: added.count))
      #expect(try survey.firstDifference(from: Oracle(path)) == nil)
      #expect(survey.verdict == .damagedIntact)
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"], [true, false])
  func `the lengths of the chunks in which HTTP sent it are left out`(
    _ header: String, isWhole: Bool
  ) throws {
    let (bytes, path) = try lines()
    var sent = Bytes(header.utf8)
    var count = 0
    for (start, length) in [(0, 40), (40, 4999), (5039, 1)] + [(5040, bytes.count - 5040)] {
      sent += Bytes(String(length, radix: 16).utf8) + [0x0D, 0x0A]
      sent += bytes[start..<(start + length)] + [0x0D, 0x0A]
      count += 1
    }
    sent += Bytes("0\r\n\r\n".utf8)
    let survey = Survey(main: isWhole ? sent : Bytes(sent.dropLast(7)))
    #expect(survey.transfer == .chunked(count: count))
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.verdict == .damagedIntact)
    // A chunk that does not end where it says is none.
    #expect(Survey(main: Bytes(sent.dropLast(7)) + [1, 2, 3]).transfer == nil)
  }

  @Test func `carriage returns that became line feeds were not taken out`() throws {
    let bytes = try lines().bytes
    var converted = Bytes()
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
      converted.append(byte == 0x0D ? 0x0A : byte)
    }
    try #require(converted.count < bytes.count)
    #expect(Survey(main: converted).transfer == .carriageReturnsReplaced)
    let removed = Bytes(bytes.filter { $0 != 0x0D })
    #expect(Survey(main: removed).transfer == .carriageReturnsRemoved)
  }

  @Test func `dropped carriage returns are named`() throws {
    let bytes = try lines().bytes
    var dropped = Bytes()
    for (index, byte) in bytes.enumerated() {
      let isPair = byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
      if !isPair { dropped.append(byte) }
    }
    let survey = Survey(main: dropped)
    #expect(survey.transfer == .carriageReturnsDropped)
    #expect(survey.findings.contains { $0.code == .lineEndingsConverted && $0.severity == .loss })
  }

  @Test func `carriage returns that were all removed are named`() throws {
    let survey = Survey(main: try lines().bytes.filter { $0 != 0x0D })
    #expect(survey.transfer == .carriageReturnsRemoved)
    #expect(survey.findings.contains { $0.code == .lineEndingsConverted && $0.severity == .loss })
  }

  @Test(arguments: ["page-size-1024", "every-value-UTF-8"])
  func `a transfer as UTF-8 is named, whatever text was in it`(_ name: String) throws {
    let bytes = try Recipe.named(name).build(in: scratch.path).contents()
    let survey = Survey(main: Bytes(String(decoding: bytes, as: UTF8.self).utf8))
    #expect(survey.transfer == .reencoded)
    #expect(survey.findings.contains { $0.code == .lineEndingsConverted && $0.severity == .loss })
  }

  @Test(arguments: [
    "deep-trees", "page-size-1024", "every-value-UTF-16le", "long-values-512", "auto-vacuum-full",
  ])
  func `a transfer as Latin-1 that became UTF-8 is taken back`(_ name: String) throws {
    let path = try Recipe.named(name).build(in: scratch.path)
    let bytes = try path.contents()
    let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    let survey = Survey(main: Bytes(text.utf8))
    #expect(survey.transfer == .bytesWidened(removed: bytes.count { $0 >= 0x80 }))
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.faults.map(\.code) == [.lineEndingsConverted])
    #expect(survey.verdict == .damagedIntact)
  }

  /// A database with many lines of text.
  private func lines() throws -> (bytes: Bytes, path: FilePath) {
    let path = scratch["lines.db"]
    try Specimen.buildLines(at: path)
    return (try path.contents(), path)
  }
}
