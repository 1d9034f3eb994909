// SPDX-License-Identifier: Apache-2.0
// The standard streams as a value, so that a test can listen and answer.

/// The standard streams.
package struct Streams: Sendable {
  /// How an attempt to write ended.
  enum WriteResult: Hashable, Sendable {
    /// Everything was written.
    case written
    /// Nobody reads any more.
    case closed
    /// It failed, for the reason given in the system's words.
    case failed(String)
  }

  /// What is at their other end.
  var terminal: Terminal
  /// Writes all of some bytes.
  var write: @Sendable (Channel, [UInt8]) -> WriteResult
  /// The next line of standard input without its end; nil at the end, or when interrupted.
  var readLine: @Sendable () -> String?
}
