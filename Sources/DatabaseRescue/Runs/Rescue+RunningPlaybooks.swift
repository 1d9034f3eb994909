// SPDX-License-Identifier: Apache-2.0
// Playbooks, run on a database and rehearsed on it.

package import Diagnosis
import SQLiteFormat

/// What a playbook run needs besides its playbook.
package struct PlaybookSetting: Sendable {
  /// The contract to compare with; nil for none.
  package var contract: Contract?
  /// The vault; the default one when nil.
  package var vault: FilePath?
  /// The ids of steps that were approved beforehand.
  package var approvals: Set<String>
  /// Where the programs print to that it runs.
  package var commandOutput: CommandOutput

  /// Makes a setting.
  package init(
    contract: Contract? = nil, vault: FilePath? = nil, approvals: Set<String> = [],
    commandOutput: CommandOutput = .shared
  ) {
    self.contract = contract
    self.vault = vault
    self.approvals = approvals
    self.commandOutput = commandOutput
  }
}

extension Rescue {
  /// Runs a playbook on a database under one support code.
  ///
  /// - Throws: ``RescueError`` when an approval names no step; what the steps end in is part of
  ///   the result.
  package func run(
    _ playbook: Playbook, on database: FilePath, _ setting: PlaybookSetting,
    asking: @escaping (PlaybookQuestion) -> PlaybookAnswer,
    telling: @escaping (Playbook.Step, PlaybookStepRecord) -> Void
  ) throws(RescueError) -> RunResult<PlaybookResult> {
    try run(.playbook, on: database) { run throws(RescueError) in
      try run.finishPending(database)
      let playbookRun = try PlaybookRun(playbook, approvals: setting.approvals, world: world)
      var performer = DatabasePerformer(
        run: run, database: database, setting: setting, playbook.values, asking: asking,
        telling: telling)
      var result = playbookRun.run(with: &performer)
      (result.losses, result.undo) = (performer.losses, performer.undo)
      run = performer.run
      if let change = result.failure?.change { run.notes.note(change) }
      run.notes.outcome = result.trouble?.outcome ?? .succeeded
      run.notes.exitStatus = result.exitStatus
      return result
    }
  }

  /// What a playbook would do to a database as it is now; nothing is changed.
  ///
  /// - Throws: ``RescueError`` when the database cannot be looked at.
  package func rehearse(
    _ playbook: Playbook, on database: FilePath, _ setting: PlaybookSetting
  ) throws(RescueError) -> PlaybookRehearsal {
    var performer = DatabasePerformer(
      run: Run(.playbook, unattended: unattended, world: world), database: database,
      setting: setting, asking: { _ in .nobody }, telling: { _, _ in })
    _ = try performer.facts()
    try performer.look()
    return try PlaybookRun(playbook, approvals: setting.approvals, world: world)
      .rehearse(performer.known)
  }
}

extension PlaybookResult {
  /// The exit status of the run: that of a migration that was refused, its trouble, else the verdict;
  /// never 0 where rows were lost.
  package var exitStatus: Int32 {
    if let trouble { return migrationStatus ?? trouble.rawValue }
    let last = verdict?.exitStatus ?? 0
    guard last == 0, facts.isSet(.replacedInThisRun), firstVerdict == .damagedLossy else {
      return last
    }
    return Verdict.damagedLossy.exitStatus
  }
}
