// SPDX-License-Identifier: Apache-2.0
// A guarded migration that was cut off, as a program learns of it: its backup and the two ways out.

import Diagnosis

extension DiagnosisReport {
  /// A guarded migration that was cut off, with the two ways out.
  struct CutOff: Hashable, Sendable, Encodable {
    /// The backup from before it, by file name; nil where its record does not tell.
    let backup: String?
    /// When its command was to be stopped; nil where it had all the time it wanted.
    let deadline: String?
    /// The command that goes back to before it.
    let restore: String
    /// The command that keeps what is there.
    let accept: String

    init(_ migration: LiveUse.CutOffMigration) {
      (backup, deadline) = (migration.backup, migration.deadline)
      (restore, accept) = (migration.wayBack, migration.wayOn)
    }
  }
}
