// SPDX-License-Identifier: Apache-2.0
// How far a backup and a salvage are is told against a whole that is not passed.

import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

@Suite struct BackupProgressTests {
  /// One pass, with its whole and what of it was done.
  private struct Pass {
    let pass: Progress.Pass
    let whole: Int
    var done = 0
  }

  /// The passes of a run.
  private final class Passes: Sendable {
    let all = Mutex<[Pass]>([])

    func take(_ progress: Progress) {
      all.withLock { all in
        switch progress {
        case .began(let pass, let byteCount):
          all.append(Pass(pass: pass, whole: byteCount ?? all.last?.whole ?? 0))
        case .advanced(let count) where !all.isEmpty: all[all.count - 1].done += count
        case .advanced, .ended: break
        }
      }
    }
  }

  /// What the beginning of a file is read again for.
  private static let headMax = 6 << 20

  private func passes(_ body: (Rescue, ScratchFolder) throws -> Void) throws -> [Pass] {
    let (scratch, passes) = (try ScratchFolder(), Passes())
    try DatabaseBuilder(
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body BLOB)",
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 24000)
        INSERT INTO note SELECT i, randomblob(1000) FROM n
        """,
      ]
    ).build(at: scratch["app.db"])
    let world = World(
      storage: SystemStorage(),
      environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description],
      progress: passes.take)
    try body(Rescue(world: world), scratch)
    return passes.all.withLock(\.self)
  }

  @Test func `no pass of a backup goes beyond its whole, or stands`() throws {
    let passes = try passes { rescue, scratch in _ = try rescue.backUp(scratch["app.db"]) }
    #expect(passes.contains { $0.pass == .examining } && passes.contains { $0.pass == .verifying })
    for pass in passes {
      #expect(pass.done <= pass.whole + Self.headMax, "\(pass)")
      #expect(pass.done * 2 >= pass.whole, "\(pass)")
    }
  }

  @Test func `what is read twice counts once`() throws {
    let byteCount = Mutex(0)
    let passes = try passes { rescue, scratch in
      _ = try rescue.backUp(scratch["app.db"])
      byteCount.withLock { $0 = (try? scratch["app.db"].contents().count) ?? 0 }
    }
    let whole = byteCount.withLock(\.self)
    for pass in passes where [.examining, .verifying].contains(pass.pass) {
      #expect(pass.whole == whole, "\(pass)")
    }
  }

  @Test func `SQLite's check of what was salvaged tells how far it is`() throws {
    let passes = try passes { rescue, scratch in
      _ = try rescue.salvage(
        InputFiles(scratch["app.db"], storage: SystemStorage()), to: scratch["new.db"])
    }
    let check = try #require(passes.last { $0.pass == .verifying })
    #expect(check.done > 0 && check.done <= check.whole + Self.headMax, "\(check)")
  }
}
