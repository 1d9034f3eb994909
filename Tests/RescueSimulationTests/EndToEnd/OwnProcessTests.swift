// SPDX-License-Identifier: Apache-2.0
// The library in a process that has the database open itself.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct OwnProcessTests {
  private let session: Session
  private let file: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
  }

  private var rescue: Rescue {
    Rescue(
      world: World(environment: [
        "DBRESCUE_LOG": session["log"].description, "TMPDIR": file.folder.description,
      ]))
  }

  /// Whether another process sees a lock on the database.
  private func isLockedForOthers() throws -> Bool {
    try session.run("backup", file.description, "--wait", "0").status == 75
  }

  @Test func `what is read does not take the locks of the app's own connection away`() throws {
    let connection = try Connection(file, mode: .app)
    try connection.execute("BEGIN EXCLUSIVE; INSERT INTO t VALUES (2)")
    #expect(try isLockedForOthers())
    let input = try InputFiles(file, storage: SystemStorage())
    _ = try rescue.check(input)
    #expect(try isLockedForOthers(), "after a check")
    _ = try rescue.diagnose(input)
    _ = try rescue.salvage(input, to: session["new.db"])
    #expect(try isLockedForOthers(), "after a salvage")
    var raw = BackupWriter.Options()
    raw.isRaw = true
    _ = try rescue.backUp(file, options: raw)
    #expect(try isLockedForOthers(), "after a backup")
    try connection.execute("COMMIT")
    #expect(try !isLockedForOthers())
  }

  @Test func `a descriptor that could not be closed is when the app has closed its own`() throws {
    let storage = SystemStorage()
    do {
      let connection = try Connection(file, mode: .app)
      try connection.execute("BEGIN IMMEDIATE")
      for _ in 0..<20 { _ = try storage.open(file, .read).read(at: 0, count: 16) }
      #expect(openCount(of: file) <= 2, "one of the app, and one that is used again")
    }
    _ = try storage.open(file, .read).read(at: 0, count: 16)
    #expect(openCount(of: file) == 0)
  }

  /// How often this process has a file open.
  private func openCount(of path: FilePath) -> Int {
    let storage = SystemStorage()
    let identity = ((try? storage.status(of: path)) ?? nil)?.identity
    let names = (try? storage.names(in: "/proc/self/fd")) ?? []
    return names.count { name in
      let status = (try? storage.status(of: FilePath("/proc/self/fd").appending(name))) ?? nil
      return status?.identity == identity
    }
  }

  @Test func `a database that the app has open is not replaced under it`() throws {
    let connection = try Connection(file, mode: .app)
    _ = try connection.value("SELECT count(*) FROM t")
    #expect(try SystemStorage().lockDatabase(file) == nil)
    try connection.execute("INSERT INTO t VALUES (3)")
  }
}
