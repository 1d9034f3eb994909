// SPDX-License-Identifier: Apache-2.0
// The actions that change something, as rows of a table: a new one is a new row.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// One action, what it starts from, and what it must leave.
struct Action: Sendable, CustomStringConvertible {
  let description: String
  /// What lies there before.
  let prepare: @Sendable (Stage) throws -> Void
  /// What is done, and done again after a crash.
  let act: @Sendable (Rescue, Stage) throws -> Void
  /// The same as a command line; nil where the command has none.
  var commandLine: (@Sendable (Stage) throws -> [String])?
  /// What it makes beside the database.
  var makes: Set<FilePath> = []
  /// Whether what it cannot read is lost, and said to be, rather than an end.
  var savesWhatItCan = false
  /// Whether what was before is in a backup afterwards, and not in quarantine.
  var isMigration = false

  /// The end of a migration that failed, and has left what was before.
  struct NotKept: Error {}

  // MARK: The table

  static let all: [Action] = [
    backUp("rollback journal", .delete), backUp("WAL", .wal),
    restore("rollback journal", .delete), restore("WAL", .wal),
    restoreDamaged("WAL beside it", .wal), restoreDamaged("hot journal beside it", .delete),
    restoreToNewFile, reset, salvageToNewFile, salvageInPlace(by: .salvage),
    salvageInPlace(by: .salvageWithBackup), merge,
    guarded, guarded("rollback journal", .delete), guarded("WAL", .wal),
    guarded("rollback journal, which becomes a WAL", .delete, as: .wal),
    migrate("rollback journal", .delete), migrate("WAL", .wal),
    migrate("rollback journal, each file its own transaction", .delete, .each),
    migrateInVain("the second file fails, each its own transaction", .delete, .each),
    migrateInVain("half of a table is gone", .delete, .one), undo, undoDamaged,
    prune, appendToLog,
  ]

  private static func backUp(_ name: String, _ journal: DatabaseBuilder.JournalMode) -> Action {
    Action(
      description: "backup, \(name)",
      prepare: { stage in
        try build(stage, journal, leaving: journal == .wal)
        guard journal == .delete else { return }
        let connection = try Connection(stage.database, mode: .readWrite, schemaBy: .us)
        try connection.execute("PRAGMA secure_delete = 0; DELETE FROM notes WHERE id > 10")
      },
      act: { rescue, stage in
        var options = BackupWriter.Options()
        options.level = 1
        _ = try rescue.backUp(stage.database, options: options)
      },
      commandLine: { ["backup", $0.database.description, "--level", "1"] })
  }

  private static func restore(_ name: String, _ journal: DatabaseBuilder.JournalMode) -> Action {
    Action(
      description: "restore from within, \(name)",
      prepare: { stage in
        try build(stage, journal)
        try backUp(stage)
        try change(stage.database)
      },
      act: putBack,
      commandLine: { ["restore", $0.database.description, "--yes"] })
  }

  private static func restoreDamaged(
    _ name: String, _ journal: DatabaseBuilder.JournalMode
  ) -> Action {
    Action(
      description: "restore by moving files, \(name)",
      prepare: { stage in
        try build(stage, .delete)
        try backUp(stage)
        let later: [DatabaseBuilder.Step] = [
          "UPDATE notes SET body = body || ' later' WHERE id < 20"
        ]
        try (journal == .wal ? Leftover.wal(later) : .hotJournal(later)).leave(at: stage.database)
        try damage(stage.database)
      },
      act: putBack,
      commandLine: { ["restore", $0.database.description, "--yes"] })
  }

  private static let restoreToNewFile = Action(
    description: "restore to a new file",
    prepare: { stage in
      try build(stage, .wal)
      try backUp(stage)
    },
    act: { rescue, stage in
      guard let backup = try Vault(of: stage.database).latest() else { throw NoBackup() }
      try SystemStorage().remove(stage.output)
      _ = try rescue.restore(backup, toNewFile: stage.output)
    },
    makes: ["new.db"])

  private static let reset = Action(
    description: "reset",
    prepare: { try build($0, .delete) },
    act: { rescue, stage in
      _ = try rescue.recover(
        .reset, stage.database, contract: contract(),
        choose: { examination, _ throws(RescueError) in examination.resetOption },
        approve: { _ throws(RescueError) in })
    },
    commandLine: { stage in
      let schema = stage.root.appending("log/schema.sql")
      let script = Self.schema + ["PRAGMA user_version = 3;"]
      try schema.replaceContents(with: Bytes(script.joined(separator: ";\n").utf8))
      return [
        "reset", stage.database.description, "--schema", schema.description, "--yes", "--confirm",
        "app.db",
      ]
    })

  private static let salvageToNewFile = Action(
    description: "salvage to a new file",
    prepare: { stage in
      try build(stage, .delete)
      try damage(stage.database)
    },
    act: { rescue, stage in
      let input = try InputFiles(stage.database, storage: rescue.world.storage)
      _ = try rescue.salvage(input, to: stage.output, replacing: true)
    },
    commandLine: {
      [
        "salvage", $0.database.description, "--output", $0.output.description, "--force",
      ]
    },
    makes: ["new.db", "new.db.quarantine.db"], savesWhatItCan: true)

  private static func salvageInPlace(by kind: RecoveryOption.Kind) -> Action {
    Action(
      description: "\(kind.rawValue) in place",
      prepare: { stage in
        try build(stage, .delete)
        if kind == .salvageWithBackup {
          try backUp(stage)
          try change(stage.database)
        }
        // What is left of a page would be read.
        try damage(stage.database, byteCount: kind == .salvage ? 40 : 1024)
      },
      act: { rescue, stage in
        _ = try rescue.recover(
          .recover, stage.database,
          choose: { examination, options throws(RescueError) in
            // Done again, there may be nothing left to do.
            guard let option = options.first(where: { [kind, .nothing].contains($0.kind) }) else {
              throw RescueError(.invalidInput, "'\(kind.rawValue)' is not possible here")
            }
            return option
          },
          approve: { _ throws(RescueError) in })
      },
      commandLine: { ["recover", $0.database.description, "--choose", kind.rawValue, "--yes"] },
      savesWhatItCan: true)
  }

  private static let merge = Action(
    description: "merge of a damaged database with an older one",
    prepare: { stage in
      try build(stage, .delete)
      try older(stage).replaceContents(with: stage.database.contents())
      try change(stage.database)
      try damage(stage.database)
    },
    act: { rescue, stage in
      _ = try rescue.merge([older(stage), stage.database], to: stage.output, replacing: true)
    },
    commandLine: {
      [
        "merge", older($0).description, $0.database.description, "--output",
        $0.output.description, "--force",
      ]
    },
    makes: ["new.db", "new.db.quarantine.db"], savesWhatItCan: true)

  private static func older(_ stage: Stage) -> FilePath { stage.root.appending("log/older.db") }

  private static let guarded = Action(
    description: "guard of a migration that changes nothing",
    prepare: { try build($0, .delete) },
    act: { rescue, stage in
      _ = try rescue.guardMigration(
        of: stage.database, command: ["/bin/false"],
        onFailure: { _ throws(RescueError) in .restore })
    },
    commandLine: {
      ["guard", $0.database.description, "--on-failure", "restore", "--", "/bin/false"]
    })

  private static func guarded(
    _ name: String, _ journal: DatabaseBuilder.JournalMode,
    as other: DatabaseBuilder.JournalMode? = nil
  ) -> Action {
    Action(
      description: "guard of a migration that fails, \(name)",
      prepare: { try build($0, journal) },
      act: { rescue, stage in
        // Who finds a migration that was cut off goes back to before it, and tries again.
        if rescue.cutOffMigration(of: stage.database) != nil { try putBack(rescue, stage) }
        _ = try rescue.guardMigration(
          of: stage.database, named: "test", onFailure: { _ throws(RescueError) in .restore }
        ) { database in
          do {
            let connection = try Connection(database, mode: .readWrite, schemaBy: .us)
            if let other { try connection.execute("PRAGMA journal_mode = \(other.rawValue)") }
            try connection.execute("DELETE FROM outbox WHERE id < 20; UPDATE notes SET body = ''")
          } catch {}
          return .exited(1)
        }
      })
  }

  private static func migrate(
    _ name: String, _ journal: DatabaseBuilder.JournalMode,
    _ transactions: MigrationTransactions = .one
  ) -> Action {
    Action(
      description: "migrate, \(name)",
      prepare: { stage in
        try build(stage, journal)
        try write(
          [
            "0004_rebuild.sql": """
            CREATE TABLE new_notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL, tag TEXT);
            INSERT INTO new_notes (id, body) SELECT id, body FROM notes;
            DROP TABLE notes;
            ALTER TABLE new_notes RENAME TO notes;
            """,
            "0005_index.sql": "CREATE INDEX notes_tag ON notes (tag)",
          ], on: stage)
      },
      act: { rescue, stage in
        // Who finds a migration that was cut off goes back to before it, and tries again.
        if rescue.cutOffMigration(of: stage.database) != nil { try putBack(rescue, stage) }
        let report = try migrated(rescue, stage, transactions)
        guard report.exitStatus == 0 else { throw NotKept() }
      },
      commandLine: { stage in
        [
          "migrate", stage.database.description, "--migrations", migrations(stage).description,
          "--on-failure", "restore", "--transactions", transactions.rawValue,
        ]
      },
      isMigration: true)
  }

  private static func migrateInVain(
    _ name: String, _ journal: DatabaseBuilder.JournalMode, _ transactions: MigrationTransactions
  ) -> Action {
    let last = transactions == .each ? "DROP TABLE none" : "DELETE FROM notes WHERE id % 2"
    return Action(
      description: "migrate in vain, \(name)",
      prepare: { stage in
        try build(stage, journal)
        try write(
          ["0004_tag.sql": "ALTER TABLE notes ADD tag TEXT", "0005_last.sql": last], on: stage)
      },
      act: { rescue, stage in
        if rescue.cutOffMigration(of: stage.database) != nil { try putBack(rescue, stage) }
        _ = try migrated(rescue, stage, transactions)
      },
      commandLine: { stage in
        [
          "migrate", stage.database.description, "--migrations", migrations(stage).description,
          "--on-failure", "restore", "--transactions", transactions.rawValue,
        ]
      })
  }

  private static func migrated(
    _ rescue: Rescue, _ stage: Stage, _ transactions: MigrationTransactions
  ) throws -> MigrationReport {
    var options = MigrationOptions()
    options.transactions = transactions
    return try rescue.migrate(
      stage.database, with: MigrationFolder(migrations(stage), world: rescue.world),
      options: options, onFailure: { _ throws(RescueError) in .restore }
    ).value
  }

  private static func migrations(_ stage: Stage) -> FilePath {
    stage.root.appending("log/migrations")
  }

  private static func write(_ files: [FilePath: String], on stage: Stage) throws {
    try SystemStorage().createFolder(migrations(stage))
    for (name, sql) in files {
      try migrations(stage).appending(name).replaceContents(with: Bytes(sql.utf8))
    }
  }

  private static let undo = Action(
    description: "undo of a reset",
    prepare: { stage in
      try build(stage, .delete)
      try reset.act(stage.rescue(seed: 7), stage)
    },
    act: undoFirst, commandLine: undoLine)

  private static let undoDamaged = Action(
    description: "undo of a restore that moved files",
    prepare: { stage in
      let before = restoreDamaged("", .wal)
      try before.prepare(stage)
      try before.act(stage.rescue(seed: 7), stage)
    },
    act: undoFirst, commandLine: undoLine)

  private static let prune = Action(
    description: "prune of two backups of three",
    prepare: { stage in
      try build(stage, .delete)
      for seed in [3, 5, 7] as [UInt64] {
        _ = try stage.rescue(seed: seed).backUp(stage.database)
      }
    },
    act: { rescue, stage in
      _ = try rescue.prune(
        Vault(of: stage.database, in: rescue.world.storage),
        keeping: Retention(last: 1, daily: 0, weekly: 0), of: stage.database,
        approve: { _ throws(RescueError) in })
    },
    commandLine: { stage in
      [
        "vault", "prune", stage.database.description, "--keep-last", "1", "--keep-daily", "0",
        "--keep-weekly", "0", "--yes",
      ]
    })

  private static let appendToLog = Action(
    description: "log append",
    prepare: { try build($0, .delete) },
    act: { rescue, stage in
      _ = try rescue.check(InputFiles(stage.database, storage: rescue.world.storage))
    },
    commandLine: { ["check", $0.database.description] })

  // MARK: What they share

  private struct NoBackup: Error {}

  private static let schema = [
    "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
    "CREATE TABLE outbox (id INTEGER PRIMARY KEY, note INTEGER, status TEXT DEFAULT 'pending')",
    "CREATE INDEX outbox_status ON outbox (status)",
  ]

  private static func contract() -> Contract {
    Contract(
      name: "notes", userVersion: 3, freshSchema: schema,
      unsynced: [
        Contract.UnsyncedEntry(name: "outbox", table: "outbox", predicate: "status = 'pending'")
      ])
  }

  private static func build(
    _ stage: Stage, _ journal: DatabaseBuilder.JournalMode, leaving: Bool = false
  ) throws {
    try stage.makeFolders()
    let rows = "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
    try DatabaseBuilder(
      pageSize: 1024, journal: journal,
      schema.map { DatabaseBuilder.Step(stringLiteral: $0) } + [
        "PRAGMA user_version = 3",
        DatabaseBuilder.Step(
          stringLiteral: "\(rows) INSERT INTO notes SELECT i, 'note ' || i || hex(zeroblob(60)) "
            + "FROM n"),
        DatabaseBuilder.Step(
          stringLiteral: "\(rows) INSERT INTO outbox (note, status) SELECT i, "
            + "CASE i % 9 WHEN 0 THEN 'pending' ELSE 'sent' END FROM n"),
      ],
      leftover: leaving ? .wal(["DELETE FROM notes WHERE id = 7"]) : .nothing
    ).build(at: stage.database)
  }

  private static func backUp(_ stage: Stage) throws {
    _ = try stage.rescue(seed: 3).backUp(stage.database)
  }

  /// What the app goes on to do after the backup.
  private static func change(_ database: FilePath) throws {
    let connection = try Connection(database, mode: .readWrite, schemaBy: .us)
    try connection.execute(
      "UPDATE notes SET body = 'changed ' || id WHERE id % 3 = 0; DELETE FROM outbox WHERE id < 5")
  }

  /// Spoils the start of a leaf of the table, so that SQLite reports damage.
  private static func damage(_ database: FilePath, byteCount: Int = 40) throws {
    let journals = FilePath.journalSuffixes.map { database.adding(suffix: $0) }
    let beside = try journals.map { try $0.exists ? $0.contents() : nil }
    let page = try Oracle(database).pages.last { $0.object == "notes" && $0.kind == "leaf" }
    guard let page else { throw UnfitFixture("no leaf") }
    var bytes = try database.contents()
    let start = (page.number - 1) * 1024
    for index in start..<(start + byteCount) { bytes[index] = 0xEE }
    try database.replaceContents(with: bytes)
    for (path, content) in zip(journals, beside) {
      if let content { try path.replaceContents(with: content) }
    }
  }

  private static let putBack: @Sendable (Rescue, Stage) throws -> Void = { rescue, stage in
    guard let backup = try Vault(of: stage.database).latest() else { throw NoBackup() }
    _ = try rescue.recover(
      .restore, stage.database, backup: backup,
      choose: { _, options throws(RescueError) in
        guard let option = options.first(where: { $0.kind == .restore }) else {
          throw RescueError(.internal, "no option")
        }
        return option
      },
      approve: { _ throws(RescueError) in })
  }

  /// The code of the first run that displaced something.
  private static func firstCode(_ stage: Stage) throws -> SupportCode {
    let records = try RunLog(at: stage.log, in: World()).records().records
    let names = try SystemStorage().names(in: stage.rescueFolder.appending("quarantine"))
    guard let code = records.map(\.code).first(where: { names.contains(FilePath($0.description)) })
    else { throw NoBackup() }
    return code
  }

  private static let undoFirst: @Sendable (Rescue, Stage) throws -> Void = { rescue, stage in
    _ = try rescue.undo(firstCode(stage), of: stage.database)
  }

  private static let undoLine: @Sendable (Stage) throws -> [String] = { stage in
    ["undo", try firstCode(stage).description, stage.database.description, "--yes"]
  }
}
