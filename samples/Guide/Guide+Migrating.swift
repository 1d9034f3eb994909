// SPDX-License-Identifier: Apache-2.0
// Migrations under guard, and migrations that are only tried.

public import DatabaseRescue
import Diagnosis

extension Guide {
  /// Migrates by a program.
  public func guardMigration(command: [FilePath]) throws -> Bool {
    // snippet
    let report = try rescue.guardMigration(
      of: database, contract: contract, command: command, timeout: .seconds(600),
      onFailure: { _ in .restore }
    ).value
    for problem in report.problems { show(problem) }
    return report.isKept
    // end
  }

  /// Migrates by files of SQL, after a look at what they would do.
  public func migrate(with migrations: FilePath) throws -> Int {
    // snippet
    let folder = try MigrationFolder(migrations)
    var options = MigrationOptions()
    options.contract = contract
    let forecast = try rescue.foreseeMigration(of: database, with: folder, options: options).value
    guard forecast.judgement?.isGood != false else { return forecast.start }
    let report = try rescue.migrate(
      database, with: folder, options: options, onStep: { show("\($0.file)") },
      onFailure: { _ in .restore }
    ).value
    return report.guarded?.isKept == false ? report.start : report.end
    // end
  }

  /// Tries every way to the newest version.
  public func rehearse(_ migrations: FilePath, from databases: [FilePath]) throws -> Bool {
    // snippet
    let report = try rescue.rehearse(
      .files(MigrationFolder(migrations)), from: databases, options: RehearsalOptions(seed: 1)
    ).value
    for way in report.cases where way.outcome != .passed {
      show("\(way.start): \(way.problems.joined(separator: "; "))")
    }
    return report.exitStatus == 0
    // end
  }
}
