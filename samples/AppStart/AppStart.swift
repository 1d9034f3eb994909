// SPDX-License-Identifier: Apache-2.0
// How an app starts: the database is checked, backed up, migrated and checked again before
// anything queries it. The target sees of the library only what is public.

public import DatabaseRescue
public import Diagnosis

/// What an app may do after its start.
public enum AppStart: Sendable {
  /// The database is as this version of the app expects it: open it.
  case ready
  /// Nothing may open the database: show the message, with its code, in the place of the app.
  case blocked(BlockingMessage)

  /// Brings a database to the version of a contract.
  ///
  /// - Throws: ``RescueError`` when the database could not be looked at or backed up, and what the
  ///   migration throws; the backup is then there.
  public static func begin(
    _ database: FilePath, contract: Contract, with rescue: Rescue = Rescue(),
    migrate: () throws -> Void
  ) throws -> AppStart {
    let found = try rescue.check(InputFiles(database), contract: contract)
    switch found.value.verdict {
    case .healthy: return .ready
    case .outdated: break
    default: return blocked(found.value.verdict, found.code, isBackedUp: false)
    }
    let backup = try rescue.backUp(database, contract: contract)
    try migrate()
    let made = try rescue.check(InputFiles(database), contract: contract)
    return made.value.verdict == .healthy
      ? .ready
      : blocked(made.value.verdict, made.code, isBackedUp: backup.value.isGood)
  }

  private static func blocked(
    _ verdict: Verdict, _ code: SupportCode, isBackedUp: Bool
  ) -> AppStart {
    .blocked(BlockingMessage(verdict, code: code, isBackedUp: isBackedUp))
  }
}
