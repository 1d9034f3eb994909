// SPDX-License-Identifier: Apache-2.0
// Backups as JSON: the same members wherever backups are listed.

import DatabaseRescue
import Diagnosis

/// A backup as JSON.
enum BackupJSON {
  static func value(_ backup: Backup) -> JSON {
    .members([
      "path": .string(backup.path.description),
      "id": .string(backup.name.id.description),
      "created": .date(backup.name.created),
      "version": .integer(Int(backup.name.userVersion)),
      "byteCount": .integer(backup.byteCount),
      "databaseByteCount": backup.manifest.map { .integer($0.image.byteCount) },
      "state": .string(backup.state.rawValue),
      "good": .bool(backup.isGood),
      "proven": backup.proof.map { ["at": .date($0.date), "passed": .bool($0.passed)] },
      "unchecked": .array(backup.unchecked.map { .string($0) }),
      "lineage": backup.manifest?.lineage.map(lineage),
      "checks": .array((backup.manifest?.checks ?? []).map(check)),
    ])
  }

  private static func lineage(_ lineage: BackupManifest.Lineage) -> JSON {
    [
      "after": .string(lineage.after.description), "accepted": .bool(lineage.isAccepted),
      "findings": .array(
        lineage.findings.map {
          [
            "code": .string($0.code), "severity": .string($0.severity.rawValue),
            "message": .string($0.message),
          ]
        }),
      "losses": .array(
        lineage.losses.map {
          .members([
            "table": .string($0.table), "before": .integer($0.before),
            "after": $0.after.map { .integer($0) },
          ])
        }),
    ]
  }

  static func check(_ check: BackupManifest.Check) -> JSON {
    .members([
      "name": .string(check.name), "passed": .bool(check.passed), "detail": .string(check.detail),
      "basis": check.basis.map { .string($0.description) },
    ])
  }
}
