// SPDX-License-Identifier: Apache-2.0
// Databases that lie one behind the other in one file.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct NeighboursTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func build(_ name: String) throws -> Bytes {
    try Recipe.named(name).build(in: scratch.path).contents()
  }

  /// What a file alone gives, for comparison.
  private func rows(_ survey: Survey) -> [String: Int] {
    Dictionary(survey.trees.map { ("\($0.entry.name)", $0.records) }) { first, _ in first }
  }

  @Test(arguments: ["page-size-1024", "deep-trees", "auto-vacuum-full"], [0, 777])
  func `of two databases the first is read, and the second is named`(
    _ second: String, _ junk: Int
  ) throws {
    let (first, second) = (try build("long-values-512"), try build(second))
    let survey = Survey(main: Bytes(repeating: 0x78, count: junk) + first + second)
    let start = junk + first.count
    #expect(survey.neighbours.map(\.range) == [start..<(start + second.count)])
    #expect(rows(survey) == rows(Survey(main: first)))
    #expect(survey.findings.contains { $0.code == .databaseBeside && $0.severity == .loss })
    let other = SliceOfSource(
      MemorySource(Bytes(repeating: 0x78, count: junk) + first + second),
      start..<(start + second.count))
    #expect(try other.read(at: 0, count: other.byteCount) == second)
  }

  @Test func `the same database twice is two databases`() throws {
    let bytes = try build("deep-trees")
    let survey = Survey(main: bytes + bytes)
    #expect(survey.neighbours.map(\.range) == [bytes.count..<(2 * bytes.count)])
    #expect(rows(survey) == rows(Survey(main: bytes)))
  }

  @Test func `rows before a database that begins later are not passed over`() throws {
    var first = try build("deep-trees")
    let second = try build("page-size-1024")
    first.replaceSubrange(0..<100, with: Bytes(repeating: 0, count: 100))
    let survey = Survey(main: first + second)
    #expect(survey.verdict == .damagedLossy)
    let whole = Survey(main: first)
    if first.count > second.count {
      #expect(rows(survey) == rows(whole))
    } else {
      #expect(survey.neighbours.contains { !$0.hasHead })
    }
  }

  @Test func `a database that was cut off is told from the one behind it`() throws {
    let (first, second) = (try build("deep-trees"), try build("page-size-1024"))
    let cut = first.prefix(first.count / 2 / 4096 * 4096)
    let survey = Survey(main: Bytes(cut) + second)
    #expect(survey.neighbours.map(\.range.lowerBound) == [cut.count])
    #expect(survey.findings.contains { $0.code == .truncated })
  }

  @Test func `a copy of the first page in the file is no other database`() throws {
    let bytes = try build("deep-trees")
    let pageSize = Int(try #require(DatabaseHeader(bytes)).pageSize)
    let inserted =
      bytes.prefix(3 * pageSize) + bytes.prefix(pageSize) + bytes.dropFirst(3 * pageSize)
    #expect(Survey(main: Bytes(inserted)).neighbours.isEmpty)
    var swapped = bytes
    swapped.replaceSubrange(0..<pageSize, with: bytes[pageSize..<(2 * pageSize)])
    swapped.replaceSubrange(pageSize..<(2 * pageSize), with: bytes[0..<pageSize])
    #expect(Survey(main: swapped).neighbours.isEmpty)
    #expect(Survey(main: bytes).neighbours.isEmpty)
    #expect(Survey(main: Bytes(bytes.dropLast(pageSize))).neighbours.isEmpty)
  }
}
