// SPDX-License-Identifier: Apache-2.0
// Data that is brought back: into a new file, or into the place of the database.

public import DatabaseRescue
public import Diagnosis

extension Guide {
  /// Restores a backup to a new file.
  public func restore(_ backup: Backup, to output: FilePath) throws {
    // snippet
    _ = try rescue.restore(backup, toNewFile: output)
    // end
  }

  /// Copies what can be read.
  public func salvage(to output: FilePath, _ backup: Backup) throws {
    // snippet
    let report = try rescue.salvage(
      InputFiles(database), to: output, into: contract, backups: [backup.path]
    ).value
    if let imbalance = report.imbalance { throw imbalance }
    if let quarantine = report.quarantine { show("doubtful rows are in \(quarantine)") }
    show(report.isComplete ? "no row is missing" : "rows are missing")
    // end
  }

  /// Makes one database of two.
  public func merge(_ older: FilePath, _ newer: FilePath, to output: FilePath) throws {
    // snippet
    var policy = MergePolicy()
    policy.newerBy = ["workouts.started_at"]
    let report = try rescue.merge([older, newer], to: output, policy: policy).value
    if let imbalance = report.imbalance { throw imbalance }
    // end
  }

  /// Puts the newest backup in the place of the database.
  public func recover() throws -> SupportCode {
    // snippet
    let result = try rescue.recover(
      database, contract: contract,
      choose: { _, options throws(RescueError) in
        guard let option = options.first(where: { $0.kind == .restore }) else {
          throw RescueError(
            .declined, "there is no backup to put back", meaning: "nothing was changed")
        }
        return option
      },
      approve: { plan throws(RescueError) in
        for instruction in plan.instructions { show(instruction) }
      })
    // end
    return result.code
  }

  /// Takes a recovery back.
  public func undo(_ code: SupportCode) throws {
    // snippet
    let folder = try rescue.undo(code, of: database).value
    show("what was kept in \(folder) is back")
    // end
  }
}
