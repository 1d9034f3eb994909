// SPDX-License-Identifier: Apache-2.0
// The commands that make backups and look after them.

extension Command {
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
      """,
      """
      One that another program made has no digest: it is read to its end, and must begin as a \
      database does. Where there is no backup at all, nothing is proven: that ends in 24.
      """,
    ],
    operands: [.vaultFolder, .backups], flags: [.vault],
    examples: [
      ("dbrescue vault verify app.db", "every backup of a database"),
      (
        "dbrescue vault verify /mnt/backups app.20261121T020000Z.v7.k3f9.db.gz",
        "one backup in a folder"
      ),
    ],
    exitCodes: ExitCode.reading + ExitCode.writing + [.invalidInput, .backupMissing])

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
}
