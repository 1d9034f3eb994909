// SPDX-License-Identifier: Apache-2.0
// A backup as JSON: path, id, created, version, bytes, state, good, checks, unchecked, lineage,
// proven.

import DatabaseRescue
import Diagnosis

/// A backup as members of a JSON document.
enum BackupJSON {
  static func members(_ backup: Backup) -> [String: JSON] {
    [
      "path": .string(backup.path.description),
      "id": .string(backup.name.id.description),
      "created": .date(backup.name.created),
      "version": .integer(Int(backup.name.userVersion)),
      "bytes": .integer(backup.byteCount),
      "databaseBytes": .optional(backup.manifest.map { .integer($0.image.byteCount) }),
      "state": .string(backup.state.rawValue),
      "good": .bool(backup.isGood),
      "proven": .optional(
        backup.proof.map { ["at": .date($0.date), "passed": .bool($0.passed)] }),
      "unchecked": .array(backup.unchecked.map { .string($0) }),
      "lineage": .optional(backup.manifest?.lineage.map(lineage)),
      "checks": .array((backup.manifest?.checks ?? []).map(check)),
    ]
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
          [
            "table": .string($0.table), "before": .integer($0.before),
            "after": .optional($0.after.map { .integer($0) }),
          ]
        }),
    ]
  }

  static func check(_ check: BackupManifest.Check) -> JSON {
    [
      "name": .string(check.name), "passed": .bool(check.passed), "detail": .string(check.detail),
      "basis": .optional(check.basis.map { .string($0.description) }),
    ]
  }
}
