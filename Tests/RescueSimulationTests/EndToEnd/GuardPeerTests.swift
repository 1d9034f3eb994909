// SPDX-License-Identifier: Apache-2.0
// A migration under guard beside another program that writes: what that has committed is never put
// back, and what it has deleted is not the migration's doing.
#if os(Linux)
  import DatabaseRescue
  import RescueTestSupport
  import SQLiteFormat
  import Synchronization
  import Testing

  import class Foundation.Thread

  @Suite struct GuardPeerTests {
    static let journals: [DatabaseBuilder.JournalMode] = [.wal, .delete]

    let session: Session
    let file: FilePath
    init() throws {
      session = try Session()
      file = session["app.db"]
    }

    private func build(_ journal: DatabaseBuilder.JournalMode) throws {
      let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
      try DatabaseBuilder(
        journal: journal,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)",
          "CREATE TABLE lg (id INTEGER PRIMARY KEY, a)",
          "\(rows) INSERT INTO t SELECT i, i, 'text ' || i FROM n",
          "\(rows) INSERT INTO lg SELECT i, i FROM n",
        ]
      ).build(at: file)
    }

    /// Runs a command under guard that tells when it has begun, and goes on when `peer` has written,
    /// who has the database open before it and after it, and does `again` what is to go on.
    private func guarded(
      _ script: String, goingOn again: String? = nil,
      besides peer: @escaping @Sendable (borrowing Connection) -> Void
    ) throws -> Command.Outcome {
      let (file, begun, done) = (file, session["begun"], session["done"])
      let (isOpen, isOver, isClosed) = (Flag(), Flag(), Flag())
      @Sendable func share() {
        guard let connection = try? Connection(file, mode: .app) else { return }
        connection.wait(milliseconds: 20_000)
        _ = try? connection.value("SELECT count(*) FROM lg")
        isOpen.raise()
        while (try? begun.exists) != true { Thread.sleep(forTimeInterval: 0.01) }
        peer(connection)
        try? done.replaceContents(with: [])
        while !isOver.isRaised {
          if let again { try? connection.execute(again) }
          Thread.sleep(forTimeInterval: 0.02)
        }
      }
      Thread {
        share()
        isClosed.raise()
      }.start()
      while !isOpen.isRaised { Thread.sleep(forTimeInterval: 0.01) }
      defer {
        isOver.raise()
        // Who closes the database last takes its log away, which nobody must copy meanwhile.
        while !isClosed.isRaised { Thread.sleep(forTimeInterval: 0.01) }
      }
      return try session.run(
        "guard", file.description, "--on-failure", "restore", "--", "/bin/sh", "-c",
        "touch '\(begun)'; while [ ! -e '\(done)' ]; do sleep 0.05; done; \(script)")
    }

    /// What one thread tells another.
    private final class Flag: Sendable {
      private let value = Mutex(false)
      var isRaised: Bool { value.withLock { $0 } }
      func raise() { value.withLock { $0 = true } }
    }

    @Test(arguments: journals)
    func `a backup is not put back over what another program has committed`(
      _ journal: DatabaseBuilder.JournalMode
    ) throws {
      try build(journal)
      let outcome = try guarded("exit 3") { peer in
        try? peer.execute("INSERT INTO lg VALUES (5000, 'committed')")
      }
      #expect(outcome.status == 17, "\(outcome)")
      #expect(outcome.errorText.contains("the backup is not put back"), "\(outcome)")
      // Nobody was asked what to do: why it is refused is said all the same.
      #expect(outcome.errorText.contains("the migration failed:"), "\(outcome)")
      #expect(try Oracle(file).value("SELECT count(*) FROM lg WHERE id = 5000") == .integer(1))
    }

    @Test(arguments: journals)
    func `what another program deletes is not the migration's doing`(
      _ journal: DatabaseBuilder.JournalMode
    ) throws {
      try build(journal)
      let outcome = try guarded(
        "exit 0", goingOn: "DELETE FROM lg WHERE id = (SELECT min(id) FROM lg)"
      ) { peer in
        try? peer.execute("DELETE FROM lg WHERE id < 10")
      }
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.errorText.contains("another program writes to 'lg'"), "\(outcome)")
    }

    @Test(arguments: [
      "DELETE FROM t WHERE id < 500", "UPDATE t SET b = NULL WHERE id < 500",
      "UPDATE t SET b = '' WHERE b <> ''",
    ])
    func `what another program was not seen to take is the migration's doing`(
      _ wrong: String
    ) throws {
      try build(.wal)
      // The command does it through the other program's own connection, as it has no shell of SQLite.
      let outcome = try guarded("exit 0", goingOn: "UPDATE t SET a = a + 1 WHERE id = 700") {
        try? $0.execute(wrong)
      }
      #expect(outcome.status == 19, "\(outcome)")
      #expect(!outcome.errorText.contains("verified"), "\(outcome)")
    }
  }
#endif
