// SPDX-License-Identifier: Apache-2.0
// The programs to run: read from standard input, started one by one, measured by the system.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One program to run.
struct Job {
  /// How long it may run.
  let seconds: Double
  /// The folder that it runs in.
  let folder: String
  /// The file that both its streams go to.
  let output: String
  /// The program and its arguments.
  let words: [String]
}

/// Runs the jobs of standard input in turn, with this process's environment.
///
/// A job is fields that each end in a NUL: the seconds, the folder, the file for the output, the
/// number of words, and the words. For each, a line tells how it ended (`exited`, `signalled` or
/// `timeout`) with the status or signal, the most memory it held in KiB, and the microseconds of
/// processor and of clock time.
func runJobs() {
  giveUpPrivileges()
  limit(RLIMIT_CORE, to: 0)
  limit(RLIMIT_FSIZE, to: 96 << 20)
  limit(RLIMIT_AS, to: 6 << 30)
  for job in readJobs() {
    print(unsafe run(job))
  }
}

/// Ends this process as failed.
func exitBadly() -> Never { exit(64) }

/// Nobody's number: what a hostile file makes a program do, it does as nobody.
private let nobody: UInt32 = 65534

private func giveUpPrivileges() {
  guard getuid() == 0 else { return }
  guard setgroups(0, nil) == 0, setgid(nobody) == 0, setuid(nobody) == 0 else { exitBadly() }
}

#if canImport(Darwin)
  private func limit(_ resource: Int32, to value: UInt64) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    unsafe setrlimit(resource, &limit)
  }
#else
  private func limit(_ resource: __rlimit_resource, to value: UInt) {
    var limit = rlimit(rlim_cur: value, rlim_max: value)
    unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
  }
#endif

private func readJobs() -> [Job] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(0, &buffer, buffer.count)
    guard count > 0 else { break }
    bytes += buffer[..<count]
  }
  var fields = bytes.split(separator: 0, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }[...]
  var jobs: [Job] = []
  while fields.count > 4 {
    let head = Array(fields.prefix(4))
    fields = fields.dropFirst(4)
    guard let seconds = Double(head[0]), let count = Int(head[3]), fields.count >= count else {
      exitBadly()
    }
    jobs.append(
      Job(seconds: seconds, folder: head[1], output: head[2], words: Array(fields.prefix(count))))
    fields = fields.dropFirst(count)
  }
  return jobs
}

@unsafe private func run(_ job: Job) -> String {
  let start = ContinuousClock.now
  guard unsafe chdir(job.folder) == 0, let process = unsafe spawn(job) else {
    return "unstarted \(errno) 0 0 0"
  }
  var status: Int32 = 0
  var usage = rusage()
  var isLate = false
  var pause: UInt32 = 100
  while true {
    let ended = unsafe wait4(process, &status, isLate ? 0 : WNOHANG, &usage)
    if ended == process { break }
    if !isLate, ContinuousClock.now - start > .seconds(job.seconds) {
      kill(-process, SIGKILL)
      isLate = true
    } else {
      usleep(pause)
      pause = min(pause * 5 / 4, 2000)
    }
  }
  // What it may have left running would go on changing files.
  kill(-process, SIGKILL)
  #if canImport(Darwin)
    let memory = usage.ru_maxrss / 1024
  #else
    let memory = usage.ru_maxrss
  #endif
  let signal = status & 0x7F
  let end =
    isLate
    ? "timeout 0" : signal == 0 ? "exited \(status >> 8 & 0xFF)" : "signalled \(signal)"
  let processor = usage.ru_utime.microseconds + usage.ru_stime.microseconds
  let clock = Int((ContinuousClock.now - start) / .microseconds(1))
  return "\(end) \(memory) \(processor) \(clock)"
}

@unsafe private func spawn(_ job: Job) -> pid_t? {
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
  unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_addopen(
    &actions, 1, job.output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
  var words = unsafe job.words.map { unsafe strdup($0) } + [nil]
  defer { unsafe words.forEach { unsafe free($0) } }
  var process: pid_t = 0
  let result = unsafe posix_spawn(
    &process, job.words[0], &actions, &attributes, &words, environ)
  errno = result
  return result == 0 ? process : nil
}

extension timeval {
  fileprivate var microseconds: Int { Int(tv_sec) * 1_000_000 + Int(tv_usec) }
}
