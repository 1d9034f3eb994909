// SPDX-License-Identifier: Apache-2.0
// A backup as JSON: path, id, created, version, bytes, state, good, checks, unchecked,
// proven.

import DatabaseRescue

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
      "checks": .array((backup.manifest?.checks ?? []).map(check)),
    ]
  }

  static func check(_ check: BackupManifest.Check) -> JSON {
    [
      "name": .string(check.name), "passed": .bool(check.passed), "detail": .string(check.detail),
      "basis": .optional(check.basis.map { .string($0.description) }),
    ]
  }
}
