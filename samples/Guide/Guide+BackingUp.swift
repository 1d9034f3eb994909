// SPDX-License-Identifier: Apache-2.0
// Backups, and the folder that holds them.

public import DatabaseRescue
import Diagnosis

extension Guide {
  /// Makes a backup.
  public func backUp() throws -> Backup {
    // snippet
    var options = BackupWriter.Options()
    options.lossMax = 10
    let backup = try rescue.backUp(database, contract: contract, options: options).value
    show(backup.isGood ? "backed up" : "kept, and not good enough to restore unasked")
    // end
    return backup
  }

  /// Lists the backups; gives the one to restore.
  public func newestBackup() throws -> Backup? {
    // snippet
    let vault = try rescue.backups(of: database)
    for backup in try vault.list() {
      show("version \(backup.name.userVersion), \(backup.byteCount) bytes")
      for flaw in backup.flaws { show("  \(flaw)") }
    }
    let newest = try vault.latest()
    // end
    return newest
  }
}
