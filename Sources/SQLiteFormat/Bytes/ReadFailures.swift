// SPDX-License-Identifier: Apache-2.0
// What could not be read of the files of a database, whoever tried: readers take it for damage and
// go on, and nobody may take what they make of it for the whole.

import Synchronization

/// What could not be read of the files of a database, by whichever reader.
package final class ReadFailures: Sendable {
  private struct State {
    var count = 0
    var first: ReadFailure?
    var isCutShort = false
  }

  private let state = Mutex(State())

  /// A list with nothing in it.
  package init() {}

  /// How many reads have failed.
  package var count: Int { state.withLock(\.count) }
  /// The first failure; nil as long as everything could be read.
  package var first: ReadFailure? { state.withLock(\.first) }

  /// Whether reading was stopped.
  package var isCutShort: Bool { state.withLock(\.isCutShort) }

  /// Notes what could not be read.
  package func note(_ failure: ReadFailure) {
    state.withLock { state in
      guard !failure.isStop else {
        state.isCutShort = true
        return
      }
      state.count += 1
      state.first = state.first ?? failure
    }
  }

  /// Ends work that was stopped: what it has made of the rest is not true.
  ///
  /// - Throws: ``CutShort`` when a read was refused because somebody wishes the reading to stop.
  package func requireUncut() throws(CutShort) {
    if isCutShort { throw CutShort() }
  }

  /// Ends work that is worth nothing unless everything was read.
  ///
  /// - Throws: The first failure.
  package func requireNone() throws(ReadFailure) {
    if let first { throw first }
  }
}

/// A source whose length is fixed from the start, and that notes what cannot be read of it.
struct NotedSource: PageSource {
  private let base: any PageSource
  private let failures: ReadFailures
  let byteCount: Int

  init(_ base: any PageSource, _ failures: ReadFailures) {
    self.base = base
    self.failures = failures
    byteCount = base.byteCount
  }

  func dataRange(from offset: Int) -> Range<Int>? {
    guard let range = base.dataRange(from: offset), range.lowerBound < byteCount else { return nil }
    return range.clamped(to: 0..<byteCount)
  }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    do throws(ReadFailure) {
      let wanted = min(count, byteCount - offset)
      let bytes = try base.read(at: offset, count: wanted)
      guard bytes.count >= wanted else {
        throw ReadFailure(
          offset: offset + bytes.count, reason: "the file is shorter than it was")
      }
      return bytes
    } catch {
      failures.note(error)
      throw error
    }
  }
}
