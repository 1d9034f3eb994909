// SPDX-License-Identifier: Apache-2.0
// Every action with every call of ours and of SQLite's failing once, in every way it can.

import RescueTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.serialized) struct FaultTests {
  /// One call of a play and one way to fail.
  struct Failure: Sendable {
    let play: Play
    let fault: Fault

    var name: String {
      let call = play.calls[fault.call]
      let name = [EIO: "EIO", ENOSPC: "ENOSPC", EACCES: "EACCES", EINTR: "EINTR"][fault.errno]
      let lasting = fault.lasts ? ", lasting" : ""
      return "\(play.action), call \(fault.call) of \(play.calls.count) "
        + "(\(call.kind), \(call.isOurs ? "ours" : "SQLite's")), \(name ?? "")\(lasting)"
    }
  }

  /// The ways in which a call can fail.
  private static func errors(
    of call: (kind: DiskRecorder.Kind, isOurs: Bool)
  ) -> [Int32] {
    // What is interrupted inside SQLite, it tries again itself, below what is watched.
    let always = call.isOurs ? [EIO, EINTR] : [EIO]
    return switch call.kind {
    case .reading, .synchronizing: always
    case .naming: always + [ENOSPC, EACCES]
    case .removing: always + [EACCES]
    case .writing: always + [ENOSPC]
    }
  }

  /// The ways in which a call, and what follows, can fail.
  private static func lasting(_ kind: DiskRecorder.Kind, at call: Int) -> [Fault] {
    switch kind {
    case .reading: []
    // A disk that is full stays full.
    case .writing: [Fault(call: call, errno: ENOSPC, lasts: true)]
    // A disk that is pulled out, and a share that is gone.
    case .naming, .removing, .synchronizing: [Fault(call: call, errno: EIO, lasts: true)]
    }
  }

  private static let sweep = Sweep<Failure>(
    title: "failing calls", name: \.name,
    violations: { try $0.play.violations(with: $0.fault).violations })

  @Test func `whatever call fails, the database is the old one or the new one`() throws {
    var all = 0
    var chosen: [Failure] = []
    for action in Effort.actions {
      let play = try Play(action)
      let failures = play.calls.enumerated().flatMap { index, call in
        let once = Self.errors(of: call).map { Fault(call: index, errno: $0) }
        return (once + Self.lasting(call.kind, at: index)).map { Failure(play: play, fault: $0) }
      }
      all += failures.count
      chosen += Effort.choose(8, of: failures)
    }
    let result = Self.sweep.run(chosen, of: all)
    #expect(result.violations == [])
  }

  /// Where the disk fails for good once the change is in place, looking at it fails too: that is no
  /// reason to say that there is none.
  @Test(arguments: ["salvage to a new file", "merge of", "prune of", "restore from within, WAL"])
  func `what is in place when the disk fails for good is not denied`(_ name: String) throws {
    let play = try Play(try #require(Action.all.first { $0.description.hasPrefix(name) }))
    let failures = play.calls.indices.flatMap { index in
      Self.lasting(play.calls[index].kind, at: index).map { Failure(play: play, fault: $0) }
    }.filter { $0.fault.errno == EIO }
    let last = Array(failures.suffix(60))
    #expect(last.count > 20)
    #expect(Self.sweep.run(last, of: failures.count).violations == [])
  }
}
