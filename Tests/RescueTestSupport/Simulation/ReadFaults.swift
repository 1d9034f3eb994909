// SPDX-License-Identifier: Apache-2.0
// A disk that does not hand out some bytes, or others than it holds.

package import DatabaseRescue
package import SQLiteFormat
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Somebody who makes one read of a file go wrong, or that and every later one of the same bytes.
package final class ReadFaults: SystemCallWatch {
  /// How a read goes wrong.
  package enum Kind: String, CaseIterable, Sendable {
    /// It fails.
    case error
    /// It ends before the file does.
    case short
    /// It gives zeros.
    case changed
  }

  /// One read that goes wrong.
  package struct Fault: Sendable {
    /// Which read of the file, from 0.
    package let read: Int
    /// How.
    package let kind: Kind
    /// Whether the same bytes can never be read again.
    package let lasts: Bool

    /// Describes a fault.
    package init(read: Int, kind: Kind, lasts: Bool) {
      self.read = read
      self.kind = kind
      self.lasts = lasts
    }
  }

  private struct State {
    var reads = 0
    /// The bytes that cannot be read, from when the fault has struck.
    var range: Range<Int>?
    /// The reads that go wrong and are not over; several threads may read at once.
    var struck: [Range<Int>] = []
  }

  private let path: FilePath
  private let byteCount: Int
  private let fault: Fault?
  private let state = Mutex(State())

  /// Watches the reads of a file.
  package init(of path: FilePath, _ fault: Fault? = nil) throws {
    self.path = path
    byteCount = try SystemStorage().status(of: path)?.byteCount ?? 0
    self.fault = fault
  }

  /// How many bytes went wrong; none where the read was not made, as several threads do not always
  /// read as often.
  package var struckByteCount: Int { state.withLock { $0.range?.count ?? 0 } }

  /// How many reads there were.
  package var reads: Int { state.withLock(\.reads) }

  package func failure(before call: SystemCall) -> Int32? {
    guard let range = range(of: call) else { return nil }
    let strikes = state.withLock { state in
      defer { state.reads += 1 }
      // The first bytes of the read are those that are bad.
      let isFirst = state.reads == fault?.read
      if isFirst { state.range = range.lowerBound..<(range.lowerBound + min(range.count, 512)) }
      let isAgain = fault?.lasts == true && (state.range?.overlaps(range) ?? false)
      if isFirst || isAgain { state.struck.append(range) }
      return isFirst || isAgain
    }
    return strikes && fault?.kind == .error ? EIO : nil
  }

  package func succeeded(_ call: SystemCall) {}

  package func altered(_ bytes: Bytes, readBy call: SystemCall) -> Bytes {
    guard let range = range(of: call),
      let bad = state.withLock({ state -> Range<Int>? in
        guard let index = state.struck.firstIndex(of: range) else { return nil }
        state.struck.remove(at: index)
        return state.range
      })
    else { return bytes }
    let start = min(bytes.count, max(0, bad.lowerBound - range.lowerBound))
    switch fault?.kind {
    case .short: return Bytes(bytes[..<start])
    case .changed:
      let end = max(start, min(bytes.count, bad.upperBound - range.lowerBound))
      var changed = bytes
      changed.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
      return changed
    case .error, nil: return bytes
    }
  }

  private func range(of call: SystemCall) -> Range<Int>? {
    // A read behind the end asks only whether there is more.
    guard call.path == path, case .read(let offset, let count) = call.effect, offset < byteCount
    else { return nil }
    return offset..<(offset + count)
  }
}
