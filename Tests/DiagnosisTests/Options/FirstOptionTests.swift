// SPDX-License-Identifier: Apache-2.0
// What is offered first where the database has to be got at before anything is done to it.

import DatabaseRescue
import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct FirstOptionTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
  }

  private func options(_ examination: Examination) -> [String] {
    examination.options(backups: [], hasFreshSchema: false).map(\.summary)
  }

  @Test func `text of a database says how it is turned back`() throws {
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try scratch["text"].replaceContents(with: Bytes(Data(bytes).base64EncodedString().utf8))
    let found = try Rescue(world: World(environment: [:])).check(InputFiles(scratch["text"])).value
    #expect(options(found).first?.contains("base64 -d FILE > NEW") == true)
  }

  @Test func `a log that is not the file's is moved away first`() throws {
    let path = scratch["app.db"]
    try DatabaseBuilder(["CREATE TABLE own (a)", "INSERT INTO own VALUES (1), (2)"]).build(at: path)
    let donor = scratch["donor.db"]
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE other (a)"], leftover: .wal(["CREATE TABLE more (b)"])
    ).build(at: donor)
    let log = try donor.adding(suffix: "-wal").contents()
    let found = try Examination(Reconstruction(Survey(main: try path.contents(), wal: log)))
    #expect(found.causes.leading?.kind == .foreignLog)
    #expect(options(found).first?.contains("mv FILE-wal FILE-wal.set-aside") == true)
  }

  @Test func `a sound database in an archive is unpacked first`() throws {
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    var use = LiveUse()
    use.packing = Packing(kind: .gzip, archive: "app.db", member: "app.db", damage: nil)
    let found = try Examination(Reconstruction(Survey(main: bytes)), use: use)
    #expect(
      options(found) == [
        "the database is sound, but lies in a gzip archive: unpack it first"
      ])
    #expect(found.meaning == "the structure is sound, but it lies in a gzip archive")
  }

  /// A database of which some pages lie in its log alone.
  private func withLog(at path: FilePath) throws {
    try DatabaseBuilder(
      journal: .wal,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO t SELECT i, 'the name of row ' || i FROM n
        """,
      ], leftover: .wal(["INSERT INTO t VALUES (1000, 'new')"])
    ).build(at: path)
  }

  @Test(arguments: [0, 8192]) func `a file that was emptied without its log is not cut off`(
    _ zeros: Int
  ) throws {
    let path = scratch["app.db"]
    try withLog(at: path)
    try path.replaceContents(with: Bytes(repeating: 0, count: zeros))
    let answer = try Rescue(world: World(environment: [:])).check(InputFiles(path)).value.causes
    #expect(answer.causes.map(\.kind) == [.emptied])
    #expect(answer.leading?.now.contains("Salvage reads what the log holds") == true)
  }

  @Test func `a log without its database is told of`() throws {
    let path = scratch["app.db"]
    try withLog(at: path)
    try SystemStorage().remove(path)
    let error = #expect(throws: RescueError.self) { _ = try InputFiles(path) }
    #expect(error?.message.contains("its log 'app.db-wal' is there") == true)
  }
}
