// SPDX-License-Identifier: Apache-2.0
// A reading that somebody stops: nothing is made of what was read until then.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct CutShortTests {
  /// Bytes that are given out for so many reads, and then no more.
  private final class StoppingSource: PageSource {
    private let base: MemorySource
    private let readsLeft: Mutex<Int>

    init(_ bytes: Bytes, reads: Int) {
      base = MemorySource(bytes)
      readsLeft = Mutex(reads)
    }

    var byteCount: Int { base.byteCount }
    /// How many reads were not made.
    var unused: Int { readsLeft.withLock(\.self) }

    func stop() { readsLeft.withLock { $0 = 0 } }

    func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
      let isStopped = readsLeft.withLock { left in
        left -= 1
        return left < 0
      }
      if isStopped { throw .stopped(at: offset) }
      return base.read(at: offset, count: count)
    }
  }

  private static func rebuilt(_ source: StoppingSource) throws(CutShort) -> Reconstruction {
    try Reconstruction(FileSet(main: source), parser: SandboxParser())
  }

  @Test(arguments: ["healthy-v4.db", "zeroed-leaf.db", "wiped-header.db"] as [FilePath])
  func `wherever the reading is stopped, there is no survey`(_ sample: FilePath) throws {
    let bytes = try Checkout.samples.appending(sample).contents()
    let whole = StoppingSource(bytes, reads: 1_000_000)
    _ = try Self.rebuilt(whole)
    let reads = 1_000_000 - whole.unused
    for count in stride(from: 0, to: reads, by: max(1, reads / 200)) {
      let source = StoppingSource(bytes, reads: count)
      do {
        _ = try Self.rebuilt(source)
        // Where threads take turns, one survey has fewer reads than another.
        #expect(source.unused >= 0)
      } catch {
        #expect(source.unused < 0)
      }
    }
  }

  @Test func `what is stopped after the survey is neither judged, compared nor planned`() throws {
    let bytes = try Checkout.samples.appending("zeroed-leaf.db").contents()
    let source = StoppingSource(bytes, reads: 1_000_000)
    let rebuilt = try Self.rebuilt(source)
    let examination = try Examination(rebuilt)
    let option = examination.resetOption
    source.stop()
    let other = try Reconstruction(FileSet(main: MemorySource(bytes)), parser: SandboxParser())
    #expect(throws: CutShort.self) { try rebuilt.compare(with: other) }
    #expect(throws: CutShort.self) { try examination.judgedAgain() }
    #expect(throws: CutShort.self) { try Examination(rebuilt) }
    #expect(throws: CutShort.self) {
      try Plan(for: examination, option: option, steps: [], quarantine: "", undo: "")
    }
  }
}
