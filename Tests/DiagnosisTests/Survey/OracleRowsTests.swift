// SPDX-License-Identifier: Apache-2.0
// The main promise of the reader: on every healthy database it reads what SQLite reads.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct OracleRowsTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func expectSameAsSQLite(_ path: FilePath) throws {
    let survey = try Survey(path)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.verdict == .healthy)
    #expect(survey.faults == [], "\(survey.faults.map(\.message))")
  }

  @Test(arguments: Recipe.all)
  func `rows are SQLite's rows, and nothing is wrong`(_ recipe: Recipe) throws {
    try expectSameAsSQLite(recipe.build(in: scratch.path))
  }

  @Test(arguments: Recipe.all)
  func `every index holds the keys that its table implies`(_ recipe: Recipe) throws {
    let survey = try Survey(recipe.build(in: scratch.path))
    for table in survey.trees where table.entry.kind == .table {
      for (name, expected) in table.expectedKeys {
        let index = try #require(survey.tree(named: name))
        #expect(index.keys == expected, "\(name)")
      }
    }
  }

  @Test func `most indexes can be computed from their tables`() throws {
    let survey = try Survey(Recipe.named("indexes").build(in: scratch.path))
    let computed = try #require(survey.tree(named: "t")).expectedKeys.keys.sorted()
    #expect(computed == ["collated", "descending", "expression", "on_id", "only", "plain"])
    let keyed = try Survey(Recipe.named("without-rowid").build(in: scratch.path))
    #expect(try #require(keyed.tree(named: "two_keys")).expectedKeys.count == 1)
  }

  @Test(arguments: Layout.pairwise)
  func `every layout of the file is read`(_ layout: Layout) throws {
    let path = scratch["layout.db"]
    try layout.builder.build(at: path)
    try expectSameAsSQLite(path)
  }

  @Test(
    .enabled(
      if: SharedData.folder != nil, "\(SharedData.missing("the folder of real databases"))"),
    arguments: SharedDatabases.all)
  func `real databases from outside are read`(_ path: FilePath) throws {
    try expectSameAsSQLite(path)
  }

  @Test func `the shared databases are found where there are any`() {
    #expect(SharedData.folder == nil || SharedDatabases.all.count > 50)
  }

  @Test(arguments: [
    ("full-text", "USING fts5(", "USING ftsX("), ("rtree", "USING rtree(", "USING btree("),
    ("rtree", "nodeno INTEGER PRIMARY", "nodeno INTEGRE PRIMARY"),
    ("full-text", "'porter'", "'barber'"), ("indexes", "NOCASE", "NOCASX"),
    ("generated-columns", "(a || b)", "(a OR b)"),
  ])
  func `a schema that names the unknown costs no rows`(
    _ recipe: String, _ text: String, _ other: String
  ) throws {
    let path = try Recipe.named(recipe).build(in: scratch.path)
    try path.replaceContents(with: path.contents().replacing(text: text, with: other))
    let survey = try Survey(path)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.verdict != .damagedLossy, "\(survey.faults.map(\.message))")
  }
}

/// One way to lay out a database file.
struct Layout: Sendable, CustomStringConvertible {
  let pageSize: Int
  let encoding: TextEncoding
  let reservedBytes: Int
  let autoVacuum: DatabaseBuilder.AutoVacuum

  var description: String {
    "\(pageSize), \(encoding.name), \(reservedBytes) reserved, auto-vacuum \(autoVacuum.rawValue)"
  }

  /// Every two properties in every combination, and the largest reserve.
  static let pairwise: [Layout] =
    Geometry.pageSizes.indices.flatMap { size in
      TextEncoding.allCases.indices.map { encoding in
        Layout(
          pageSize: Geometry.pageSizes[size], encoding: TextEncoding.allCases[encoding],
          reservedBytes: [0, 8, 32][(size + 2 * encoding) % 3],
          autoVacuum: [.none, .full, .incremental][(size + encoding) % 3])
      }
    }
    + [1024, 4096, 65536].map { size in
      Layout(pageSize: size, encoding: .utf8, reservedBytes: 255, autoVacuum: .full)
    }

  /// A database of this layout with deep trees, overflow chains, free pages and indexes.
  var builder: DatabaseBuilder {
    let counter =
      "WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < 200)"
    // Every twentieth value needs a chain of several pages, whatever the page size.
    let long = "substr(hex(zeroblob(\(pageSize))), 1, iif(n % 20, n, n % 3 * \(pageSize * 4 / 5)))"
    return DatabaseBuilder(
      pageSize: pageSize, encoding: encoding, autoVacuum: autoVacuum, reservedBytes: reservedBytes,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b REAL)",
        "CREATE TABLE k (a TEXT, b INT, c TEXT, PRIMARY KEY (c, b)) WITHOUT ROWID",
        "CREATE INDEX t_a ON t (a)", "CREATE TABLE gone (x)",
        "\(counter) INSERT INTO t (a, b) SELECT \(long) || 'ä€🏋', n / 2.0 FROM counter",
        "\(counter) INSERT INTO k SELECT 'a' || n, n, \(long) FROM counter",
        "INSERT INTO gone SELECT zeroblob(3000) FROM t", "DROP TABLE gone",
        "DELETE FROM t WHERE id % 7 = 0", "UPDATE t SET a = 'short' WHERE id % 5 = 0",
      ])
  }
}

/// Healthy databases from outside the project.
enum SharedDatabases {
  static let all: [FilePath] = {
    let corpus =
      (SharedData.file("forensic-corpus-healthy").map { folder in
        names(in: folder).map { folder.appending(FilePath($0)) }
      } ?? []).flatMap { category in
        names(in: category).filter { $0.hasSuffix(".db") }.map { category.appending(FilePath($0)) }
      }
    let single = ["chinook.sqlite", "wal/version_history_test.sqlite"] as [FilePath]
    return corpus + single.compactMap { SharedData.file($0) }
  }()

  private static func names(in folder: FilePath) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.description)) ?? []).sorted()
  }
}
