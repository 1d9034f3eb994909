// SPDX-License-Identifier: Apache-2.0
// The commands that migrate under a net, and those that say what an app expects.

extension Command {
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
      with all that it has started. Without a contract, no row, value, index, constraint, trigger \
      or view may be lost; what goes with a table without rows is told. With one, its rowCounts say \
      where rows may go. With --json it prints to the standard error; with --command-output to a \
      file, which may hold what it says of rows.
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
}
