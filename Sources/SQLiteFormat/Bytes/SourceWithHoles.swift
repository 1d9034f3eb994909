// SPDX-License-Identifier: Apache-2.0
// A file on a disk that does not hand out all of it, read around what it keeps.

import Synchronization

/// A source that gives zeros for blocks of another one that cannot be read, as copies of failing
/// disks do.
///
/// A block that once could not be read is not asked for again: each try can cost a failing disk
/// seconds, and its life.
final class SourceWithHoles: PageSource {
  private let base: any PageSource
  private let holes = Mutex<Set<Int>>([])
  let byteCount: Int

  /// What disks and file systems keep together.
  private static let blockSize = 4096
  /// How many blocks may be left out; with more of them, a copy is the first thing to make.
  private static let holesMax = 256

  init(_ base: any PageSource) {
    self.base = base
    byteCount = base.byteCount
  }

  func dataRange(from offset: Int) -> Range<Int>? { base.dataRange(from: offset) }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard offset >= 0, offset < byteCount, count > 0 else { return [] }
    let end = offset + min(count, byteCount - offset)
    let blocks = offset / Self.blockSize...(end - 1) / Self.blockSize
    let isKnown = holes.withLock { holes in blocks.contains { holes.contains($0) } }
    if !isKnown, let bytes = try handedOut(offset..<end) { return bytes }
    var bytes = Bytes()
    for block in blocks {
      let start = block * Self.blockSize
      bytes += try self.bytes(
        of: block, in: max(start, offset)..<min(start + Self.blockSize, end))
    }
    return bytes
  }

  /// The bytes of a block that are in a range; zeros where it cannot be read.
  private func bytes(of block: Int, in range: Range<Int>) throws(ReadFailure) -> Bytes {
    if !holes.withLock({ $0.contains(block) }) {
      if let bytes = try handedOut(range) { return bytes }
      let count = holes.withLock { holes in
        holes.insert(block)
        return holes.count
      }
      guard count <= Self.holesMax else {
        throw ReadFailure(offset: range.lowerBound, reason: "too much of it cannot be read")
      }
    }
    return Bytes(repeating: 0, count: range.count)
  }

  /// What the other source gives; nil where it cannot be read.
  private func handedOut(_ range: Range<Int>) throws(ReadFailure) -> Bytes? {
    do throws(ReadFailure) {
      return try base.read(at: range.lowerBound, count: range.count)
    } catch {
      if error.isStop { throw error }
      return nil
    }
  }
}
