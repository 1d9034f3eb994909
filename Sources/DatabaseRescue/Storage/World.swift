// SPDX-License-Identifier: Apache-2.0
// Everything that a run takes from outside: files, time, chance, environment.

import SQLiteFormat

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Everything that a run takes from outside, so that a test can make it deterministic.
public struct World: Sendable {
  /// The file system.
  package var storage: any Storage
  /// The time.
  package var now: @Sendable () -> Date
  /// Random bits.
  package var random: @Sendable () -> UInt64
  /// The process environment.
  public var environment: [String: String]
  /// Whether somebody wishes the run to stop; asked between two reads of an input.
  ///
  /// Before the first change the run ends there; after it, it goes on to its end.
  public var isCancelled: @Sendable () -> Bool
  /// The exit status of a run that somebody wished to stop: 128, and the number of the signal.
  package var cancelledStatus: @Sendable () -> Int32 = {
    RescueError.Kind.interrupted.rawValue
  }
  /// Waits.
  package var pause: @Sendable (Duration) -> Void = { duration in
    usleep(UInt32(min(max(duration / .microseconds(1), 0), 1_000_000)))
  }
  /// Whether all children of this process are those that a run starts, so that orphans are, too.
  package var adoptsOrphans = false
  /// The most bytes that are read of a pipe.
  package var pipeByteCountMax = 1 << 30
  /// The most bytes of a database that a salvage makes; nil for twice those of its input, and a
  /// megabyte.
  package var outputByteCountMax: Int?
  /// Told how far the run is, by any thread.
  public var progress: @Sendable (Progress) -> Void

  /// Makes the real world, in which a run can be watched and stopped.
  ///
  /// In the environment, `DBRESCUE_LOG` is the path of the run log.
  public init(
    environment: [String: String] = ProcessInfo.processInfo.environment,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.init(
      storage: SystemStorage(), environment: environment, isCancelled: isCancelled,
      progress: progress)
  }

  /// Makes a world with files of its own; what is not given is the real one.
  package init(
    storage: any Storage,
    now: @escaping @Sendable () -> Date = { Date() },
    random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
    environment: [String: String] = ProcessInfo.processInfo.environment,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.storage = storage
    self.now = now
    self.random = random
    self.environment = environment
    self.isCancelled = isCancelled
    self.progress = progress
  }
}

extension World {
  /// The signal that is passed on to a program that was started.
  var cancelledSignal: Int32 { cancelledStatus() - 128 }

  /// The same world for work that was begun and must come to its end.
  var unstoppable: World {
    var world = self
    world.isCancelled = { false }
    return world
  }

  /// Ends a run that somebody wishes to stop.
  ///
  /// - Throws: ``RescueError`` of kind `interrupted`.
  func requireGoingOn() throws(RescueError) {
    if isCancelled() { throw .interrupted }
  }

  /// A source that tells what is read of it, and gives nothing more once somebody wishes the run to
  /// stop.
  ///
  /// What a pass reads several times is told in shares, so that they sum up to the size of the source.
  func watched(_ source: any PageSource, readings: Int = 1) -> any PageSource {
    WatchedSource(
      base: source, readings: readings, isCancelled: isCancelled, progress: progress)
  }
}
