// SPDX-License-Identifier: Apache-2.0
// Backups as JSON: the same members wherever backups are listed.

internal import Diagnosis
internal import SQLiteFormat

extension Backup {
  /// The state of a backup that may not be read, or that the disk does not hand out: it may well hold.
  static let unread = "unread"

  /// The backup as JSON.
  package var stored: JSON {
    .members([
      "path": .string(path.description),
      "id": .string(name.id.description),
      "created": .date(created),
      "version": .integer(Int(name.userVersion)),
      "byteCount": .integer(byteCount),
      "databaseByteCount": manifest.map { .integer($0.image.byteCount) },
      "state": .string(readError == nil ? state.rawValue : Self.unread),
      "good": .bool(isGood),
      "proven": proof.map { ["at": .date($0.date), "passed": .bool($0.passed)] },
      "unchecked": .array(unchecked.map { .string($0) }),
      "lineage": manifest?.lineage.map(\.json),
      "checks": .array((manifest?.checks ?? []).map(\.json)),
    ])
  }
}

extension BackupManifest.Lineage {
  fileprivate var json: JSON {
    [
      "after": .string(after.description), "accepted": .bool(isAccepted),
      "findings": .array(
        findings.map {
          [
            "code": .string($0.code), "severity": .string($0.severity.rawValue),
            "message": .string($0.message),
          ]
        }),
      "losses": .array(
        losses.map {
          .members([
            "table": .string($0.table.text), "before": .integer($0.before),
            "after": $0.after.map { .integer($0) },
          ])
        }),
    ]
  }
}

extension BackupManifest.Check {
  /// The check as JSON.
  var json: JSON {
    .members([
      "name": .string(name), "passed": .bool(passed), "detail": .string(detail),
      "basis": basis.map { .string($0.description) },
    ])
  }
}
