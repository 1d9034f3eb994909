// SPDX-License-Identifier: Apache-2.0
// Programs run as processes of their own, with what they cost.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a piece of work took.
struct Cost {
  /// The time that passed.
  var seconds = 0.0
  /// The time that all cores together worked.
  var coreSeconds = 0.0
  /// The most memory that was resident at once.
  var memoryByteCount = 0

  /// Adds work that was done afterwards.
  mutating func add(_ next: Cost) {
    seconds += next.seconds
    coreSeconds += next.coreSeconds
    memoryByteCount = max(memoryByteCount, next.memoryByteCount)
  }
}

/// One program with its arguments.
struct Job {
  /// The program, looked for as a shell would, and its arguments.
  var command: [String]
  /// Where its output goes.
  var output: FilePath = "/dev/null"

  /// Runs to the end.
  ///
  /// - Throws: ``BenchError`` when the program cannot be started or fails.
  func run(environment: [String: String]) throws -> Cost {
    let start = ContinuousClock.now
    let process = try unsafe spawn(environment)
    var status: Int32 = 0
    var usage = rusage()
    while unsafe wait4(process, &status, 0, &usage) == -1 {
      guard errno == EINTR else { throw BenchError("cannot wait for '\(command[0])'") }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    guard status == 0 else { throw BenchError("'\(command.joined(separator: " "))' failed") }
    #if canImport(Darwin)
      let memory = usage.ru_maxrss
    #else
      let memory = usage.ru_maxrss * 1024
    #endif
    return Cost(
      seconds: seconds, coreSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds,
      memoryByteCount: memory)
  }

  @unsafe private func spawn(_ environment: [String: String]) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output.description, flags, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", flags, 0o600)
    var words = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var process: pid_t = 0
    let result = unsafe posix_spawnp(&process, command[0], &actions, nil, &words, &variables)
    guard result == 0 else { throw BenchError("cannot start '\(command[0])'") }
    return process
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1_000_000 }
}

/// Why nothing was measured.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
