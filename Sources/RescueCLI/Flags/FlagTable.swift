// SPDX-License-Identifier: Apache-2.0
// The table of flags. Everything that is said about a flag anywhere is said here.

import DatabaseRescue

extension Flag {
  // Flags of every command.
  static let quiet = Flag("quiet", "q", help: "print the result and errors only")
  static let verbose = Flag("verbose", "v", help: "say more about what is done and found")
  static let json = Flag("json", help: "print the result, or the error, as one JSON document")
  static let color = Flag(
    "color", nil, .choice(ColorChoice.allCases.map(\.rawValue)),
    defaultValue: ColorChoice.auto.rawValue, help: "when to use colours")
  static let noColor = Flag("no-color", help: "the same as --color never")
  static let noProgress = Flag("no-progress", help: "do not draw progress on the terminal")
  static let help = Flag("help", "h", help: "explain the command: -h in short, --help in full")
  static let version = Flag("version", help: "print the version")

  /// The flags that every command takes.
  static let global = [quiet, verbose, json, color, noColor, noProgress, help, version]

  // What is looked at.
  static let contract = Flag(
    "contract", nil, .file("CONTRACT"), help: "what the app expects of the database")
  static let wal = Flag(
    "wal", nil, .file("PATH"), help: "the write-ahead log, where it does not lie at FILE-wal")
  static let journal = Flag(
    "journal", nil, .file("PATH"),
    help: "the rollback journal, where it does not lie at FILE-journal")
  static let fromProcess = Flag(
    "from-process", nil, .number("PID", 1...Int(Int32.max)),
    help: "read what this process has of FILE open, also where it was deleted or moved away")
  static let offset = Flag(
    "offset", nil, .number("BYTE", 0...(1 << 48)),
    help: "where in FILE the database begins, if other things stand before it")
  static let length = Flag(
    "length", nil, .number("BYTES", 1...(1 << 48)),
    help: "how many bytes the database at --offset has, if other things follow")
  static let maxSize = Flag(
    "max-size", nil, .number("MIB", 1...(1 << 30)), defaultValue: "1024",
    help: "how many MiB are read of an input that is a pipe or an archive")
  static let advice = Flag(
    "advice", help: "say also what is slow or at risk in a database with which nothing is wrong")
  static let maxOutput = Flag(
    "max-output", nil, .number("MIB", 1...(1 << 30)),
    help: "how large the new database may become, if not twice as large as the input and 1 MiB")
  static let schema = Flag(
    "schema", nil, .file("CONTRACT|SQL|DB"),
    help: "the schema of the new database: a contract, an SQL script or a healthy database")
  static let last = Flag(
    "last", nil, .number("N", 1...100_000), defaultValue: "20", help: "how many runs to list")

  // Backups.
  static let vault = Flag(
    "vault", nil, .folder("DIR"), help: "the folder of the backups, if not FILE.rescue/backups")
  static let level = Flag(
    "level", nil, .number("N", 1...9), defaultValue: "1",
    help: "how hard to compress: 1 is fastest, 9 smallest")
  static let verify = Flag(
    "verify", nil, .choice(BackupWriter.Verification.allCases.map(\.rawValue)),
    defaultValue: BackupWriter.Verification.full.rawValue,
    help: "how the backup is proven: read back, or also restored on trial and checked by SQLite")
  static let recheckAfter = Flag(
    "recheck-after", nil, .number("DAYS", 0...36_500), defaultValue: "7",
    help: "after how many days all is checked again, also what has not changed; 0 is every time")
  static let maxLoss = Flag(
    "max-loss", nil, .number("PERCENT", 0...100),
    help: "refuse when a table has lost more of its rows than this since the last good backup")
  static let accept = Flag(
    "accept",
    help: "let the backup count although the database is older than the last one, or lost rows")
  static let from = Flag(
    "from", nil, .file("BACKUP|latest|CODE"), defaultValue: "latest",
    help: "the backup to use: a file, the newest verified one, or the one of a support code")
  static let keepLast = Flag(
    "keep-last", nil, .number("N", 1...100_000), defaultValue: "5",
    help: "keep the newest N backups")
  static let keepDaily = Flag(
    "keep-daily", nil, .number("N", 0...100_000), defaultValue: "7",
    help: "keep the newest backup of each of N days")
  static let keepWeekly = Flag(
    "keep-weekly", nil, .number("N", 0...100_000), defaultValue: "4",
    help: "keep the newest backup of each of N weeks")
  static let maxAge = Flag(
    "max-age", nil, .text("AGE"), defaultValue: "26h",
    help: "how old the last good backup may be: a number with m, h, d or w")
  static let prometheus = Flag(
    "prometheus", nil, .file("OUT"), isWritten: true,
    help: "write the result as metrics too, in the place of those that are there")
  static let ping = Flag(
    "ping", nil, .text("COMMAND"),
    help: "run this with {status} and {outcome} filled in, to tell somebody who waits")
  static let bestEffort = Flag(
    "best-effort", help: "extract what there is, with zeros for what is missing")

  static let mergedBackup = Flag(
    "backup", nil, .file("B"), isRepeatable: true,
    help: "take rows that FILE has lost from this backup, or from a database")

  // Merging.
  static let prefer = Flag(
    "prefer", nil, .choice(MergePolicy.Preference.allCases.map(\.rawValue)),
    defaultValue: MergePolicy.Preference.new.rawValue,
    help: "whose row stays of two with one key and other values, where nothing else decides")
  static let newerBy = Flag(
    "newer-by", nil, .text("[TABLE.]COLUMN"), isRepeatable: true,
    help: "let that row stay whose value in this column is the larger one, such as a time")
  static let renumber = Flag(
    "renumber", nil, .text("TABLE"), isRepeatable: true,
    help: "give older rows new keys where other rows have theirs; declared references follow")
  static let renumberAll = Flag(
    "renumber-all", help: "do so in every table with an integer key of its own")

  // Migrations.
  static let migrations = Flag(
    "migrations", nil, .folder("DIR"), help: "the folder of the numbered .sql files")
  static let to = Flag(
    "to", nil, .number("VERSION", 0...Int(Int32.max)),
    help: "the version to migrate to, if not that of the last file")
  static let transactions = Flag(
    "transactions", nil, .choice(MigrationTransactions.allCases.map(\.rawValue)),
    defaultValue: MigrationTransactions.one.rawValue,
    help: "one transaction for all files, or each its own: those before one that fails then stay")

  static let seed = Flag(
    "seed", nil, .number("N", 0...Int.max),
    help: "what the rows that are made up depend on; by chance if not given, and printed")
  static let junit = Flag(
    "junit", nil, .file("OUT", endings: [".xml"]), isWritten: true,
    help: "write the result for a build server too: JUnit's XML")

  // What is written.
  static let output = Flag("output", "o", .file("NEW"), isWritten: true, help: "the file to write")
  static let report = Flag(
    "report", nil, .file("OUT", endings: [".html", ".json", ".txt"]), isWritten: true,
    help: "write a report too: OUT ends in .html, .json or .txt")
  static let handOver = Flag(
    "hand-over", nil, .file("MESSAGE"), isWritten: true,
    help: "write a message for the user: what happened, what is back, what is not, what to do")
  static let force = Flag("force", "f", help: "replace OUT if it exists")

  // What is decided.
  static let yes = Flag("yes", "y", help: "do not ask before changing something")
  static let dryRun = Flag("dry-run", "n", help: "print what would be done, and change nothing")
  static let confirm = Flag(
    "confirm", nil, .file("NAME"),
    help: "the name of the database file, instead of typing it when asked")
  static let choose = Flag(
    "choose", nil, .text("OPTION"), help: "carry out this option of the diagnosis without asking")
  static let approve = Flag(
    "approve", nil, .text("STEP"), isRepeatable: true,
    help: "let this destructive step of the playbook run")
  static let set = Flag(
    "set", nil, .text("NAME=VALUE"), isRepeatable: true,
    help: "give a parameter of the playbook another value than its default")
  static let markdown = Flag("markdown", help: "print it as Markdown, for a wiki")
  static let onFailure = Flag(
    "on-failure", nil, .choice(FailurePolicy.allCases.map(\.rawValue)),
    help: "what to do when the migration failed; if not given, ask on a terminal and stop elsewhere"
  )
  static let wait = Flag(
    "wait", nil, .number("SECONDS", 0...86_400), defaultValue: "5",
    help: "how long to wait while another process holds the database")
  static let timeout = Flag(
    "timeout", nil, .number("SECONDS", 1...604_800),
    help: "stop COMMAND when it takes longer than this")

  static let commandOutput = Flag(
    "command-output", nil, .file("OUT"), isWritten: true,
    help: "write what COMMAND prints, both streams, to a file")

  /// The pairs of flags that contradict each other.
  static let conflicts = [
    Conflict(first: quiet, second: verbose, reason: "one asks for less and the other for more"),
    Conflict(first: color, second: noColor, reason: "both decide about colours"),
    Conflict(
      first: yes, second: dryRun, reason: "one lets something be changed and the other forbids it"),
  ]
}

/// When colours are used.
enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal that knows them, unless `NO_COLOR` is set.
  case auto
  /// Everywhere.
  case always
  /// Nowhere.
  case never
}

/// What `guard` does when the migration failed.
enum FailurePolicy: String, CaseIterable, Sendable {
  /// Asks somebody.
  case ask
  /// Brings the state before the migration back.
  case restore
  /// Leaves everything as it is and says so.
  case stop
}
