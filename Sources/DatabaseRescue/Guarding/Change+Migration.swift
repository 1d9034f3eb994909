// SPDX-License-Identifier: Apache-2.0
// What a migration under guard has done to a database, for as long as nothing more is known of it.

import Diagnosis

extension Change {
  /// What an undertaking has done that left no way back by its backup.
  static func migrationRun(
    without backup: Backup, _ undertaking: Undertaking
  ) -> Change {
    Change(
      .something,
      "\(undertaking.noun) ran, and the backup from before it does not hold any more",
      next: "dbrescue vault list \(backup.path.folder.shellQuoted)")
  }

  /// What an undertaking may have done that was carried out on a database.
  static func migrationRun(
    on database: FilePath, _ backup: Backup, in vault: FilePath?, _ undertaking: Undertaking,
    clearedBy clearing: String? = nil
  ) -> Change {
    Change(
      .something, "\(undertaking.noun) ran; what the database was before is in '\(backup.path)'",
      next: backup.restoreCommand(for: database, in: vault, clearedBy: clearing))
  }
}
