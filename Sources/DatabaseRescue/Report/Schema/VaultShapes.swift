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

  private static let state = JSONShape.words(BackupReader.State.allCases.map(\.rawValue))

  private static let checks = JSONShape.list(
    .object([
      "name": .text, "passed": .flag, "detail": .text,
      "basis?": .text.saying("the earlier backup for which it was done"),
    ]))
}
