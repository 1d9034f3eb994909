// SPDX-License-Identifier: Apache-2.0
// What is said of rows that lie in wrong places.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OrderCheckTests {
  @Test func `rows in the place of others are doubtful`() throws {
    let specimen = try Specimen()
    let leaves = specimen.pages(of: "word", "leaf")
    let swapped = specimen.with(.swapPages(leaves[3], leaves[6]))
    let finding = try #require(swapped.said(.rowDoubtful).first)
    #expect(finding.message == "a row of 'word' lies where its key does not belong")
    #expect(finding.place.object == "word")
    #expect(finding.severity == .loss)
  }

  @Test func `where indexes prove that each is there, only the order is wrong`() throws {
    let specimen = try Specimen()
    let leaves = specimen.pages(of: "note", "leaf")
    let swapped = specimen.with(.swapPages(leaves[3], leaves[6]))
    let finding = try #require(swapped.said(.keyOrder).first)
    #expect(finding.message == "a row of 'note' lies where its key does not belong")
    #expect(finding.severity == .damage)
    #expect(swapped.said(.rowDoubtful).isEmpty)
  }

  @Test func `two rows of one key are doubtful in a WITHOUT ROWID table`() throws {
    var specimen = try Specimen(
      "CREATE TABLE twin (k TEXT PRIMARY KEY, v) WITHOUT ROWID",
      "INSERT INTO twin VALUES ('key 1', 'one'), ('key 2', 'two')")
    specimen.bytes = try specimen.bytes.replacing(text: "key 2", with: "key 1")
    #expect(specimen.said(.rowDoubtful).map(\.place.object) == ["twin"])
  }

  private static let keys: DatabaseBuilder.Step = """
    CREATE TABLE k (a TEXT, b BLOB, c REAL, d INT UNIQUE, PRIMARY KEY (c DESC, a, b DESC))
    WITHOUT ROWID;
    CREATE INDEX of_b ON k (b);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
    INSERT INTO k SELECT 'a', zeroblob(1), i / 2.0, NULL FROM n;
    """

  @Test(arguments: ["sqlite_autoindex_k_1", "of_b"])
  func `what an index adds of the table's key has its order`(_ index: String) throws {
    let specimen = try Specimen(Self.keys)
    #expect(Survey(main: specimen.bytes).findings.isEmpty)
    // Two entries of alike values change places.
    let page = specimen[page: try specimen.root(of: index)].lowerBound
    var damaged = specimen
    for place in 0..<2 {
      damaged.bytes[page + 8 + 2 * 3 + place] = specimen.bytes[page + 8 + 2 * 7 + place]
      damaged.bytes[page + 8 + 2 * 7 + place] = specimen.bytes[page + 8 + 2 * 3 + place]
    }
    #expect(damaged.said(.indexDamaged) != [] || damaged.said(.keyOrder) != [])
  }

  @Test func `an entry of an interior page that is not between its neighbours is named`() {
    let tree = CheckedTree.table {
      $0.misplacedBetween.add(FormatError(.keyOrder, page: PageNumber(5), offset: 40))
    }
    let findings = OrderCheck.findings(in: tree)
    #expect(findings.map(\.code) == [.keyOrder])
    #expect(
      findings.first?.message == "an entry of 't' between two pages is not between those on them")
    #expect(findings.first?.place == .init(page: PageNumber(5), offset: 40, object: "t"))
  }
}
