// SPDX-License-Identifier: Apache-2.0
// Backups and what is done with them, as a schema: a table.

import Diagnosis

/// Backups and what is done with them.
enum VaultShapes {
  /// A backup of a vault.
  static let backup = JSONShape.object([
    "path": .text, "id": .text, "created": .date,
    "version": .integer.saying("the user_version of the database"),
    "byteCount": .count.saying("the size of the backup"),
    "databaseByteCount?": .count.saying("the size of the database in it"), "state": state,
    "good": .flag.saying("whether it counts"),
    "proven?": .object(["at": .date, "passed": .flag]).saying("when it was last read in full"),
    "unchecked": .list(.text),
    "lineage?": .object([
      "after": .text.saying("the backup before"), "accepted": .flag,
      "findings": .list(
        .object(["code": .text, "severity": ReportShapes.severity, "message": .text])),
      "losses": .list(.object(["table": .text, "before": .count, "after?": .count])),
    ]).saying("how it follows from the backup before"),
    "checks": checks,
  ])

  /// How databases stand with their backups.
  static let status: [String: JSONShape] = [
    "code": ReportShapes.code, "at": .date,
    "maxAgeSeconds": .number.saying("how old the last good backup may be"),
    "databases": .list(
      .object([
        "database": .text.saying("as it was named"), "vault": .text.saying("the folder of backups"),
        "exit": .integer.saying("the exit status where it is the only database"),
        "verdict?": .named("verdict"), "losesRows?": .named("losesRows"), "byteCount?": .count,
        "problems": .list(
          .object([
            "kind": .words(VaultStatus.Problem.Kind.allCases.map(\.rawValue)), "message": .text,
            "advice": .text.saying("what to do next"), "exit": .integer,
          ])
        ).saying("the gravest first; none where all is well"),
        "remarks": .list(.text), "lastGood?": .named("storedBackup"),
        "ageSeconds?": .count.saying("the age of the last good backup"),
        "lastProven?": .date.saying("when the last good backup was last proven"),
        "proofs": .list(.text).saying("how it was proven"),
        "growthBytes?": .integer.saying("growth of the database since the good backup before"),
        "backupCount?": .count, "vaultByteCount?": .count,
      ])),
  ]

  /// What a verification says of a backup.
  static let verification = JSONShape.object([
    "path": .text, "passed": .flag, "state": state, "checks": checks, "damage": .list(.text),
  ])

  /// What a policy says of a backup.
  static let decision = JSONShape.object([
    "path": .text, "id": .text, "keep": .flag,
    "reason": .text.saying("a word that does not change, such as last-good"),
  ])

  /// What was got out of a backup.
  static let extraction: [String: JSONShape] = [
    "code": ReportShapes.code, "output": .text, "byteCount": .count,
    "whole": .flag.saying("whether every byte is there"),
    "files": .list(.text).saying("journals that were in it"),
    "missing": .list(
      .object([
        "firstByte": .count, "byteCount": .count, "firstPage?": .integer, "lastPage?": .integer,
      ])), "endedBy?": .text.saying("the error that ended the reading"),
  ]

  private static let state = JSONShape.words(
    BackupReader.State.allCases.map(\.rawValue) + [Backup.unread])

  private static let checks = JSONShape.list(
    .object([
      "name": .text, "passed": .flag, "detail": .text,
      "basis?": .text.saying("the earlier backup for which it was done"),
    ]))
}
