// SPDX-License-Identifier: Apache-2.0
// The terminal of this process, which a program in a group of its own is lent when it asks for it.
//
// Signals from the keyboard go to the group in the foreground. That stays this one, so that Ctrl-C
// is a wish to this run, until the program reads from the terminal: the system stops it then, and it
// goes on with the terminal as its own.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The terminal of this process, which a program is lent when it asks for it.
struct LentTerminal: ~Copyable {
  private let descriptor: Int32
  private let own = getpgrp()
  private var modes = termios()
  private var isLent = false

  /// Takes hold of the terminal; there may be none.
  init() {
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether this process may give it away.
  private var isOurs: Bool { descriptor >= 0 && tcgetpgrp(descriptor) == own }

  /// Does for a group that was stopped by a signal what a shell would do.
  ///
  /// - Returns: Whether that was done; else it is to be tried again later.
  mutating func serve(_ group: pid_t, stoppedBy signal: Int32) -> Bool {
    guard descriptor >= 0 else { return true }
    if isLent, signal != SIGTTIN, signal != SIGTTOU {
      // Ctrl-Z, typed at the program: this run stops with it, and goes on with it.
      takeBack()
      kill(0, SIGTSTP)
    }
    guard isOurs else { return false }
    if !isLent { unsafe tcgetattr(descriptor, &modes) }
    isLent = true
    setForeground(group)
    kill(-group, SIGCONT)
    return true
  }

  /// Takes the terminal back, as it was.
  mutating func takeBack() {
    guard isLent else { return }
    isLent = false
    setForeground(own)
    quietly { unsafe tcsetattr(descriptor, TCSADRAIN, &modes) }
  }

  private func setForeground(_ group: pid_t) {
    var status: Int32 = 0
    quietly { status = tcsetpgrp(descriptor, group) }
    _ = status
  }

  /// Does what the system would stop a process in the background for.
  private func quietly(_ body: () -> Void) {
    var (blocked, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&blocked, SIGTTOU)
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
    body()
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
