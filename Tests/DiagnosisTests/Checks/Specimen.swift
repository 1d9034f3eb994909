// SPDX-License-Identifier: Apache-2.0
// A small database that tests of checks damage, and where its pages are.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

/// A database in pages of 512 bytes: `note` with the index `bodies`, `letter` with long values,
/// `word` WITHOUT ROWID, and a free list.
struct Specimen {
  static let pageSize = 512
  /// The bytes of the file.
  var bytes: Bytes
  private let pages: [Oracle.Page]

  init(
    _ more: DatabaseBuilder.Step..., autoVacuum: DatabaseBuilder.AutoVacuum = .none,
    journal: DatabaseBuilder.JournalMode = .delete
  ) throws {
    let scratch = try ScratchFolder()
    let path = scratch["specimen.db"]
    try DatabaseBuilder(
      pageSize: Self.pageSize, autoVacuum: autoVacuum, journal: journal, [Self.tables] + more
    ).build(at: path)
    bytes = try path.contents()
    pages = try Oracle(path).pages
  }

  private static let tables: DatabaseBuilder.Step = """
    CREATE TABLE gone (a);
    CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
    CREATE INDEX bodies ON note (body);
    CREATE TABLE letter (id INTEGER PRIMARY KEY, page BLOB);
    CREATE TABLE word (word TEXT PRIMARY KEY) WITHOUT ROWID;
    WITH RECURSIVE n (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
    INSERT INTO word SELECT 'word ' || i FROM n;
    INSERT INTO note (body) SELECT 'note of the ' || word FROM word;
    INSERT INTO letter VALUES (1, zeroblob(2000));
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
    INSERT INTO letter SELECT 2, group_concat(printf('%05X', i * i * 15485863 & 0xFFFFF), '') FROM n;
    INSERT INTO gone SELECT word FROM word;
    DROP TABLE gone;
    """

  /// Makes another one, with many lines of text and pages of the same size.
  static func buildLines(at path: FilePath) throws {
    try DatabaseBuilder(
      pageSize: pageSize,
      [
        "CREATE TABLE t (a TEXT)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 2000)
        INSERT INTO t SELECT replace(hex(zeroblob(10)), '00', 'line' || char(13, 10)) FROM n
        """,
      ]
    ).build(at: path)
  }

  /// The bytes of a page in the file.
  subscript(page number: Int) -> Range<Int> {
    ((number - 1) * Self.pageSize)..<(number * Self.pageSize)
  }

  /// Where in the bytes a text stands, in the file's order.
  func places(of text: String) -> [Int] {
    let text = Bytes(text.utf8)
    return bytes.indices.filter { bytes.matches(text, at: $0) }
  }

  /// How many pages there are.
  var pageCount: Int { bytes.count / Self.pageSize }

  /// The pages of a table or index, of one kind: `leaf`, `internal` or `overflow`.
  func pages(of object: String, _ kind: String) -> [Int] {
    pages.filter { $0.object == object && $0.kind == kind }.map(\.number)
  }

  /// The root of a table or index.
  func root(of object: String) throws -> Int {
    try #require(pages.first { $0.object == object }).number
  }

  /// The same with some damage.
  func with(_ damage: Damage) -> Specimen {
    var copy = self
    copy.bytes = damage.applied(to: bytes, pageSize: Self.pageSize)
    return copy
  }

  /// The findings of a code.
  func said(_ code: FindingCode) -> [Finding] {
    Survey(main: bytes).findings.filter { $0.code == code }
  }
}

extension CheckedTree {
  /// A table `t` with its root on page 2, with some faults.
  static func table(
    loss: Loss = .none, areMisplacedRowsProven: Bool = false, _ faults: (inout TreeSurvey) -> Void
  ) -> CheckedTree {
    var tree = TreeSurvey(
      SchemaEntry(
        kind: .table, name: "t", table: "t", root: PageNumber(2), sql: "CREATE TABLE t (a)"),
      root: PageNumber(2), isRowIDTable: true)
    tree.pages = 3
    faults(&tree)
    return CheckedTree(
      tree: tree, survey: Survey(main: []), areMisplacedRowsProven: areMisplacedRowsProven,
      loss: loss)
  }
}
