// SPDX-License-Identifier: Apache-2.0
// Tables of one form whose roots are destroyed, where only one has an index.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct IndexedRivalTests {
  /// A specimen with messages, which an index knows, and drafts behind them, which none knows.
  private func specimen(of drafts: Int) throws -> Specimen {
    try Specimen(
      """
      CREATE TABLE message (id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE draft (id INTEGER PRIMARY KEY, body TEXT);
      CREATE INDEX said ON message (body);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
      INSERT INTO message SELECT i, printf('%05d', i * 7919 % 10007) || ' said' FROM n;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(drafts))
      INSERT INTO draft SELECT 1000 + i, printf('%05d', i * 7919 % 10007) || ' kept' FROM n;
      """)
  }

  private func rows(
    of drafts: Int, losing more: (Specimen) throws -> [Int] = { _ in [] }
  ) throws -> (messages: Int, drafts: Int) {
    let whole = try specimen(of: drafts)
    let lost = try ["message", "draft", "said"].map(whole.root) + more(whole)
    let rebuilt = Reconstruction(
      main: lost.reduce(whole) { $0.with(.zeroPage($1)) }.bytes)
    let rows = try ["message", "draft"].map { name in
      rebuilt.rowsFound(in: try #require(rebuilt.survey.tree(named: Name(name))))
    }
    return (rows[0], rows[1])
  }

  @Test func `rows that the index of the other table does not know come back`() throws {
    #expect(try rows(of: 600) == (600, 600))
  }

  @Test func `they stay without a table where a leaf of the index that is gone may have had them`()
    throws
  {
    #expect(try rows(of: 600) { [$0.pages(of: "said", "leaf")[2]] } == (600, 0))
  }

  @Test func `they come back where they are more than that leaf had room for`() throws {
    let (messages, drafts) = try rows(of: 60_000) { [$0.pages(of: "said", "leaf")[2]] }
    #expect(messages == 600 && drafts > 50_000)
  }
}
