// SPDX-License-Identifier: Apache-2.0
// The process as the system made it: arguments, standard streams, signals. The only file of the
// command line with system calls, and the only one that may say `unsafe`.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Streams {
  /// The standard streams of this process.
  package static func system(interruption: Interruption) -> Streams {
    Streams(
      terminal: Terminal(
        inputIsTerminal: isatty(STDIN_FILENO) == 1,
        outputIsTerminal: isatty(STDOUT_FILENO) == 1,
        errorIsTerminal: isatty(STDERR_FILENO) == 1,
        columns: SystemProcess.columns),
      write: { stream, bytes in
        SystemProcess.write(bytes, to: stream == .output ? STDOUT_FILENO : STDERR_FILENO)
      },
      readLine: { SystemProcess.readLine(until: interruption) })
  }
}

/// The process that this program runs in.
enum SystemProcess {
  /// The arguments as bytes, without the program's name.
  ///
  /// `CommandLine.arguments` would replace what is not UTF-8, and a file whose
  /// name is not UTF-8 could not be named.
  static var arguments: [[UInt8]] {
    let count = Int(CommandLine.argc)
    let vector = unsafe CommandLine.unsafeArgv
    return (1..<max(1, count)).compactMap { index in
      guard let argument = unsafe vector[index] else { return nil }
      let length = unsafe strlen(argument)
      return unsafe UnsafeBufferPointer(start: argument, count: length)
        .map { UInt8(bitPattern: $0) }
    }
  }

  /// Lets the first signal stop the run at the next safe place; the second Ctrl-C ends the process
  /// at once.
  ///
  /// Whoever closes a terminal or stops a machine often sends a signal twice, and does not mean
  /// more by it. Who started the program so that it outlives its terminal wants it to.
  ///
  /// A closed pipe and a file that must not grow are errors of the write, not signals.
  static func handleSignals() {
    _ = Interruption.ofProcess  // Made before a signal can ask for it.
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    _ = signal(SIGINT) { _ in
      let interruption = Interruption.ofProcess
      if interruption.request(SIGINT) || interruption.isPatient { return }
      _ = signal(SIGINT, SIG_DFL)
      raise(SIGINT)
    }
    _ = signal(SIGTERM) { Interruption.ofProcess.request($0) }
    let atHangUp = signal(SIGHUP) { Interruption.ofProcess.request($0) }
    if unsafe unsafeBitCast(atHangUp, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      _ = signal(SIGHUP, SIG_IGN)
    }
    // A program that starts this one from a thread without signals hands that down.
    var awaited = sigset_t()
    unsafe sigemptyset(&awaited)
    for number in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&awaited, number) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &awaited, nil)
  }

  /// How many files a process must be allowed to have open at once.
  private static let descriptorsMin: rlim_t = 32

  /// Refuses to begin where so few files may be open that threads could not be woken: the system's
  /// library ends the process then.
  ///
  /// - Throws: `RescueError` of the kind `.inputOutput`.
  static func requireDescriptors() throws(RescueError) {
    var limit = rlimit()
    guard unsafe getrlimit(fileLimit, &limit) == 0, limit.rlim_cur < descriptorsMin else { return }
    throw RescueError(
      .inputOutput, "this process may have no more than \(limit.rlim_cur) files open",
      meaning: "nothing was begun, and nothing was changed",
      advice: "ulimit -n \(descriptorsMin * 8), then try again")
  }

  #if canImport(Glibc)
    private static let fileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let fileLimit = RLIMIT_NOFILE
  #endif

  /// Ends the process.
  static func end(_ status: Int32) -> Never { exit(status) }

  /// The width of the terminal, or 80.
  fileprivate static var columns: Int {
    var size = winsize()
    for descriptor in [STDERR_FILENO, STDOUT_FILENO] {
      if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
        return Int(size.ws_col)
      }
    }
    return 80
  }

  /// Writes all of some bytes.
  fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> Streams.WriteResult {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: return .closed
      default: return .failed(unsafe String(cString: strerror(errno)).lowercased())
      }
    }
    return .written
  }

  /// Reads a line byte by byte, so that nothing is taken that a child process should get.
  fileprivate static func readLine(until interruption: Interruption) -> String? {
    var line: [UInt8] = []
    while !interruption.isRequested {
      // The signal may come to another thread, or before the wait begins.
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let ready = unsafe poll(&input, 1, lookMilliseconds)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      if ready < 0 { return nil }
      var byte: UInt8 = 0
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
      if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
    return nil
  }

  /// How long an answer is waited for between two looks at whether the run is to stop.
  private static let lookMilliseconds: Int32 = 100

  private static func waitUntilWritable(_ descriptor: Int32) {
    var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&output, 1, -1)
  }
}

// The C name that a member of the type above would hide.
@unsafe private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
