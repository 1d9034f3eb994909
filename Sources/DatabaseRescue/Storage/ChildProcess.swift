// SPDX-License-Identifier: Apache-2.0
// Running somebody else's program, such as a migration, and waiting for it.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a program ended.
public enum ProcessEnd: Hashable, Sendable {
  /// With an exit status.
  case exited(Int32)
  /// By a signal.
  case killed(signal: Int32)
  /// It was stopped because its time was up.
  case timedOut

  /// Whether it says itself that it succeeded.
  package var succeeded: Bool { self == .exited(0) }

  /// The end in words.
  package var description: String {
    switch self {
    case .exited(let status): "ended with status \(status)"
    case .killed(let signal): "was killed by signal \(signal)"
    case .timedOut: "did not end in time and was stopped"
    }
  }
}

/// Somebody else's program.
package struct ChildProcess: Sendable {
  /// The program and its arguments; the program is looked for as a shell would.
  package let command: [FilePath]
  /// Its environment.
  package let environment: [String: String]
  /// Whether its standard output is this process's standard error.
  package let printsToErrors: Bool

  /// Makes a command.
  package init(
    _ command: [FilePath], environment: [String: String], printsToErrors: Bool = false
  ) {
    self.command = command
    self.environment = environment
    self.printsToErrors = printsToErrors
  }

  /// Runs it with this process's input, output and errors, and waits for it.
  ///
  /// Once `isStopWished` says so, the signal is passed on; a program that does not heed it is
  /// stopped after a while. So is one whose time is up.
  ///
  /// - Throws: ``StorageError`` when it cannot be started.
  package func run(
    timeout: Duration? = nil, isStopWished: () -> Bool = { false },
    stopSignal: @autoclosure () -> Int32 = SIGINT
  ) throws(StorageError) -> ProcessEnd {
    guard let program = command.first else {
      throw StorageError(operation: "start", path: "", errno: ENOENT)
    }
    var process: pid_t = 0
    var attributes = SpawnAttributes()
    let hasOwnGroup = !Self.isAtTerminal
    unsafe Self.prepare(&attributes, hasOwnGroup: hasOwnGroup)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var actions = unsafe SpawnActions()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    if printsToErrors {
      unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    }
    let variables = environment.map { FilePath("\($0.key)=\($0.value)") }
    let result = unsafe command.withCStrings { arguments in
      unsafe variables.withCStrings { environment in
        unsafe program.withCString {
          unsafe posix_spawnp(&process, $0, &actions, &attributes, arguments, environment)
        }
      }
    }
    guard result == 0 else {
      throw StorageError(operation: "start", path: program, errno: result)
    }
    return RunningChild(process: process, hasOwnGroup: hasOwnGroup)
      .end(timeout: timeout, isStopWished: isStopWished, stopSignal: stopSignal())
  }

  #if canImport(Darwin)
    private typealias SpawnAttributes = posix_spawnattr_t?
    private typealias SpawnActions = posix_spawn_file_actions_t?
  #else
    private typealias SpawnAttributes = posix_spawnattr_t
    private typealias SpawnActions = posix_spawn_file_actions_t
  #endif

  /// Whether this process is in the foreground of a terminal, which then gives its signals to the
  /// program, too, and takes input for it only while it is in the same group.
  private static var isAtTerminal: Bool {
    let terminal = unsafe open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return false }
    defer { close(terminal) }
    return tcgetpgrp(terminal) == getpgrp()
  }

  /// Gives the program the signals that a shell would give it, whatever this process ignores; and
  /// where no terminal does so, a group of its own, so that a signal reaches all that it starts.
  @unsafe private static func prepare(
    _ attributes: inout SpawnAttributes, hasOwnGroup: Bool
  ) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP, SIGXFSZ] {
      unsafe sigaddset(&signals, signal)
    }
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
  }
}

/// Somebody else's program, running.
private struct RunningChild {
  /// How long a program may take to heed a signal.
  private static let grace = Duration.seconds(10)

  let process: pid_t
  let hasOwnGroup: Bool

  /// Waits for the end.
  func end(
    timeout: Duration?, isStopWished: () -> Bool, stopSignal: @autoclosure () -> Int32
  ) -> ProcessEnd {
    let clock = ContinuousClock()
    var deadline = timeout.map { clock.now.advanced(by: $0) }
    var isStopped = false
    var isLate = false
    var status: Int32 = 0
    while true {
      let done = unsafe waitpid(process, &status, WNOHANG)
      if done == process { break }
      if done == -1, errno != EINTR { return .exited(127) }
      if !isStopped, isStopWished() {
        isStopped = true
        signal(stopSignal())
        let last = clock.now.advanced(by: Self.grace)
        deadline = min(deadline ?? last, last)
      }
      if let last = deadline, clock.now >= last {
        isLate = !isStopped
        deadline = nil
        signal(SIGKILL)
      }
      usleep(10_000)
    }
    // What the program has started and left behind would go on with the database.
    if isStopped || isLate, hasOwnGroup { kill(-process, SIGKILL) }
    if isLate { return .timedOut }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }

  private func signal(_ number: Int32) {
    kill(hasOwnGroup ? -process : process, number)
  }
}

extension [FilePath] {
  /// Calls `body` with the strings as C strings, ended by a null pointer.
  @unsafe fileprivate func withCStrings<Result>(
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = unsafe map { string in
      unsafe string.withCString { unsafe strdup($0) }
    }
    defer { unsafe pointers.forEach { unsafe free($0) } }
    unsafe pointers.append(nil)
    return unsafe body(pointers)
  }
}
