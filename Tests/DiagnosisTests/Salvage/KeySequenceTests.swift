// SPDX-License-Identifier: Apache-2.0
// Keys of tables WITHOUT ROWID that were damaged in their place, and what tells.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct KeySequenceTests {
  private let specimen: Specimen

  init() throws {
    specimen = try Specimen(
      """
      CREATE TABLE keyed (k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID;
      WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO keyed SELECT 'key' || i, i FROM n;
      """)
  }

  /// The keys on a page, in their order.
  private func keys(on page: Int) -> [String] {
    let bytes = specimen.bytes[specimen[page: page]]
    let starts = bytes.indices.filter { bytes[$0...].starts(with: "key".utf8) }
    return starts.map { String(decoding: bytes[$0..<($0 + 6)], as: UTF8.self) }.sorted()
  }

  /// The keys that a salvage places, and those that it holds to be out of order, of a database in
  /// which some were replaced.
  private func read(_ changes: [String: String]) throws -> (placed: Set<String>, others: [String]) {
    var bytes = specimen.bytes
    for (key, other) in changes { bytes = try bytes.replacing(text: key, with: other) }
    let rebuilt = Reconstruction(main: bytes)
    let reader = try #require(SalvageReader(rebuilt))
    let tree = try #require(rebuilt.survey.tree(named: "keyed"))
    var claims = reader.startingClaims
    var (placed, others): (Set<String>, [String]) = ([], [])
    reader.read(tree, &claims) { item in
      switch item {
      case .row(_, let row): placed.insert(row.record.value(0)?.utf8String ?? "")
      case .doubtful(_, let row, .misplaced): others.append(row.record.value(0)?.utf8String ?? "")
      default: Issue.record("\(item)")
      }
    }
    return (placed, others)
  }

  private var all: Set<String> { Set((100...400).map { "key\($0)" }) }

  @Test func `a key that the others of its page contradict is out of order`() throws {
    let key = keys(on: specimen.pages(of: "keyed", "leaf")[2])[9]
    let found = try read([key: "kuy000"])
    #expect(found.others == ["kuy000"])
    #expect(found.placed == all.subtracting([key]))
  }

  @Test func `a first key that is before the entry between the pages is out of order`() throws {
    let key = try #require(keys(on: specimen.pages(of: "keyed", "leaf")[2]).first)
    let other = "cey" + key.dropFirst(3)
    let found = try read([key: other])
    #expect(found.others == [other])
    #expect(found.placed == all.subtracting([key]))
  }

  @Test func `a damaged entry between two pages is out of order, and they are not`() throws {
    let leaves = specimen.pages(of: "keyed", "leaf")
    let last = try #require(keys(on: leaves[2]).last.flatMap { Int($0.dropFirst(3)) })
    let found = try read(["key\(last + 1)": "kei\(last + 1)"])
    #expect(found.others == ["kei\(last + 1)"])
    #expect(found.placed == all.subtracting(["key\(last + 1)"]))
  }

  @Test func `rows of another order behind the others are not the table's`() throws {
    let leaves = specimen.pages(of: "keyed", "leaf").sorted {
      (keys(on: $0).first ?? "") < (keys(on: $1).first ?? "")
    }
    let last = try #require(leaves.last)
    let own = keys(on: last)
    var bytes = specimen.bytes
    var page = Bytes(bytes[specimen[page: last]])
    for (key, other) in zip(own, own.reversed()) {
      page = try page.replacing(text: key, with: "lot" + other.dropFirst(3))
    }
    bytes.replaceSubrange(specimen[page: last], with: page)
    let survey = Survey(main: bytes)
    let tree = try #require(survey.tree(named: "keyed"))
    let numbers = try leaves.map { try #require(PageNumber($0)) } + [try #require(tree.root)]
    let sequence = KeySequence(
      numbers, in: PageReader(try #require(survey.image)), survey.keyOrder(of: tree))
    #expect(
      try sequence.unordered.count == survey.image?.btreePage(numbers[leaves.count - 1]).cellCount)
    #expect(sequence.unordered.allSatisfy { $0.page.number == last })
  }

  @Test func `keys that follow one another stay, damaged or not`() throws {
    let keys = keys(on: specimen.pages(of: "keyed", "leaf")[2])
    let key = try #require(keys.dropFirst().dropLast().first { $0.hasSuffix("9") })
    let found = try read([key: key.dropLast(1) + "z"])
    #expect(found.others.isEmpty && found.placed.count == all.count)
  }

  /// A table with rowids and no index, of which the pointers of a leaf were changed.
  private func plain(_ change: (inout [Bytes]) -> Void) throws -> SalvagedRows {
    let specimen = try Specimen(
      "CREATE TABLE plain (id INTEGER PRIMARY KEY, body TEXT)",
      "INSERT INTO plain SELECT 3 * id, body FROM note")
    let leaf = specimen[page: specimen.pages(of: "plain", "leaf")[2]]
    var bytes = specimen.bytes
    let count = try #require(bytes.big16(at: leaf.lowerBound + 3))
    let places = (0..<count).map { leaf.lowerBound + 8 + 2 * $0 }
    var pointers = places.map { Bytes(bytes[$0..<($0 + 2)]) }
    change(&pointers)
    for (place, pointer) in zip(places, pointers) {
      bytes.replaceSubrange(place..<(place + 2), with: pointer)
    }
    return try SalvagedRows(of: "plain", in: Survey(main: bytes))
  }

  @Test func `rows stay in their table whatever the order of the pointers of their page`() throws {
    let found = [try plain { $0.reverse() }, try plain { $0.swapAt(1, 4) }]
    for rows in found {
      #expect(rows.doubts.isEmpty)
      #expect(rows.placed.sorted() == (1...301).map { 3 * $0 })
    }
  }

  @Test(arguments: [
    ([1, 2, 3, 4], [true, true, true, true]), ([1, 9, 3, 4], [true, false, true, true]),
    ([5, 2, 3, 4], [false, true, true, true]),
    ([1, 2, 4, 3, 5], [true, true, false, false, true]),
    ([2, 2, 1, 3], [true, true, false, true]), ([], []),
  ])
  func `what every longest ascent has is in order`(_ numbers: [Int], _ expected: [Bool]) {
    #expect(numbers.inEveryLongestAscent(by: <=) == expected)
  }
}
