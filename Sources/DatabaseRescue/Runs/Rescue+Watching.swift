// SPDX-License-Identifier: Apache-2.0
// How databases stand with their backups, for a monitor.

import Diagnosis

extension Rescue {
  /// Looks at databases and at their backups, and changes neither.
  ///
  /// - Parameters:
  ///   - databases: The databases; at least one.
  ///   - vault: The folder of the backups of all of them; nil for the one beside each.
  ///   - ageMax: How old the last good backup may be, in seconds.
  ///   - tell: Tells others how they stand; gives the exit status of the run.
  /// - Returns: How each stands, in the same order; what could not be looked at is a problem there.
  /// - Throws: ``RescueError`` only where somebody wishes the run to stop.
  package func status(
    of databases: [FilePath], vault: FilePath? = nil, ageMax: Double,
    tell: ([VaultStatus]) -> Int32 = { VaultStatus.exitStatus(of: $0) }
  ) throws(RescueError) -> RunResult<[VaultStatus]> {
    try run(.vaultStatus, on: databases.first) { run throws(RescueError) in
      let all = try databases.map { database throws(RescueError) in
        try run.status(of: database, in: vault, ageMax)
      }
      run.notes.exitStatus = tell(all)
      run.notes.outcome = run.notes.exitStatus == 0 ? .succeeded : .findings
      run.notes.hasVerifiedBackup = all.allSatisfy { $0.lastProven != nil }
      return all
    }
  }
}

extension Run {
  fileprivate mutating func status(
    of database: FilePath, in vault: FilePath?, _ ageMax: Double
  ) throws(RescueError) -> VaultStatus {
    var status = VaultStatus(of: database, in: vault ?? Vault.defaultFolder(of: database))
    do throws(RescueError) {
      let input = try InputFiles(database, storage: world.storage)
      let examined = try rescue.descended(
        world.examine(input, nil).examination, of: input.main, vault: vault, code: notes.code())
      status.byteCount = (try? world.storage.status(of: input.main))??.byteCount
      status.verdict = examined.verdict
      // A run has one verdict: the gravest.
      if notes.examination.map({ $0.verdict.exitStatus < examined.verdict.exitStatus }) ?? true {
        notes.take(examined)
      }
      if let problem = VaultStatus.Problem.unsound(examined.verdict, database) {
        status.note(problem)
      }
      status.remarks += examined.findings.filter { $0.code == .databaseOlder }.map(\.message)
      if examined.verdict == .healthy, !examined.unchecked.isEmpty {
        status.remarks.append("\(Unchecked.count(examined.unchecked)) in the database")
      }
      for thing in examined.unchecked where thing.subject == .migration {
        status.note(.untold(thing, database))
      }
    } catch {
      if error.kind == .interrupted { throw error }
      status.note(.unseen(error))
    }
    do throws(RescueError) {
      try judgeBackups(of: database, in: vault, ageMax, &status)
    } catch {
      if error.kind == .interrupted { throw error }
      status.note(.unseen(error))
    }
    return status
  }

  private func judgeBackups(
    of database: FilePath, in named: FilePath?, _ ageMax: Double, _ status: inout VaultStatus
  ) throws(RescueError) {
    let folder = try RescueFolder(of: database, storage: world.storage)
    let vault = Vault(named ?? folder.backups, of: folder.database.name, in: world.storage)
    status.vault = vault.folder
    let all = try vault.list()
    try world.requireGoingOn()
    // A folder of several databases may hold those of another one of the same name.
    let descent = Descent(of: folder.database, in: vault.folder, world.storage)
    let own = all.filter(descent.isOfSamePlace)
    status.judge(own, now: world.now(), ageMax: ageMax)
    let foreign = all.count - own.count
    if foreign > 0 {
      status.remarks.append(
        "\(Quantity.count(foreign, "backup")) of a database of this name in another folder, and not "
          + "counted")
    }
  }
}
