// SPDX-License-Identifier: Apache-2.0
// A database compared with a backup by what its manifest says: the same is said as after reading all
// of it, and what is the same is not read.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct ManifestComparisonTests {
  private let scratch: ScratchFolder
  private let database: FilePath

  init() throws {
    scratch = try ScratchFolder()
    database = scratch["app.db"]
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE TABLE line (body TEXT, n INTEGER)",
        "CREATE TABLE word (word TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID",
        "CREATE INDEX bodies ON note (body)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 800)
        INSERT INTO note SELECT i, CASE WHEN i % 50 THEN 'note ' || i ELSE hex(zeroblob(1500)) END FROM n
        """,
        "INSERT INTO line SELECT body, id FROM note WHERE id % 50",
        "INSERT INTO word SELECT 'word ' || id, id FROM note",
      ]
    ).build(at: database)
  }

  private var rescue: Rescue {
    Rescue(world: World(environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]))
  }

  /// What happened to the database since, and whether the manifest is enough to tell.
  static let changes: [(sql: String, isTold: Bool)] = [
    ("SELECT 1", true), ("INSERT INTO note VALUES (9000, 'new')", true),
    ("DELETE FROM note WHERE id BETWEEN 100 AND 300", true),
    ("UPDATE note SET body = 'other' WHERE id % 97 = 0", true),
    // The same length: its leaf may stay as it is, and what differs lies on overflow pages.
    ("UPDATE note SET body = substr(body, 1, 2900) || 'x' || substr(body, 2902) WHERE id=50", true),
    ("DELETE FROM line WHERE n < 40; INSERT INTO line VALUES ('note 1', 1), ('a', 2)", true),
    ("DELETE FROM line WHERE n % 3 = 0; VACUUM", true),
    ("CREATE TABLE more (a); INSERT INTO more VALUES (1), (2); DROP TABLE line", true),
    ("UPDATE word SET n = 0 WHERE n = 5", false),
    ("ALTER TABLE note ADD COLUMN due TEXT", false),
  ]

  @Test(arguments: changes)
  func `it says what reading all of the backup says`(_ sql: String, _ isTold: Bool) throws {
    let backup = try rescue.backUp(database).value
    try Connection(database, mode: .app).execute(sql)
    let current = try rescue.check(InputFiles(database)).value.reconstruction
    let other = try rescue.world.reconstruct(FileSet(main: BackupReader(backup.path).pages()))
    let comparison = try #require(ManifestComparison(current))
    let found = try comparison.comparison(with: backup) { () throws(RescueError) in
      try BackupReader(backup.path).pages()
    }
    #expect((found != nil) == isTold)
    if let found { #expect(try found == current.compare(with: other)) }
  }

  @Test func `of a backup of the same rows nothing is read`() throws {
    let backup = try rescue.backUp(database).value
    try Connection(database, mode: .app).execute("VACUUM")
    let current = try rescue.check(InputFiles(database)).value.reconstruction
    let comparison = try #require(ManifestComparison(current))
    let found = try #require(
      try comparison.comparison(with: backup) { () throws(RescueError) in
        throw RescueError(.internal, "nothing of it need be read")
      })
    #expect(found.map(\.same) == [784, 800, 800])
    #expect(found.allSatisfy { $0.changed + $0.onlyCurrent + $0.onlyOther == 0 })
  }

  @Test func `a database that is not sound is read in full`() throws {
    var bytes = try database.contents()
    bytes.replaceSubrange(5 * 1024..<6 * 1024, with: Bytes(repeating: 0, count: 1024))
    try database.replaceContents(with: bytes)
    let current = try rescue.check(InputFiles(database)).value.reconstruction
    #expect(ManifestComparison(current) == nil)
  }
}
