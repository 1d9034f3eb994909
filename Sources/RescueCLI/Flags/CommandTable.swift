// SPDX-License-Identifier: Apache-2.0
// The table of commands, longer than other files. All that is said about a command is said here.

extension Command {
  /// Every command, in the order of the help.
  static let all: [Command] = [
    check, diagnose, explain,
    backup, vaultList, vaultStatus, vaultVerify, vaultPrune, vaultExtract, guarded, migrate,
    rehearse,
    contractCapture, contractImport, contractVerify, contractDiff,
    recover, restore, salvage, merge, reset, undo,
    playbookList, playbookShow, playbookValidate, playbookRun,
    logList, logShow,
    schema, help, completions, man,
  ]

  /// The command of a name.
  static func named(_ name: String) -> Command? { all.first { $0.name == name } }

  /// The commands whose first word is the one given, where that word alone is no command.
  static func group(_ word: String) -> [Command] {
    all.filter { $0.words.count > 1 && $0.words.first == word }
  }

  /// The words that a command line can start with, in the order of the help.
  static let firstWords: [String] = all.reduce(into: []) { words, command in
    if let word = command.words.first, words.last != word { words.append(word) }
  }

  /// What the commands of a group do, by the word that they share.
  static let groupSummaries = [
    "vault": "list, watch, prove, prune and extract the backups of a database",
    "contract": "capture, check and compare what an app expects of its database",
    "playbook": "list, read, validate and run playbooks",
    "log": "look up the runs of this machine",
  ]

  // Looking.

  static let check = Command(
    "check", .look, "say in one word what state a database is in",
    description: [
      """
      Reads the database with its -wal or -journal, and prints the verdict and what it rests on. \
      Made for scripts and for the start of an app: the exit status is the verdict.
      """,
      "Nothing is changed: the files are opened for reading, and not by SQLite.",
    ],
    operands: [.file], flags: [.contract, .wal, .journal, .offset, .length, .maxSize],
    examples: [
      ("dbrescue check app.db", "the verdict, in one line and in the exit status"),
      (
        "dbrescue check app.db --contract app.contract.json",
        "is it also the version and the schema that the app expects?"
      ),
      ("dbrescue check app.db --json --quiet", "the same for a program to read"),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + [.invalidInput])

  static let diagnose = Command(
    "diagnose", .look, "find out what is wrong, what was lost, and what can be done",
    description: [
      """
      Examines every page of the database and of its -wal or -journal. Prints each finding with \
      its code and place, the rows of every table that can and cannot be read, and the options: \
      what can be done now, what each would bring back and what it would lose, least destructive \
      first.
      """,
      """
      Nothing is changed: the files are opened for reading, and not by SQLite. No report holds \
      the value of any row.
      """,
      """
      With --advice, a sound database is read once more for what is slow or at risk: unused space \
      and what VACUUM would give back, scattered trees, a log that grows, missing statistics, \
      needless and missing indexes, text among numbers. What leaves no trace in a file, such as \
      synchronous=OFF, is no part of it.
      """,
    ],
    operands: [.file],
    flags: [
      .contract, .report, .force, .vault, .advice, .wal, .journal, .offset, .length, .maxSize,
    ],
    examples: [
      ("dbrescue diagnose user.db", "the findings and the options on the terminal"),
      ("dbrescue diagnose app.db --advice", "what is slow or at risk as well"),
      ("dbrescue diagnose user.db --report user.html", "a report to pass on as well"),
      (
        "dbrescue diagnose copy.db --wal saved/app.db-wal",
        "with a write-ahead log that was saved under another name"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + ExitCode.writing + [.invalidInput])

  static let explain = Command(
    "explain", .look, "tell what a support code or the code of a finding stands for",
    description: [
      """
      A support code holds the essence of its run: what was done, how it went, the verdict, the \
      leading finding, the versions and the day. It is decoded anywhere, without the log. Case, \
      dashes and letters that look like digits are forgiven; a misread symbol is detected.
      """
    ],
    operands: [.subject],
    flags: [.markdown.saying("print the page of a finding, or of all, as Markdown")],
    examples: [
      ("dbrescue explain DBR-F060", "what this finding means for the data"),
      ("dbrescue explain findings", "every finding that there is"),
      ("dbrescue explain CODE", "what happened in the run that printed CODE"),
    ],
    exitCodes: [.invalidInput])

  // Protecting.

  static let backup = Command(
    "backup", .protect, "make a backup that has been proven",
    description: [
      """
      Copies the database while it is in use, and counts the backup only once it has been read \
      back and compared. The backup is a plain gzip file: 'gunzip -c BACKUP > app.db' gives the \
      exact database, without this program.
      """,
      """
      What has not changed since the last good backup in the vault is taken over from there, byte \
      for byte compared, and everything is checked again from time to time (--recheck-after). Each \
      file is whole all the same, and needs no other.
      """,
      """
      The database is compared with the last good backup. Where it has gone back in time, as when an \
      older copy was put in its place, the backup is kept and does not count as a good one, unless \
      --accept says that it is meant. Rows that are gone are told of; --max-loss refuses too many.
      """,
      "A database that SQLite cannot read is stored as it is, and marked as raw.",
    ],
    operands: [.file],
    flags: [
      .vault, .level, .verify, .recheckAfter, .maxLoss, .accept, .contract, .wait, .fromProcess,
    ],
    examples: [
      ("dbrescue backup app.db", "into app.db.rescue/backups"),
      (
        "dbrescue backup app.db --vault /mnt/backups --level 9", "elsewhere, and as small as can be"
      ),
    ],
    exitCodes: [.drifted, .damagedLossy] + ExitCode.reading + ExitCode.writing
      + [.busy, .invalidInput])

  static let vaultList = Command(
    "vault list", .protect, "list the backups of a database",
    description: [
      """
      Prints each backup with its time, version, size, state and when it was last read in full, \
      newest first.
      """
    ],
    operands: [.vaultFolder], flags: [.vault],
    examples: [
      ("dbrescue vault list app.db", "the backups of a database"),
      ("dbrescue vault list /mnt/backups", "the backups in a folder"),
    ],
    exitCodes: ExitCode.reading + [.invalidInput])

  static let vaultStatus = Command(
    "vault status", .protect, "say whether databases and their backups are fine",
    description: [
      """
      Examines each database and looks at its backups: how old the last good one is, when and how \
      it was proven, how large it is and by how much it has grown. The status is 0 only where every \
      database was found healthy and has a good, proven backup that is no older than --max-age. What \
      is missing or cannot be looked at is never fine.
      """,
      """
      Of several problems the gravest decides: a database that is not healthy, one or a vault that \
      cannot be looked at, no good backup, one that was never proven, one that is too old. A backup \
      that is dated in the future counts for nothing.
      """,
      """
      --prometheus writes the same for the textfile collector of node_exporter, which reads files \
      that end in .prom, also where something is wrong. --ping runs a command without a shell, with \
      the exit status in the place of {status}, and 'success' or 'failure' in that of {outcome}; it \
      is stopped after 30 seconds. Where only those fail, the status is 73 and 16.
      """,
      "Neither the databases nor the vault are changed.",
    ],
    operands: [.file, .more], flags: [.maxAge, .vault, .prometheus, .ping],
    examples: [
      ("dbrescue vault status app.db --max-age 26h", "is there a good backup of last night?"),
      (
        "dbrescue vault status app.db --prometheus /var/lib/node_exporter/dbrescue.prom",
        "for a monitor that reads files"
      ),
      (
        "dbrescue vault status app.db other.db --ping ./tell-monitor",
        "for one that waits to be told: './tell-monitor success 0', or 'failure' and the status"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.watching + ExitCode.reading + ExitCode.writing
      + [.commandFailed, .busy, .invalidInput])

  static let vaultVerify = Command(
    "vault verify", .protect, "prove the backups of a database once more",
    description: [
      """
      Reads each backup completely, compares it with its own digests, and notes that in the vault. \
      What is damaged is named, with the pages that are lost. A backup that does not hold counts as \
      good again only when it is proven again.
      """
    ],
    operands: [.vaultFolder, .backups], flags: [.vault],
    examples: [
      ("dbrescue vault verify app.db", "every backup of a database"),
      (
        "dbrescue vault verify /mnt/backups app.20261121T020000Z.v7.k3f9.db.gz",
        "one backup in a folder"
      ),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + [.invalidInput])

  static let vaultPrune = Command(
    "vault prune", .protect, "remove the backups that are no longer needed",
    description: [
      """
      Keeps the newest backups, the newest of each day and of each week, and the newest of each \
      schema version. Days and weeks without a backup do not count.
      """,
      """
      Never removes the last good backup, one that is not good, or one that is dated in the future. \
      Removes nothing while the newest backup is not good or the database itself is damaged, and \
      reads the newest in full before it removes any other.
      """,
    ],
    operands: [.vaultFolder], flags: [.vault, .keepLast, .keepDaily, .keepWeekly, .yes, .dryRun],
    examples: [
      ("dbrescue vault prune app.db --dry-run", "what would go, and why the rest stays"),
      (
        "dbrescue vault prune app.db --vault /mnt/backups --keep-last 3 --yes", "unasked, at night"
      ),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing
      + [.decisionNeeded, .declined, .busy, .invalidInput])

  static let vaultExtract = Command(
    "vault extract", .protect, "get the database out of a backup, also out of a damaged one",
    description: [
      """
      Writes the database of a backup to a new file, proven byte for byte. With --best-effort a \
      backup that is damaged or cut off gives what it still has: zeros stand for the rest, which \
      is named page by page, and 'dbrescue salvage' gets the rows out of the file.
      """,
      "Of a raw backup, the -wal and -journal that were stored with it are extracted too.",
      """
      A backup says how large its database is. Of any other gzip file no more is written than 16 \
      times its size and 1 MiB, unless --max-output says otherwise.
      """,
    ],
    operands: [.backup], flags: [.output, .maxOutput, .bestEffort],
    examples: [
      (
        "dbrescue vault extract app.20261121T020000Z.v7.K3F9A1B2.db.gz --output app.db",
        "a whole backup"
      ),
      (
        "dbrescue vault extract cut.db.gz --output rest.db --best-effort", "what is left of one"
      ),
    ],
    exitCodes: [.damagedLossy] + ExitCode.reading + ExitCode.writing + [.invalidInput])

  static let guarded = Command(
    "guard", .protect, "run a migration between a backup and a check",
    description: [
      """
      Checks the database, makes a proven backup, runs COMMAND, and verifies the result: \
      structure, version, contract, foreign keys, invariants, and that no table lost rows \
      unforeseen. COMMAND is any program that migrates the database.
      """,
      """
      When the migration failed, --on-failure decides: ask somebody, restore the backup, or stop \
      and leave the database as it is. Nothing is ever salvaged or reset unasked. A command that \
      failed and has changed nothing leaves nothing to decide.
      """,
      """
      COMMAND fails too when it is stopped: by --timeout, or by a signal to this run. It is stopped \
      with all that it has started. Without a contract, no table, value, index or constraint may be \
      lost; with one, its rowCounts say where rows may go. With --json it prints to the standard \
      error; with --command-output to a file, which may hold what it says of rows.
      """,
    ],
    operands: [.file], takesCommandLine: true,
    flags: [
      .contract, .vault, .recheckAfter, .maxLoss, .accept, .onFailure, .timeout, .commandOutput,
      .force,
    ],
    examples: [
      ("dbrescue guard app.db -- ./migrate app.db", "run a migration safely"),
      (
        "dbrescue guard app.db --contract v8.json --on-failure restore -- ./migrate app.db",
        "with nobody watching: the old state comes back unless the new one is right"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.guarding + ExitCode.reading + ExitCode.writing
      + ExitCode.asking + [.busy, .invalidInput])

  static let migrate = Command(
    "migrate", .protect, "run numbered SQL files between a backup and a check",
    description: [
      """
      Brings the database to the version of the last file in DIR, or of --to. The number that the \
      name of a file begins with (0004_add_rpe.sql) is the user_version of the database after it. \
      Numbers have no gaps, and a file that was applied is not edited any more.
      """,
      """
      Everything is in one transaction, unless --transactions says otherwise: foreign keys are off \
      before it begins and are checked before it commits, and the version is set within it. So the \
      files hold no BEGIN, COMMIT, ATTACH or PRAGMA user_version.
      """,
      """
      The net is that of 'guard': a proven backup first, a check of structure, version, contract \
      and every row after, and --on-failure. A database that has the version already is not touched.
      """,
    ],
    operands: [.file],
    flags: [
      .migrations.required, .to, .transactions, .contract, .vault, .recheckAfter, .maxLoss, .accept,
      .onFailure,
      .timeout.saying("stop, and undo what was done, when the files take longer than this"),
      .dryRun.saying("do it to a private copy, and print what would be different"), .wait,
    ],
    examples: [
      ("dbrescue migrate app.db --migrations migrations", "to the newest version"),
      (
        "dbrescue migrate app.db --migrations migrations --dry-run",
        "what would be different afterwards, in the schema and in the number of rows"
      ),
      (
        "dbrescue migrate app.db --migrations migrations --contract v8.json --on-failure restore",
        "with nobody watching: the old state comes back unless the new one is right"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.guarding + ExitCode.reading + ExitCode.writing
      + ExitCode.asking + [.busy, .invalidInput])

  static let rehearse = Command(
    "rehearse", .protect, "try a chain of migrations on copies of many databases",
    description: [
      """
      Brings a private copy of each START to the newest version: in one go, and file by file. \
      COMMAND is any program that migrates the database that stands in the place of {db}. What is \
      verified is what 'guard' and 'migrate' verify. Nothing but copies is changed.
      """,
      """
      A START is a database of any version; or a script (.sql) or contract (.json, .json5) of one, \
      of which an empty database is made and filled with rows that exercise every column: NULL, \
      empty, the largest and the smallest, long, not ASCII, as far as its constraints allow. Without \
      a START the files make a database of each version. The same --seed gives the same rows.
      """,
      """
      The status is 0 only where every way passes; else 16 where a migration failed, 18 where a \
      result does not verify, and 65 where one could not be begun.
      """,
    ],
    operands: [.starts], takesCommandLine: true, isCommandLineOptional: true,
    flags: [
      .migrations, .to, .transactions, .contract, .seed, .junit, .force,
      .timeout.saying("stop a migration that takes longer than this"),
    ],
    examples: [
      ("dbrescue rehearse --migrations migrations", "from every version that the files make"),
      (
        "dbrescue rehearse old/v1.db old/v2.db v3.sql --migrations migrations --junit out.xml",
        "from databases and schemas that users may have, for a build server"
      ),
      (
        "dbrescue rehearse old/v1.db --contract v4.json -- ./migrate {db}",
        "with the app's own migration"
      ),
    ],
    exitCodes: ExitCode.guarding + ExitCode.reading + ExitCode.writing + [.invalidInput])

  static let contractCapture = Command(
    "contract capture", .protect, "write down what a healthy database looks like",
    description: [
      """
      Prints a contract: version, tables, columns, indexes, triggers and views of FILE. Invariants \
      and the place of unsynced rows are yours to add.
      """
    ],
    operands: [.file],
    flags: [.output.saying("the file to write; standard output if not given").named("OUT")],
    examples: [
      ("dbrescue contract capture good.db -o app.contract.json", "capture a good database")
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + [.busy, .invalidInput])

  static let contractImport = Command(
    "contract import", .protect, "make a contract of a schema that others have written down",
    description: [
      """
      Takes a schema that Room has exported (such as 42.json), a script of CREATE statements, a \
      database, or a store of Core Data, and prints the contract. Wherever a contract is asked for, \
      an export of Room or a script does as it is.
      """,
      """
      What a schema does not say lies beside it: 42.overlay.json5 has invariants, unsynced, rowCounts, \
      renamedTables, renamedColumns, ignoreTables and allowExtraObjects for 42.json. What an export \
      lacks or has besides is noted.
      """,
    ],
    operands: [.file],
    flags: [.output.saying("the file to write; standard output if not given").named("OUT")],
    examples: [
      ("dbrescue contract import schemas/42.json -o app.contract.json", "of Room's export")
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + [.busy, .invalidInput])

  static let contractVerify = Command(
    "contract verify", .protect, "check a database against a contract",
    description: [
      """
      Compares what the schemas mean, not their text, and runs the invariants. Lists what is \
      missing, extra and changed, with the SQL that would mend it. The file is not changed.
      """
    ],
    operands: [.file], flags: [.contract.required, .maxSize],
    examples: [
      ("dbrescue contract verify app.db --contract app.contract.json", "does it hold?")
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + [.invalidInput])

  static let contractDiff = Command(
    "contract diff", .protect, "print the SQL that leads from one schema to another",
    description: [
      """
      Prints the SQL that leads from A to B, and before it, as comments, what comes, goes and \
      changes, what is lost by it, and for which rows it fails. Contracts that differ end with \
      status 12.
      """
    ],
    operands: [.first, .second],
    examples: [("dbrescue contract diff v7.json v8.json", "what a migration has to do")],
    exitCodes: ExitCode.reading + [.drifted, .invalidInput])

  // Bringing the data back.

  static let recover = Command(
    "recover", .rescue, "diagnose a database, offer what can be done, and do it",
    description: [
      """
      The way for most: shows the diagnosis and the options, asks which one to carry out, and \
      carries it out. The old files are kept, and 'dbrescue undo' brings them back. Where the \
      newest good backup has rows that the damaged database has lost, 'salvage-with-backup' brings \
      both together.
      """,
      """
      Where nobody can be asked, --choose names the option and --yes allows the change. --hand-over \
      writes what was done in plain words, for the user; no value of a row is in it.
      """,
    ],
    operands: [.file], flags: [.contract, .vault, .choose, .handOver, .maxOutput, .yes, .dryRun],
    examples: [
      ("dbrescue recover app.db", "see what can be done, and choose"),
      ("dbrescue recover app.db --choose restore --yes", "decided beforehand"),
      ("dbrescue recover app.db --hand-over message.txt", "with a message for the user"),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + ExitCode.writing + ExitCode.asking
      + [.busy, .invalidInput])

  static let restore = Command(
    "restore", .rescue, "put a backup in the place of a database",
    description: [
      """
      Builds the database from the backup beside the old one, checks it, and exchanges the two. \
      The old file, its -wal and its -journal are kept together; 'dbrescue undo' brings them \
      back. Rows that are newer than the backup are counted before anything is changed.
      """,
      "With --output the backup is written to a new file, and the database is left alone.",
    ],
    operands: [.file], flags: [.from, .vault, .output, .contract, .yes, .dryRun, .wait],
    examples: [
      ("dbrescue restore app.db", "from the newest verified backup"),
      ("dbrescue restore app.db --dry-run", "what would be done, and what would be lost"),
      (
        "dbrescue restore app.db --from app.20261121T020000Z.v7.k3f9.db.gz --output old.db",
        "look into a backup without touching the database"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + ExitCode.writing + ExitCode.asking
      + [.busy, .invalidInput])

  static let salvage = Command(
    "salvage", .rescue, "write every row that can be read to a new database",
    description: [
      """
      Reads the pages one by one, also where SQLite gives up, and writes the rows to NEW. What is \
      doubtful goes to NEW.quarantine.db with its reason; what cannot be read is lost and counted, \
      never made up. At the end the rows seen, written, set aside and missing are balanced per \
      table.
      """,
      """
      With --backup, rows that FILE has lost come from a backup, where no sound page says that they \
      were deleted since. What FILE still holds wins. The report and the quarantine file say which \
      rows come from where; of several backups, the first that has a row counts.
      """,
      """
      FILE is not changed. Where somebody writes to it meanwhile, it is read again, until all of it \
      is of one moment. With --from-process, what a process has of FILE open is read instead, also \
      where it was deleted or moved away under that process.
      """,
    ],
    operands: [.file],
    flags: [
      .output.required, .schema, .mergedBackup, .report, .wal, .journal, .offset, .length,
      .fromProcess, .maxSize,
      .maxOutput,
      .force.saying("replace NEW and OUT if they exist"),
    ],
    examples: [
      ("dbrescue salvage broken.db --output saved.db", "all that can be read"),
      (
        "dbrescue salvage broken.db -o saved.db --schema app.contract.json",
        "into the schema that the app expects"
      ),
      (
        "dbrescue salvage broken.db -o saved.db --backup monday.db.gz",
        "with lost rows from a backup"
      ),
      (
        "dbrescue salvage broken.db -o saved.db --wal recovered.wal --report saved.html",
        "with a log that arrived under another name, and a report"
      ),
    ],
    exitCodes: [.damagedIntact, .damagedLossy, .unreadable] + ExitCode.reading + ExitCode.writing
      + [.busy, .invalidInput])

  static let merge = Command(
    "merge", .rescue, "make one database of several, damaged or not",
    description: [
      """
      Writes the rows of all databases to OUT, each once: for people who went on with a new database \
      and want the old rows back, or who have several copies. OLD is the oldest, the last NEW the \
      newest: the schema and the versions of OUT are its own, with the tables that only others have. \
      Each input is read as 'salvage' reads it, and may be damaged, in an archive, or a backup.
      """,
      """
      Rows are compared by their primary key, or by all their values where there is none. Of two with \
      one key and other values the newer input's stays, unless --prefer or --newer-by say otherwise. \
      --renumber gives them both a place where they are two different rows. What is not in OUT is in \
      OUT.quarantine.db with its reason, and the balance says of every input what became of its rows.
      """,
      "The inputs are not changed, and no trigger fires.",
    ],
    operands: [.oldest, .newer],
    flags: [
      .output.named("OUT").required, .prefer, .newerBy, .renumber, .renumberAll, .maxSize,
      .maxOutput, .force,
    ],
    examples: [
      ("dbrescue merge old.db app.db --output merged.db", "the old rows beside the new ones"),
      (
        "dbrescue merge phone.db laptop.db -o all.db --newer-by updated_at",
        "of a row that both have changed, the one that was changed last"
      ),
      (
        "dbrescue merge phone.db laptop.db -o all.db --renumber-all",
        "two devices gave the same numbers to different rows"
      ),
      (
        "dbrescue merge monday.db.gz damaged.db -o all.db --prefer old",
        "where a backup is believed more than what is there"
      ),
    ],
    exitCodes: [.damagedIntact, .damagedLossy, .unreadable] + ExitCode.reading + ExitCode.writing
      + [.busy, .invalidInput])

  static let reset = Command(
    "reset", .rescue, "start again with an empty database, and keep the old one aside",
    description: [
      """
      The last resort: puts an empty database of the given schema in the place of FILE. Rows that \
      were never sent anywhere are counted and exported first. The name of the file has to be \
      typed, or given by --confirm. The old files are kept, and 'dbrescue undo' brings them back.
      """
    ],
    operands: [.file],
    flags: [
      .schema.saying("the schema of the new database: a contract or an SQL script")
        .named("CONTRACT|SQL").required, .yes, .confirm, .dryRun,
    ],
    examples: [
      (
        "dbrescue reset app.db --schema app.contract.json --dry-run",
        "what would be done, and what would be lost"
      ),
      (
        "dbrescue reset app.db --schema app.contract.json --yes --confirm app.db",
        "without being asked"
      ),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + ExitCode.asking
      + [.newer, .busy, .invalidInput])

  static let undo = Command(
    "undo", .rescue, "bring back the files that a run has replaced",
    description: [
      """
      Puts the files that the run of CODE kept aside back in their place. What stands there now \
      is kept aside in turn, under the code of the new run.
      """
    ],
    operands: [.code, .replacedFile], flags: [.yes, .dryRun],
    examples: [
      ("dbrescue undo CODE app.db", "CODE as the run printed it"),
      ("dbrescue undo CODE", "in the folder of the database"),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + ExitCode.asking + [.busy, .invalidInput])

  // Playbooks.

  static let playbookList = Command(
    "playbook list", .playbooks, "list the playbooks that come with dbrescue",
    description: ["Prints the name and the title of each."],
    examples: [("dbrescue playbook list", "which ones there are")])

  static let playbookShow = Command(
    "playbook show", .playbooks, "print a playbook as a checklist for people",
    description: ["Prints when to use it, when not to, and its steps with their conditions."],
    operands: [.playbook], flags: [.markdown],
    examples: [
      ("dbrescue playbook show failed-verification-after-update", "read it before it is needed"),
      ("dbrescue playbook show back-in-time --markdown > back-in-time.md", "for a wiki"),
    ],
    exitCodes: ExitCode.reading + [.invalidInput])

  static let playbookValidate = Command(
    "playbook validate", .playbooks, "check that a playbook can be run",
    description: ["Names unknown actions, facts and keys, each with its line and column."],
    operands: [.playbook],
    examples: [("dbrescue playbook validate ours.json5", "before it is needed")],
    exitCodes: ExitCode.reading + [.invalidInput])

  static let playbookRun = Command(
    "playbook run", .playbooks, "carry out a playbook on a database",
    description: [
      """
      Runs the steps in order, each only if its condition holds, and logs them under one support \
      code. Stops before a destructive step unless --approve names it; a destructive step without \
      a proven backup in the same run is refused whatever the playbook says.
      """
    ],
    operands: [.playbook, .file],
    flags: [
      .contract, .vault, .schema.saying("the schema for steps that need one"), .set, .approve,
      .report.saying("write a record of the incident too: OUT ends in .html, .json or .txt"),
      .force, .dryRun,
    ],
    examples: [
      (
        "dbrescue playbook run failed-verification-after-update app.db --dry-run",
        "what would happen, and why"
      ),
      (
        "dbrescue playbook run failed-verification-after-update app.db --approve restore",
        "the step 'restore' may replace the database"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + ExitCode.writing + ExitCode.asking
      + [.busy, .invalidInput])

  // Records.

  static let logList = Command(
    "log list", .records, "list the last runs",
    description: ["Prints the time, support code, command, verdict and outcome of each run."],
    flags: [.last],
    examples: [("dbrescue log list --last 5", "the last five runs")],
    exitCodes: [.permission])

  static let logShow = Command(
    "log show", .records, "print everything that was recorded of a run",
    description: ["Looks the support code up in the run log of this machine."],
    operands: [.code],
    examples: [("dbrescue log show CODE", "CODE as the run printed it")],
    exitCodes: [.missing, .permission, .invalidInput])

  // The program.

  static let schema = Command(
    "schema", .program, "print the JSON Schema of a format",
    description: [
      """
      Prints the schema (draft 2020-12) of what every command answers with --json, of a contract, \
      of a line of the run log, or of a playbook; with --markdown the same as a page for people.
      """
    ],
    operands: [.format], flags: [.markdown.saying("print a reference page as Markdown")],
    examples: [
      ("dbrescue schema report > report.schema.json", "what --json and --report OUT.json hold"),
      ("dbrescue schema contract > contract.schema.json", "for an editor that checks contracts"),
    ])

  static let help = Command(
    "help", .program, "explain a command, or the program",
    description: ["The same as COMMAND --help."],
    operands: [.topic],
    examples: [
      ("dbrescue help", "the program, and every exit status"),
      ("dbrescue help vault list", "one command"),
    ])

  static let completions = Command(
    "completions", .program, "print the completion script of a shell",
    description: ["Load the script in the start-up file of the shell, or install it."],
    operands: [.shell],
    examples: [
      ("source <(dbrescue completions bash)", "in ~/.bashrc"),
      (
        "dbrescue completions zsh > ~/.zfunc/_dbrescue",
        "where ~/.zfunc stands in fpath"
      ),
      (
        "dbrescue completions fish > ~/.config/fish/completions/dbrescue.fish",
        "fish finds it there"
      ),
    ])

  static let man = Command(
    "man", .program, "print the manual page",
    description: ["The page is in mdoc, as man reads it."],
    examples: [("dbrescue man > dbrescue.1 && man ./dbrescue.1", "read it without installing it")])
}
