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
  public var succeeded: Bool { self == .exited(0) }

  /// The end in words.
  public var description: String {
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

  /// Makes a command.
  package init(_ command: [FilePath], environment: [String: String]) {
    self.command = command
    self.environment = environment
  }

  /// Runs it with this process's input and output, and waits for it.
  ///
  /// - Throws: ``StorageError`` when it cannot be started.
  package func run(timeout: Duration? = nil) throws(StorageError) -> ProcessEnd {
    guard let program = command.first else {
      throw StorageError(operation: "start", path: "", errno: ENOENT)
    }
    var process: pid_t = 0
    var attributes = SpawnAttributes()
    unsafe Self.makeDefault(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let variables = environment.map { FilePath("\($0.key)=\($0.value)") }
    let result = unsafe command.withCStrings { arguments in
      unsafe variables.withCStrings { environment in
        unsafe program.withCString {
          unsafe posix_spawnp(&process, $0, nil, &attributes, arguments, environment)
        }
      }
    }
    guard result == 0 else {
      throw StorageError(operation: "start", path: program, errno: result)
    }
    return wait(for: process, timeout: timeout)
  }

  #if canImport(Darwin)
    private typealias SpawnAttributes = posix_spawnattr_t?
  #else
    private typealias SpawnAttributes = posix_spawnattr_t
  #endif

  /// Gives the program the signals that a shell would give it, whatever this process ignores.
  @unsafe private static func makeDefault(_ attributes: inout SpawnAttributes) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGPIPE, SIGTERM] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
  }

  private func wait(for process: pid_t, timeout: Duration?) -> ProcessEnd {
    let clock = ContinuousClock()
    let deadline = timeout.map { clock.now.advanced(by: $0) }
    var status: Int32 = 0
    while true {
      let done = unsafe waitpid(process, &status, deadline == nil ? 0 : WNOHANG)
      if done == process { break }
      if done == -1, errno != EINTR { return .exited(127) }
      if let deadline, clock.now >= deadline {
        kill(process, SIGKILL)
        while unsafe waitpid(process, &status, 0) == -1, errno == EINTR {}
        return .timedOut
      }
      if done == 0 { usleep(10_000) }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
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
