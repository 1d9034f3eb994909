// SPDX-License-Identifier: Apache-2.0
// All samples. This file is a table: one entry for each, in the order of the verdicts.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat

extension Sample {
  static let all = sound + expected + damaged + lossy + unreadable

  private static let sound = [
    Sample("healthy-v4.db", .healthy, "none") { ["": $0.healthy] },
    Sample("wal/fitness.db", .healthy, "the newest commits are in the `-wal` beside it") {
      try $0.database { try Leftover.wal([addWorkout, changeSets]).leave(at: $0) }
    },
    Sample(
      "wal-torn/fitness.db", .healthy, "the `-wal` ends inside a transaction that never committed"
    ) {
      try $0.database {
        try Leftover.tornWAL(committed: [addWorkout], torn: [changeSets]).leave(at: $0)
      }
    },
    Sample("wal-missing.db", .healthy, "in WAL mode, and came without its `-wal`") {
      let files = try $0.database { try Leftover.wal([addWorkout]).leave(at: $0) }
      return ["": files["", default: []]]
    },
    Sample(
      "hot-journal/fitness.db", .healthy,
      "a transaction was cut off; the `-journal` beside it takes it back"
    ) {
      try $0.database { try Leftover.hotJournal([changeSets, emptyOutbox]).leave(at: $0) }
    },
  ]

  private static let expected = [
    Sample("outdated-v3.db", .outdated, "version 3: the last migration has not run") {
      try $0.database(version: 3)
    },
    Sample("newer-v5.db", .newer, "version 5: written by an app that does not exist yet") {
      try $0.database(
        sql: """
          ALTER TABLE workouts ADD COLUMN mood INTEGER;
          CREATE TABLE goals (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
          PRAGMA user_version = 5
          """)
    },
    Sample(
      "drifted-forgot-column.db", .drifted,
      "version 4 without `workouts.timezone` and its index: the migration forgot them"
    ) {
      try $0.database(version: 3) { try FitnessLog.migrate($0, mistakes: [.forgetColumn]) }
    },
    Sample("drifted-missing-index.db", .drifted, "version 4 without the index `sets_by_workout`") {
      try $0.database(sql: "DROP INDEX sets_by_workout")
    },
    Sample("drifted-orphaned-sets.db", .drifted, "sets of a workout that is no longer there") {
      try $0.database(sql: "PRAGMA foreign_keys = OFF; DELETE FROM workouts WHERE id = 7")
    },
  ]

  private static let damaged = [
    Sample("wiped-header.db", .damagedIntact, "the first 100 bytes are zeros") {
      try $0.damaged(.wipeHeader)
    },
    Sample(
      "bad-cell-pointers.db", .damagedIntact,
      "the cell pointers of a leaf of `sets` are zeros; the cells are there"
    ) {
      try $0.damaged(.wipeCellPointers(page: $0.page(of: "sets", "leaf", at: 1)))
    },
    Sample("swapped-leaves.db", .damagedIntact, "two leaves of `sets` have changed places") {
      try $0.damaged(
        .swapPages($0.page(of: "sets", "leaf", at: 1), $0.page(of: "sets", "leaf", at: 3)))
    },
    Sample(
      "index-disagrees.db", .damagedIntact, "an entry of `sets_by_workout` points to another row"
    ) {
      try $0.damaged(.flipBit(offset: $0.rowIDByte(ofIndex: "sets_by_workout"), bit: 0))
    },
    Sample("zeroed-index-leaf.db", .damagedIntact, "a leaf of `sets_by_workout` is zeros") {
      try $0.damaged(.zeroPage($0.page(of: "sets_by_workout", "leaf", at: 1)))
    },
    Sample(
      "freelist-loop.db", .damagedIntact,
      "the free list leads to itself, which SQLite's own check does not see"
    ) {
      let files = try $0.database(sql: "DELETE FROM notes WHERE id % 2")
      return try Workshop.damaged(files["", default: []], .loopFreelist)
    },
    Sample(
      "broken-schema-sql.db", .damagedIntact,
      "the CREATE statement of `notes` does not parse, so SQLite refuses the file"
    ) {
      ["": try $0.healthy.replacing(text: "CREATE TABLE notes", with: "CREATE TABLX notes")]
    },
    Sample("junk-prepended.db", .damagedIntact, "700 bytes of something else stand before it") {
      try $0.damaged(.prepend(count: 700))
    },
  ]

  private static let lossy = [
    Sample("truncated.db", .damagedLossy, "only the first 60 % of the file are there") {
      try $0.damaged(.truncatePercent(60))
    },
    Sample("zeroed-leaf.db", .damagedLossy, "a leaf of `sets` is zeros") {
      try $0.damaged(.zeroPage($0.page(of: "sets", "leaf", at: 2)))
    },
    Sample("wrong-page.db", .damagedLossy, "a leaf of `sets` holds a copy of one of `outbox`") {
      try $0.damaged(
        .copyPage(
          from: $0.page(of: "outbox", "leaf", at: 3), to: $0.page(of: "sets", "leaf", at: 1)))
    },
    Sample("lost-root.db", .damagedIntact, "the root page of `sets` is zeros; its leaves are there")
    {
      try $0.damaged(.zeroPage($0.root(of: "sets")))
    },
    Sample("broken-overflow.db", .damagedLossy, "the chain of pages of a photo in `notes` is cut") {
      try $0.damaged(.cutOverflow(page: $0.overflowPage(of: "notes")))
    },
    Sample("crlf.db", .damagedIntact, "transferred as text: every LF became CR LF") {
      try $0.damaged(.crlf)
    },
  ]

  private static let unreadable = [
    Sample("empty.db", .unreadable, "no bytes at all") { _ in ["": []] },
    Sample("zeros.db", .unreadable, "nothing but zeros") { _ in
      ["": Bytes(repeating: 0, count: 16 * 1024)]
    },
    Sample("encrypted.db", .unreadable, "looks like an encrypted database: random bytes") { _ in
      var random = SeededRandom(seed: 11)
      return ["": random.bytes(64 * 1024)]
    },
    Sample("lost-database.db-wal", .unreadable, "a `-wal` without its database") {
      let files = try $0.database { try Leftover.wal([addWorkout]).leave(at: $0) }
      return ["": files["-wal", default: []]]
    },
    Sample("not-a-database.jpg", .unreadable, "the beginning of a photo") { _ in
      var random = SeededRandom(seed: 12)
      let start: Bytes = [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10]
      return [
        "": start + Bytes("JFIF\0".utf8) + [1, 1, 0, 0, 72, 0, 72, 0, 0] + random.bytes(6000)
      ]
    },
    Sample("error-page.db", .unreadable, "a web server's error page, saved under this name") { _ in
      let page = """
        <!DOCTYPE html>
        <html><head><title>404 Not Found</title></head>
        <body><h1>Not Found</h1><p>The requested file was not found on this server.</p></body></html>

        """
      return ["": Bytes(page.utf8)]
    },
    Sample("lfs-pointer.db", .unreadable, "a Git LFS pointer instead of the file") { _ in
      let pointer = """
        version https://git-lfs.github.com/spec/v1
        oid sha256:6b1e0e0a9c2f4d35a7e1c7f4be2d9c0835a4de6a0f9d1b7c8e3f52a6b4c7d8e9
        size 98304

        """
      return ["": Bytes(pointer.utf8)]
    },
  ]

  private static let addWorkout: DatabaseBuilder.Step = """
    INSERT INTO workouts (started_at, title, timezone)
      VALUES ('2024-02-29T06:30:00Z', 'In the log only', 'UTC');
    INSERT INTO sets (workout_id, exercise_id, position, reps, weight_kg)
      SELECT (SELECT max(id) FROM workouts), id, id, 5, 100 FROM exercises
    """

  private static let changeSets: DatabaseBuilder.Step = "UPDATE sets SET reps = reps + 1"

  private static let emptyOutbox: DatabaseBuilder.Step = "DELETE FROM outbox WHERE id % 3 = 0"
}
