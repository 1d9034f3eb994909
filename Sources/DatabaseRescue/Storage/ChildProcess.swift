// SPDX-License-Identifier: Apache-2.0
// Running somebody else's program, such as a migration, and waiting for it and all it has started.

import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a program prints to.
public enum CommandOutput: Hashable, Sendable {
  /// The output and the errors of this process.
  case shared
  /// The errors of this process, both streams.
  case errors
  /// A file of its own, both streams; what was in it goes.
  case file(FilePath)
}

/// Somebody else's program.
package struct ChildProcess: Sendable {
  /// The program and its arguments; the program is looked for as a shell would.
  package let command: [FilePath]
  /// Its environment.
  package let environment: [String: String]
  /// The variable by whose value all that it starts is known; it is in the environment.
  package let mark: String
  /// Where it prints to.
  package let output: CommandOutput
  /// Paths that it gets in its environment as they are, whatever bytes are in them.
  package var paths: [String: FilePath] = [:]
  /// Whether all that is orphaned while it runs is of it, as this process starts nothing else.
  ///
  /// On Linux what has left its group and dropped its environment is found by that.
  package var adoptsOrphans = false
  /// How long it may take to heed a signal.
  package var grace = Duration.seconds(5)

  /// Makes a command.
  package init(
    _ command: [FilePath], environment: [String: String], mark: String,
    printingTo output: CommandOutput = .shared
  ) {
    self.command = command
    self.environment = environment
    self.mark = mark
    self.output = output
  }

  /// Runs it with this process's input, in a process group of its own, and waits for it.
  ///
  /// Once `isStopWished` says so, or its time is up, it is told to end, with all that it has
  /// started; what does not heed that is killed. So is what goes on after it has ended.
  ///
  /// - Throws: ``StorageError`` when it cannot be started, or its file cannot be written.
  package func run(
    timeout: Duration? = nil, isStopWished: () -> Bool = { false },
    stopSignal: @autoclosure () -> Int32 = SIGINT
  ) throws(StorageError) -> ProcessEnd {
    let adoption = adoptsOrphans ? OrphanAdoption() : nil
    defer { adoption?.end() }
    let process = try start()
    var family = ProcessFamily(group: process, mark: "\(mark)=\(environment[mark] ?? "")")
    family.strangers = adoption?.strangers
    var child = RunningChild(process: process, family: family, grace: grace)
    return child.end(timeout: timeout, isStopWished: isStopWished, stopSignal: stopSignal())
  }

  private func start() throws(StorageError) -> pid_t {
    guard let program = command.first else {
      throw StorageError(operation: "start", path: "", errno: ENOENT)
    }
    var process: pid_t = 0
    var attributes = SpawnAttributes()
    unsafe Self.prepare(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var actions = unsafe SpawnActions()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    let file = try openFile()
    defer { if let file { close(file) } }
    for stream in [STDOUT_FILENO, STDERR_FILENO] where output != .shared {
      unsafe posix_spawn_file_actions_adddup2(&actions, file ?? STDERR_FILENO, stream)
    }
    let variables =
      environment.filter { paths[$0.key] == nil }.map { FilePath("\($0.key)=\($0.value)") }
      + paths.map { FilePath(bytes: Array("\($0.key)=".utf8) + $0.value.bytes) }
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
    return process
  }

  /// Opens the file that it prints to, which nobody else may read; nil where there is none.
  private func openFile() throws(StorageError) -> Int32? {
    guard case .file(let path) = output else { return nil }
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC
    let file = unsafe path.withCString { unsafe open($0, flags, 0o600) }
    guard file >= 0 else { throw StorageError(operation: "write", path: path, errno: errno) }
    return file
  }

  #if canImport(Darwin)
    private typealias SpawnAttributes = posix_spawnattr_t?
    private typealias SpawnActions = posix_spawn_file_actions_t?
  #else
    private typealias SpawnAttributes = posix_spawnattr_t
    private typealias SpawnActions = posix_spawn_file_actions_t
  #endif

  /// Gives the program the signals that a shell would give it, whatever this process ignores; and a
  /// group of its own, so that a signal reaches all that it starts.
  @unsafe private static func prepare(_ attributes: inout SpawnAttributes) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for signal in [SIGINT, SIGPIPE, SIGTERM, SIGHUP, SIGXFSZ] {
      unsafe sigaddset(&signals, signal)
    }
    unsafe posix_spawnattr_init(&attributes)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
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
