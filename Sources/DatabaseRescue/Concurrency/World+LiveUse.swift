// SPDX-License-Identifier: Apache-2.0
// Which processes have a database open, and whether what they write is where everybody looks.

import Diagnosis
import SQLiteFormat

extension World {
  /// How long is waited before a second look: whoever closes a database removes its log first.
  private static let useDelay = Duration.milliseconds(50)

  /// What processes have of a database open.
  ///
  /// An ordinary use is that of a process with the database and its log, as they lie here. What is
  /// said of any other was seen twice.
  func use(of database: FilePath) -> LiveUse {
    guard let main = try? storage.place(of: database), let first = LiveUse(of: main, storage) else {
      return LiveUse()
    }
    guard !first.heldApart.isEmpty else { return first }
    pause(Self.useDelay)
    guard let second = LiveUse(of: main, storage) else { return LiveUse() }
    let seen = Set(first.heldApart.map { [$0.process: $0.role] })
    return LiveUse(
      heldApart: second.heldApart.filter { seen.contains([$0.process: $0.role]) },
      writers: second.writers, unseenProcesses: second.unseenProcesses)
  }

  /// Refuses to go on with a database of which a process has files open that nobody else can reach.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` that names the process.
  func requireNotHeldApart(_ database: FilePath) throws(RescueError) {
    if let error = RescueError.heldApart(use(of: database), database) { throw error }
  }
}
