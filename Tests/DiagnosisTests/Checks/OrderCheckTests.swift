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

  @Test func `leaves that reach over the borders of the page above are of another moment`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let before: DatabaseBuilder.Step = """
      CREATE TABLE log (id INTEGER PRIMARY KEY, words TEXT);
      CREATE INDEX log_words ON log (words);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO log SELECT 2 * i, i || hex(zeroblob(40)) FROM n;
      """
    try DatabaseBuilder(pageSize: 1024, [before]).build(at: path)
    let old = try path.contents()
    let leaves = try Oracle(path).pages.filter { $0.object == "log" && $0.kind == "leaf" }
    let after: DatabaseBuilder.Step = "INSERT INTO log SELECT id + 1, 'new ' || words FROM log"
    let later = scratch["later.db"]
    try DatabaseBuilder(pageSize: 1024, [before, after]).build(at: later)
    var bytes = try later.contents()
    #expect(Survey(main: bytes).verdict == .healthy)
    // A transaction was cut off that had written the leaves and the indexes, and not the page above.
    let interior = try Oracle(later).pages.filter { $0.object == "log" && $0.kind == "internal" }
    for page in interior.map(\.number) where page * 1024 <= old.count {
      let place = (page - 1) * 1024..<page * 1024
      bytes.replaceSubrange(place, with: old[place])
    }
    let survey = Survey(main: bytes)
    let tree = try #require(survey.tree(named: "log"))
    #expect(leaves.count > 20 && survey.isOfTwoMoments(tree))
    #expect(survey.verdict == .damagedLossy)
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
