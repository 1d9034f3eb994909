// SPDX-License-Identifier: Apache-2.0
// A database that does not pass SQLite's check is not put anywhere.

import SQLiteFormat

extension Verification {
  /// Has SQLite check a database that was just built.
  static func requireSound(_ path: FilePath, in world: World) throws(RescueError) {
    do throws(RescueError) { try requireSoundOnce(path, world) } catch
      where error.kind == .invalidInput
    {
      try world.storage.requireReadable(
        path, doing: "check the new database", meaning: "nothing was replaced")
      try requireSoundOnce(path, world)
    }
  }

  private static func requireSoundOnce(_ path: FilePath, _ world: World) throws(RescueError) {
    let verification: Verification
    do throws(SQLiteError) {
      verification = try ofFreshDatabase(path, isCancelled: world.isCancelled)
    } catch {
      throw .ofOwnFile(error, doing: "check the new database", meaning: "nothing was replaced")
    }
    guard verification.isSound else {
      throw RescueError(
        .invalidInput,
        "the new database does not pass SQLite's check: \(verification.integrityProblems[0])",
        meaning: "nothing was replaced", advice: "choose another backup, or salvage")
    }
  }
}
