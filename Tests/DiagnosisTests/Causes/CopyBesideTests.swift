// SPDX-License-Identifier: Apache-2.0
// Copies of a database that lie beside it: of another device, or newer than it.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct CopyBesideTests {
  /// What is said of a database beside a copy of it, after writes to each.
  private func causes(
    _ copy: FilePath, written: [String], here: [String]
  ) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO t SELECT i, 'the name of row ' || i FROM n
      """,
    ]).build(at: path)
    try scratch[copy].replaceContents(with: try path.contents())
    for (file, writes) in [(path, here), (scratch[copy], written)] {
      let connection = try Connection(file, mode: .app)
      for write in writes { try connection.execute(write) }
    }
    return try Rescue(world: World(environment: [:])).diagnose(InputFiles(path)).value.causes
  }

  private static let add = "INSERT INTO t (name) VALUES ('one')"
  private static let addOther = "INSERT INTO t (name) VALUES ('other')"
  static let conflict: FilePath = "app (conflicted copy 2024-05-01).db"

  @Test func `a conflict copy with rows of its own tells of two devices`() throws {
    let answer = try causes(Self.conflict, written: [Self.addOther], here: [Self.add])
    #expect(answer.leading?.kind == .severalWriters && answer.leading?.confidence == .likely)
    #expect(answer.leading?.now.contains("dbrescue merge") == true)
  }

  @Test(arguments: [([], []), ([], [add]), ([add], [])] as [([String], [String])])
  func `a conflict copy that one of the two has all of tells of nothing`(
    _ written: [String], _ here: [String]
  ) throws {
    #expect(try causes(Self.conflict, written: written, here: here).causes.isEmpty)
  }

  @Test func `a file with less than a newer copy beside it was put back`() throws {
    let answer = try causes("app.db.bak", written: [Self.add, Self.addOther], here: [])
    #expect(answer.leading?.kind == .putBack)
    #expect(answer.leading?.happened.contains("'app.db.bak'") == true)
  }

  @Test(
    arguments: [([], [add]), ([add, addOther], ["INSERT INTO t VALUES (2000, 'own')"])]
      as [([String], [String])])
  func `a file with rows that the copy has not was not`(
    _ written: [String], _ here: [String]
  ) throws {
    #expect(try causes("app.db.bak", written: written, here: here).causes.isEmpty)
  }
}
