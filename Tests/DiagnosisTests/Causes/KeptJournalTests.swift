// SPDX-License-Identifier: Apache-2.0
// Files that are older than the journal that is kept beside them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct KeptJournalTests {
  private static let steps: [DatabaseBuilder.Step] = [
    "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
    """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
    INSERT INTO t SELECT i, 'the name of row ' || i FROM n
    """,
  ]

  /// What is said of a database beside the journal that `writes` have left, each a transaction.
  private func causes(isPutBack: Bool, _ writes: String...) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder(Self.steps).build(at: path)
    let old = try path.contents()
    do {
      let connection = try Connection(path, mode: .app)
      try connection.execute("PRAGMA journal_mode = PERSIST")
      for write in writes { try connection.execute(write) }
    }
    if isPutBack { try path.replaceContents(with: old) }
    return try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
  }

  private static let writes = [
    "INSERT INTO t (name) VALUES ('a')", "UPDATE t SET name = 'b' WHERE id % 300 = 7",
    "INSERT INTO t (name) VALUES ('c')",
  ]

  @Test func `a file that is older than its journal was put back`() throws {
    let answer = try causes(isPutBack: true, Self.writes[0], Self.writes[0], Self.writes[1])
    #expect(answer.leading?.kind == .putBack)
    #expect(answer.leading?.happened.contains("journal that is kept") == true)
  }

  @Test func `a file that went on from its journal was not`() throws {
    #expect(try causes(isPutBack: false, Self.writes[0], Self.writes[1]).causes.isEmpty)
  }
}
