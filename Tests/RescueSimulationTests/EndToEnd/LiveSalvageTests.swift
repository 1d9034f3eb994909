// SPDX-License-Identifier: Apache-2.0
// Salvage of a database that is written to while it is read.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct LiveSalvageTests {
  private let scratch: ScratchFolder
  private let file: FilePath

  init() throws {
    scratch = try ScratchFolder()
    file = scratch["app.db"]
  }

  private func build(_ journal: DatabaseBuilder.JournalMode) throws {
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
    try DatabaseBuilder(
      pageSize: 1024, journal: journal,
      [
        "CREATE TABLE a (v, x)", "CREATE TABLE b (v, x)",
        "\(rows) INSERT INTO a SELECT 0, hex(zeroblob(100)) FROM n",
        "INSERT INTO b SELECT * FROM a",
      ]
    ).build(at: file)
  }

  /// The library, with somebody who writes to both tables, so many times, while it reads.
  private func rescue(writes: Int) -> Rescue {
    let left = Mutex(writes)
    let file = file
    return Rescue(
      world: World(
        environment: [
          "DBRESCUE_LOG": scratch["log"].description, "TMPDIR": scratch.path.description,
        ],
        progress: { progress in
          guard case .advanced = progress else { return }
          left.withLock { left in
            guard left > 0, let connection = try? Connection(file, mode: .app) else { return }
            left -= 1
            try? connection.execute(
              "BEGIN IMMEDIATE; UPDATE a SET v = v + 1; UPDATE b SET v = v - 1; COMMIT")
          }
        }))
  }

  @Test(arguments: [DatabaseBuilder.JournalMode.delete, .wal], [3, 40])
  func `a salvage holds one moment of a database at work`(
    _ journal: DatabaseBuilder.JournalMode, writes: Int
  ) throws {
    try build(journal)
    let output = scratch["new.db"]
    let result = try rescue(writes: writes).salvage(
      InputFiles(file, storage: SystemStorage()), to: output)
    #expect(result.value.isComplete)
    let oracle = try Oracle(output)
    #expect(try oracle.count(of: "a") == 900 && oracle.count(of: "b") == 900)
    #expect(
      try oracle.value("SELECT count(DISTINCT v) FROM (SELECT v FROM a UNION ALL SELECT -v FROM b)")
        == .integer(1))
  }

  /// An app amid a transaction that does not fit into its cache: half of it is in the file.
  private func appAmidTransaction(_ journal: String) throws -> Connection {
    let app = try Connection(file, mode: .app)
    try app.execute(
      "PRAGMA journal_mode = \(journal); PRAGMA cache_size = 10; BEGIN IMMEDIATE; "
        + "UPDATE a SET v = v + 1; UPDATE b SET v = v - 1")
    return app
  }

  @Test func `a journal that came since the files were looked for is read, too`() throws {
    try build(.delete)
    let input = try InputFiles(file, storage: SystemStorage())
    let app = try appAmidTransaction("DELETE")
    let output = scratch["new.db"]
    let result = try withExtendedLifetime(app) {
      try rescue(writes: 0).salvage(input, to: output)
    }
    #expect(result.value.isComplete)
    let states = try Oracle(output).value(
      "SELECT count(DISTINCT v) FROM (SELECT v FROM a UNION ALL SELECT -v FROM b)")
    #expect(states == .integer(1))
  }

  @Test func `half a transaction whose journal nobody sees is no moment`() throws {
    try build(.delete)
    let app = try appAmidTransaction("MEMORY")
    let session = try Session()
    let output = session["new.db"]
    let outcome = try session.run("salvage", file.description, "--output", output.description)
    #expect(outcome.status == 75, "\(outcome)")
    #expect(try !output.exists)
    try app.execute("COMMIT")
    let again = try session.run("salvage", file.description, "--output", output.description)
    #expect(again.status == 0, "\(again)")
    #expect(try Oracle(output).value("SELECT count(DISTINCT v) FROM a") == .integer(1))
  }

  /// A frame whose checksum does not hold, and the same as it was.
  private func torn(_ frame: Bytes) -> Bytes {
    var half = frame
    half[500] ^= 1
    return half + frame
  }

  @Test func `a frame that is written by half when the log is copied is no doubtful row`() throws {
    let log = file.adding(suffix: "-wal")
    try build(.wal)
    let writer = try Connection(file, mode: .app)
    try writer.execute("UPDATE a SET v = v + 1; UPDATE b SET v = v - 1")
    let whole = try log.contents()
    let tail = torn(Bytes(whole.suffix(1024 + 24)))
    // Half a transaction is there when the first copy is made, and is gone with the second.
    let hasBegun = Atomic(false)
    let copies = Atomic(0)
    let folder = scratch.path
    let world = World(
      storage: CrampedStorage { path in
        if path != folder, let file = try? SystemStorage().open(log, .readWrite) {
          switch copies.add(1, ordering: .relaxed).newValue {
          case 1: try? file.write(tail, at: whole.count)
          case 2: try? file.truncate(to: whole.count)
          default: break
          }
        }
        return 1 << 30
      },
      environment: ["TMPDIR": scratch.path.description],
      progress: { _ in
        guard !hasBegun.exchange(true, ordering: .relaxed) else { return }
        try? SystemStorage().open(log, .readWrite).write(Bytes(whole.prefix(4)), at: 0)
      })
    let output = scratch["new.db"]
    let result = try Rescue(world: world).salvage(
      InputFiles(file, storage: world.storage), to: output)
    #expect(copies.load(ordering: .relaxed) == 2)
    #expect(result.value.isComplete)
    #expect(try Oracle(output).count(of: "a") == 900)
  }
}
