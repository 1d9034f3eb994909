// SPDX-License-Identifier: Apache-2.0
// How much work something takes, whatever else the machine does meanwhile.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Does something, and tells how long this thread worked on it: its processor time, which a busy
/// machine leaves as it is.
package func measured<Result>(
  _ work: () throws -> Result
) rethrows -> (result: Result, effort: Duration) {
  func soFar() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = soFar()
  let result = try work()
  return (result, soFar() - start)
}
