// SPDX-License-Identifier: Apache-2.0
// Restores as they should not be: the simulation is worth something only if it finds each wrong.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat

/// Restores that others have shipped.
enum Canary {
  static let all: [Action] = [unsynchronized, sidecarLeft, overwritten]

  /// A file is written and renamed, and nothing waits for the disk.
  private static let unsynchronized = Action(
    description: "rename without a synchronization",
    prepare: { try place($0, leaving: .nothing) },
    act: { rescue, stage in
      let storage = rescue.world.storage
      let partial = stage.root.appending("app.db.part")
      try storage.remove(partial)
      try write(goodCopy(stage), to: partial, storage)
      try storage.rename(partial, to: stage.database)
    })

  /// The new file is durable, and the old one's log stays beside it.
  private static let sidecarLeft = Action(
    description: "a stale WAL left beside the new file",
    prepare: { try place($0, leaving: .wal(["UPDATE notes SET body = 'later' WHERE id < 3"])) },
    act: { rescue, stage in
      let storage = rescue.world.storage
      let kept = stage.rescueFolder.appending("quarantine/first")
      try storage.createFolder(kept)
      for suffix in ["", "-wal"] {
        let old = stage.database.adding(suffix: suffix)
        guard try old.exists, try !kept.appending(old.name).exists else { continue }
        try write(old.contents(), to: kept.appending(old.name), storage, isDurable: true)
      }
      try storage.synchronizeFolder(kept)
      let partial = stage.root.appending("app.db.part")
      try storage.remove(partial)
      try write(goodCopy(stage), to: partial, storage, isDurable: true)
      try storage.rename(partial, to: stage.database)
      try storage.synchronizeFolder(stage.root)
      try storage.remove(stage.database.adding(suffix: "-wal"))
      try storage.synchronizeFolder(stage.root)
    })

  /// The file is written over in its place.
  private static let overwritten = Action(
    description: "the database written over",
    prepare: { try place($0, leaving: .nothing) },
    act: { rescue, stage in
      let file = try rescue.world.storage.open(stage.database, .readWrite)
      let bytes = try goodCopy(stage)
      try file.write(bytes, at: 0)
      try file.truncate(to: bytes.count)
      try file.synchronize()
    })

  private static func goodCopy(_ stage: Stage) throws -> Bytes {
    try stage.root.appending("log/good.db").contents()
  }

  private static func write(
    _ bytes: Bytes, to path: FilePath, _ storage: any Storage, isDurable: Bool = false
  ) throws {
    let file = try storage.open(path, .createNew)
    try file.write(bytes, at: 0)
    if isDurable { try file.synchronize() }
  }

  private static func place(_ stage: Stage, leaving leftover: Leftover) throws {
    let storage = SystemStorage()
    for folder in [stage.log.folder, stage.temporary, stage.rescueFolder] {
      try storage.createFolder(folder)
    }
    let steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO notes SELECT i, 'note ' || i || hex(zeroblob(60)) FROM n
      """,
    ]
    try DatabaseBuilder(pageSize: 1024, steps).build(at: stage.root.appending("log/good.db"))
    try DatabaseBuilder(
      pageSize: 1024, steps + ["UPDATE notes SET body = 'old ' || body"], leftover: leftover
    ).build(at: stage.database)
  }
}
