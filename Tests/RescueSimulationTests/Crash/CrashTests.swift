// SPDX-License-Identifier: Apache-2.0
// Every action cut short at every operation, with every kind of disk that a crash can leave.

import DatabaseRescue
import RescueTestSupport
import Testing

@Suite(.serialized) struct CrashTests {
  /// One moment of a play and one disk that a crash can leave then.
  struct Crash: Sendable {
    let play: Play
    let count: Int
    let arrival: Arrival

    var name: String {
      let last = count == 0 ? "nothing" : play.operations[count - 1].shown
      return "\(play.action), after \(count) of \(play.operations.count) (\(last)), \(arrival)"
    }
  }

  /// What of the unsynchronized may have arrived: extremes, and so many choices by chance.
  private static func arrivals(_ choices: UInt64) -> [Arrival] {
    [.everything, .nothing, .names, .content]
      + (0..<choices).map { .some(seed: Effort.seed &+ $0) }
  }

  private static let choices: UInt64 = 3

  private static let sweep = Sweep<Crash>(
    title: "crashes", name: \.name,
    violations: { try $0.play.violations(afterCrash: $0.count, $0.arrival) })

  /// All crashes that leave different disks.
  private static func crashes(of play: Play, choices: UInt64 = choices) -> [Crash] {
    var seen: Set<Int> = []
    var crashes: [Crash] = []
    for count in 0...play.operations.count {
      for arrival in arrivals(choices) {
        let disk = play.start.crashed(after: play.operations.prefix(count), arrival)
        let isEnd = count == play.operations.count
        if seen.insert(disk.hashValue ^ (isEnd ? 1 : 0)).inserted {
          crashes.append(Crash(play: play, count: count, arrival: arrival))
        }
      }
    }
    return crashes
  }

  @Test func `whatever a crash leaves, the database is the old one or the new one`() throws {
    var all: [Crash] = []
    var chosen: [Crash] = []
    var moments = 0
    for action in Effort.actions {
      let play = try Play(action)
      #expect(try play.endsAsItDid(), "\(action): the model and the disk differ")
      if Effort.tracesOperations {
        for (index, operation) in play.operations.enumerated() {
          print("simulation: \(action) \(index + 1): \(operation.shown)")
        }
      }
      let crashes = Self.crashes(of: play)
      moments += (play.operations.count + 1) * Self.arrivals(Self.choices).count
      all += crashes
      chosen += Effort.choose(8, of: crashes)
    }
    print("simulation: \(Effort.actions.count) actions, \(moments) crashes, \(all.count) disks")
    let result = Self.sweep.run(chosen, of: all.count)
    #expect(result.violations == [])
  }

  @Test func `a database that shrinks is whole when its journal comes back after the commit`()
    throws
  {
    let reset = try #require(Action.all.first { $0.description == "reset" })
    let play = try Play(reset)
    for count in 1...play.operations.count {
      guard case .truncate = play.operations[count - 1] else { continue }
      #expect(try play.violations(afterCrash: count, .content) == [])
    }
  }

  @Test(arguments: Canary.all)
  func `a protocol that is wrong does not get through`(_ canary: Action) throws {
    let play = try Play(canary)
    #expect(try play.endsAsItDid())
    // A canary has few operations: enough choices that none gets through by luck.
    let crashes = Self.crashes(of: play, choices: 32)
    let result = Sweep<Crash>(
      title: "canary, \(canary)", name: \.name,
      violations: { crash in
        try crash.play.violations(afterCrash: crash.count, crash.arrival).filter {
          $0.hasPrefix("at once, the database is neither")
        }
      }
    ).run(crashes, of: crashes.count)
    #expect(!result.violations.isEmpty)
  }
}

extension DiskOperation {
  /// The operation without the bytes that it writes.
  var shown: String {
    switch self {
    case .rename(let leaving, let entering, _):
      "name \(leaving?.description ?? "new") to \(entering?.description ?? "none")"
    case .write(let file, let bytes, let offset): "write \(bytes.count) at \(offset) of \(file)"
    case .truncate(let file, let byteCount): "truncate \(file) to \(byteCount)"
    case .synchronize(let file): "synchronize \(file)"
    case .createFolder(let path): "make \(path)"
    case .removeFolder(let path): "remove \(path)"
    case .synchronizeFolder(let path): "synchronize \(path)"
    }
  }
}
