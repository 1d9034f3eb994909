// SPDX-License-Identifier: Apache-2.0
// Tables of one form whose roots are destroyed, in files that grew by one table after the other.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct AllocationOrderTests {
  /// Six tables with an index each, two of one form without, and one behind them.
  private static let names = (1...6).map { "known\($0)" } + ["first", "second", "last"]

  private static func make(_ name: String) -> String {
    let index = name.hasPrefix("known") ? "CREATE INDEX \(name)_body ON \(name) (body);" : ""
    return "CREATE TABLE \(name) (id INTEGER PRIMARY KEY, body TEXT NOT NULL); \(index)"
  }

  private static func fill(_ name: String) -> String {
    """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    INSERT INTO \(name) SELECT i, '\(name) ' || i FROM n;
    """
  }

  /// A database without the roots of its tables.
  private func rebuilt(_ sql: [String]) throws -> Reconstruction {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 512, ["\(sql.joined())"]).build(at: path)
    var bytes = try path.contents()
    for tree in Survey(main: bytes).trees where tree.entry.kind == .table {
      let root = try #require(tree.root)
      bytes = Damage.zeroPage(root.number).applied(to: bytes, pageSize: 512)
    }
    return Reconstruction(main: bytes)
  }

  private func evidence(for table: Name, in rebuilt: Reconstruction) throws -> [PlacementEvidence] {
    let position = try #require(rebuilt.survey.tree(named: table).flatMap(rebuilt.survey.position))
    return rebuilt.reassembly.evidence(for: position).map(\.kind)
  }

  @Test func `leaves between the roots of tables that were filled in turn are the first one's`()
    throws
  {
    let rebuilt = try rebuilt(Self.names.flatMap { [Self.make($0), Self.fill($0)] })
    for name: Name in ["first", "second"] {
      #expect(try evidence(for: name, in: rebuilt) == [.allocation])
      #expect(rebuilt.survey.tree(named: name).map { rebuilt.rowsFound(in: $0) } == 60)
    }
    // Nothing tells what came behind the last root but that the others have no room.
    #expect(try evidence(for: "last", in: rebuilt) == [.elimination])
  }

  @Test func `leaves of tables that were made first and filled later stay without a table`() throws
  {
    let rebuilt = try rebuilt(Self.names.map(Self.make) + Self.names.map(Self.fill))
    for name: Name in ["first", "second", "last"] {
      #expect(try evidence(for: name, in: rebuilt) == [])
    }
    #expect(rebuilt.rowsWithoutTable.rows == 180)
  }

  @Test func `tables that grew again later leave it open where others grew`() throws {
    let inTurn = Self.names.flatMap { [Self.make($0), Self.fill($0)] }
    let later = ["known1", "known2"].map { "INSERT INTO \($0) SELECT id + 60, body FROM \($0);" }
    let rebuilt = try rebuilt(inTurn + later)
    #expect(try evidence(for: "first", in: rebuilt) == [])
    #expect(try evidence(for: "second", in: rebuilt) == [])
  }

  /// Leaves of the tables 'first' and 'lost' without roots, where the schema row of 'lost' is gone, too,
  /// and the schema is given; a table of another form may have been made `between` them.
  private func rebuiltWithoutSchemaRow(between: Bool) throws -> Reconstruction {
    let padding = "/* \(String(repeating: "-", count: 300)) */"
    let sql =
      Self.names.prefix(7).flatMap { [Self.make($0), Self.fill($0)] }
      + (between ? ["CREATE TABLE other (a, b, c \(padding));"] : [])
      + [
        "CREATE TABLE lost (id INTEGER PRIMARY KEY, body TEXT NOT NULL \(padding));",
        Self.fill("lost"), "CREATE TABLE behind (a, b, c \(padding));",
      ]
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(pageSize: 512, ["\(sql.joined())"]).build(at: path)
    var bytes = try path.contents()
    let entries = Survey(main: bytes).schema?.entries ?? []
    let declaration = try #require(bytes.firstRange(of: Bytes("CREATE TABLE lost".utf8)))
    let roots = try ["first", "lost"].map { name in
      try #require(entries.first { $0.name == name }?.root).number
    }
    for number in roots + [declaration.lowerBound / 512 + 1] {
      bytes = Damage.zeroPage(number).applied(to: bytes, pageSize: 512)
    }
    return try Reconstruction(
      FileSet(main: MemorySource(bytes)), parser: SandboxParser(),
      known: OutsideKnowledge(schema: { entries }))
  }

  @Test func `a table whose root is not known has the leaves that lie where it was made`() throws {
    let rebuilt = try rebuiltWithoutSchemaRow(between: true)
    for name: Name in ["first", "lost"] {
      #expect(try evidence(for: name, in: rebuilt) == [.allocation])
      #expect(rebuilt.survey.tree(named: name).map { rebuilt.rowsFound(in: $0) } == 60)
    }
  }

  @Test func `leaves behind a root stay without a table where that of the next table is not known`()
    throws
  {
    let rebuilt = try rebuiltWithoutSchemaRow(between: false)
    for name: Name in ["first", "lost"] { #expect(try evidence(for: name, in: rebuilt) == []) }
    #expect(rebuilt.rowsWithoutTable.rows == 120)
  }
}
