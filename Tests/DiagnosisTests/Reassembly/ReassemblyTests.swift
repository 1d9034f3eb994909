// SPDX-License-Identifier: Apache-2.0
// What can be asked of trees that were put together again.

import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct ReassemblyTests {
  private static func page(_ number: Int) throws -> PageNumber {
    try #require(PageNumber(number))
  }

  /// A table with pages 4, 5 and 7, of which it got two back, and one with page 9.
  private static func example() throws -> Reassembly {
    func pages(_ numbers: Int...) throws -> [PageNumber] { try numbers.map { try page($0) } }
    var reassembly = Reassembly()
    reassembly.assignments[2] = Reassembly.Assignment(
      isTable: true, pages: try pages(5, 4, 7), spilling: try pages(7, 4),
      placed: [try page(7): .declaredTypes, try page(4): .index], witnesses: [], rows: 30,
      isShort: false, isDenied: false)
    reassembly.assignments[0] = Reassembly.Assignment(
      isTable: false, pages: try pages(9), spilling: try pages(9), placed: [:], witnesses: [],
      rows: 8, isShort: false, isDenied: false)
    return reassembly
  }

  @Test func `pages that came back are told from those that never went`() throws {
    let example = try Self.example()
    #expect(example.pagesRegained(by: 2).map(\.number) == [4, 7])
    #expect(example.pagesRegained(by: 0).isEmpty)
    #expect(example.placedPages.map(\.number).sorted() == [4, 7])
    #expect(example.ownedPages.pages.map(\.number).sorted() == [4, 5, 7, 9])
  }

  @Test func `rows are those of the tables that were put together`() throws {
    let example = try Self.example()
    #expect(example.rows(of: 2) == 30 && example.rows(of: 0) == 8)
    #expect(example.rows(of: 1) == nil && example.pagesRegained(by: 1).isEmpty)
  }

  @Test func `the strongest evidence comes first`() throws {
    var example = try Self.example()
    example.assignments[2]?.placed[try Self.page(5)] = .declaredTypes
    let evidence = example.evidence(for: 2)
    #expect(evidence.map(\.kind) == [.index, .declaredTypes])
    #expect(evidence.map(\.pages) == [1, 2])
    #expect(example.evidence(for: 1).isEmpty)
  }

  @Test func `pages from which rows may spill are in order, each with its kind`() throws {
    let spilling = try Self.example().spillingPages
    #expect(spilling.map(\.page.number) == [4, 7, 9])
    #expect(spilling.map(\.isTable) == [true, true, false])
  }

  @Test func `a table whose pages are all others' has none`() {
    var reassembly = Reassembly()
    reassembly.assignments[0] = .none(isTable: true)
    #expect(reassembly.ownedPages.isEmpty && reassembly.rows(of: 0) == 0)
    #expect(reassembly.assignments[0]?.isShort == true)
  }
}
