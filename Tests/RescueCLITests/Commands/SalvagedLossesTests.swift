// SPDX-License-Identifier: Apache-2.0
// How many rows a salvage says are lost, and how many at most.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct SalvagedLossesTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// The pages of a table or index, as SQLite tells them.
  private func pages(of name: String, in path: FilePath, leavesOnly: Bool) throws -> [Int] {
    try Oracle(path).pages.filter { $0.object == name && (!leavesOnly || $0.kind == "leaf") }
      .map(\.number)
  }

  @Test func `an index that lacks rows of its table gives a loss no upper bound`() throws {
    let size = 1024
    let file = bench["items.db"]
    try DatabaseBuilder(
      pageSize: size,
      [
        "CREATE TABLE item (id INTEGER PRIMARY KEY, label TEXT)",
        "CREATE INDEX labels ON item (label)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO item SELECT i, printf('label %05d', i * 7919 % 10007) FROM n
        """,
      ]
    ).build(at: file)
    let old = try file.contents()
    do {
      let connection = try Connection(file, mode: .app)
      try connection.execute("INSERT INTO item VALUES (601, 'label 5'), (602, 'label 6')")
    }
    let leaf = try pages(of: "item", in: file, leavesOnly: true)[5]
    var bytes = try file.contents()
    for page in try pages(of: "labels", in: file, leavesOnly: false) {
      let range = ((page - 1) * size)..<(page * size)
      bytes.replaceSubrange(range, with: old[range])
    }
    bytes.replaceSubrange(
      ((leaf - 1) * size)..<(leaf * size), with: Bytes(repeating: 0, count: size))
    try file.replaceContents(with: bytes)

    let ending = try bench.run(["salvage", file, "--output", bench["new.db"], "--json"])
    let json = try ending.json
    let table = try #require(json["tables"]?.elements.first)
    let gone = try #require(table["partial"]?.number)
    #expect(gone > 0)
    #expect(table["lost"]?["kind"]?.text == "at-least")
    #expect(table["lost"]?["rows"]?.number == gone)
    // What the text says has the most that are lost in it, where that is known.
    let text = try bench.run(["salvage", file, "--output", bench["other.db"]]).output
    #expect(text.contains("at least \(gone)"))
    #expect(!text.contains("at most"))
    #expect(!text.contains("exactly"))
  }
}
