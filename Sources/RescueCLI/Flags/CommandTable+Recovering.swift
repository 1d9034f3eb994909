// SPDX-License-Identifier: Apache-2.0
// The commands that bring data back.

extension Command {
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
    operands: [.file],
    flags: [
      .contract, .vault, .choose, .handOver, .force.saying("replace MESSAGE if it exists"),
      .maxOutput, .yes, .dryRun,
    ],
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
      .output.named("OUT").required, .prefer, .newerBy, .renumber, .renumberAll,
      .report.named("REPORT").saying("write a report too: REPORT ends in .html, .json or .txt"),
      .maxSize, .maxOutput, .force.saying("replace OUT and REPORT if they exist"),
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
      Puts the files that the run of CODE kept aside back in their place: as one file, of which \
      what a log or journal held is a part. What stands there now is kept aside in turn, under the \
      code of the new run. Files that somebody has changed since are not brought back without --force.
      """
    ],
    operands: [.code, .replacedFile],
    flags: [.force.saying("bring files back that were changed since"), .yes, .dryRun],
    examples: [
      ("dbrescue undo CODE app.db", "CODE as the run printed it"),
      ("dbrescue undo CODE", "in the folder of the database"),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + ExitCode.asking + [.busy, .invalidInput])
}
