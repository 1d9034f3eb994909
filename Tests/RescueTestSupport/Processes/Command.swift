// SPDX-License-Identifier: Apache-2.0
// A built program run as a process of its own, with its output and a time limit.

package import DatabaseRescue
package import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program with what it is given.
package struct Command: Sendable {
  /// The program.
  package var program: FilePath
  /// Its arguments, without its own name.
  package var arguments: [String]
  /// Its whole environment.
  package var environment: [String: String]
  /// What it can read from its standard input, which is a file and never a terminal.
  package var input: Bytes

  /// Describes a run of a program.
  package init(
    _ program: FilePath, _ arguments: [String], environment: [String: String] = [:],
    input: Bytes = []
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.input = input
  }

  /// Runs to the end, or to the time limit, at which the process and its children are killed.
  package func run(limit: Duration = .seconds(60)) throws -> Outcome {
    try start().wait(limit: limit)
  }

  /// Starts the program and goes on.
  package func start() throws -> RunningCommand {
    try RunningCommand(self)
  }

  /// How a process ended, and what it wrote.
  package struct Outcome: Sendable, CustomStringConvertible {
    /// How a process ended.
    package enum End: Hashable, Sendable {
      /// It returned this status.
      case exited(Int32)
      /// This signal ended it.
      case signalled(Int32)
      /// It was killed at the time limit.
      case timedOut
    }

    /// How it ended.
    package let end: End
    /// What it wrote to its standard output.
    package let output: Bytes
    /// What it wrote to its standard error.
    package let errors: Bytes

    /// The exit status; nil when it did not exit by itself.
    package var status: Int32? {
      if case .exited(let status) = end { status } else { nil }
    }

    /// The standard output as text.
    package var text: String { String(decoding: output, as: UTF8.self) }
    /// The standard error as text.
    package var errorText: String { String(decoding: errors, as: UTF8.self) }

    /// All of it, for the message of a failed expectation.
    package var description: String { "\(end)\n--- output\n\(text)\n--- errors\n\(errorText)" }
  }
}

/// A process that was started and not yet waited for; killed when nobody waits.
package final class RunningCommand {
  /// The process, which is also the number of its process group.
  package let processID: Int32
  private let scratch: ScratchFolder
  private var isReaped = false

  fileprivate init(_ command: Command) throws {
    scratch = try ScratchFolder()
    try scratch["input"].replaceContents(with: command.input)
    processID = try unsafe Self.spawn(command, scratch: scratch.path)
  }

  deinit {
    guard !isReaped else { return }
    kill(-processID, SIGKILL)
    reap()
  }

  /// Sends a signal to the process and its children.
  package func signal(_ number: Int32) {
    if !isReaped { kill(-processID, number) }
  }

  /// What the process has written to its standard output so far.
  package var outputSoFar: Bytes {
    get throws { try scratch["output"].contents() }
  }

  /// Waits for the end, or for the time limit, at which the process and its children are killed.
  package func wait(limit: Duration = .seconds(60)) throws -> Command.Outcome {
    let deadline = ContinuousClock.now + limit
    var status: Int32 = 0
    var end: Command.Outcome.End?
    while end == nil {
      let ended = unsafe waitpid(processID, &status, WNOHANG)
      if ended == processID {
        end = Self.end(of: status)
      } else if ended == -1 && errno != EINTR {
        throw StorageError(operation: "wait for", path: "process", errno: errno)
      } else if ContinuousClock.now >= deadline {
        kill(-processID, SIGKILL)
        reap()
        end = .timedOut
      } else {
        usleep(500)
      }
    }
    isReaped = true
    return Command.Outcome(
      end: end ?? .timedOut, output: try scratch["output"].contents(),
      errors: try scratch["errors"].contents())
  }

  private func reap() {
    var status: Int32 = 0
    while unsafe waitpid(processID, &status, 0) == -1 && errno == EINTR {}
  }

  /// The macros of `sys/wait.h`, which Swift does not import.
  private static func end(of status: Int32) -> Command.Outcome.End {
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// Spawns in a process group of its own, with the three standard streams as files.
  @unsafe private static func spawn(_ command: Command, scratch: FilePath) throws -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    unsafe posix_spawnattr_setpgroup(&attributes, 0)

    let write = O_WRONLY | O_CREAT | O_TRUNC
    for (number, (name, flags)) in [("input", O_RDONLY), ("output", write), ("errors", write)]
      .enumerated()
    {
      unsafe posix_spawn_file_actions_addopen(
        &actions, Int32(number), scratch.appending(FilePath(name)).description, flags, 0o600)
    }

    let program = command.program.description
    var words = unsafe ([program] + command.arguments).map { unsafe strdup($0) } + [nil]
    var variables =
      unsafe command.environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var processID: pid_t = 0
    let result = unsafe posix_spawn(
      &processID, program, &actions, &attributes, &words, &variables)
    guard result == 0 else {
      throw StorageError(operation: "start", path: command.program, errno: result)
    }
    return processID
  }
}
