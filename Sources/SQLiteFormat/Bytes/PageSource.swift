// SPDX-License-Identifier: Apache-2.0
// The only input of this module: somewhere that bytes can be read from.

/// A run of bytes.
///
/// `ContiguousArray` rather than `Array`, because its `span` reaches back to the
/// first Apple systems that have spans at all.
package typealias Bytes = ContiguousArray<UInt8>

/// Something that bytes can be read from by offset: a file, or bytes in memory.
///
/// Readers of this module never write and never ask for more than `byteCount`
/// bytes, so a conforming type decides alone what reading costs.
package protocol PageSource: Sendable {
  /// The number of bytes there are.
  var byteCount: Int { get }

  /// Reads up to `count` bytes from `offset`; fewer where the source ends.
  ///
  /// - Throws: ``ReadFailure`` when the bytes exist but cannot be had, for
  ///   example on a failing disk.
  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes

  /// The next bytes, from an offset on, that may be something else than zeros; nil when nothing but
  /// zeros follows.
  ///
  /// A file may have holes, which take no room and no time to be passed over: one of a hundred
  /// gigabytes can hold a few pages.
  func dataRange(from offset: Int) -> Range<Int>?
}

extension PageSource {
  /// All bytes from an offset on: what knows of no holes has none.
  package func dataRange(from offset: Int) -> Range<Int>? {
    max(0, offset) < byteCount ? max(0, offset)..<byteCount : nil
  }
}

/// Bytes that exist but could not be read.
package struct ReadFailure: Error, Hashable, Sendable {
  /// Where the read began, in bytes from the start of the source.
  package let offset: Int
  /// The reason in the words of whoever read.
  package let reason: String
  /// Whether nothing is wrong with the bytes: somebody wishes the reading to stop.
  package let isStop: Bool

  /// Makes a failure.
  package init(offset: Int, reason: String) {
    self.init(offset: offset, reason: reason, isStop: false)
  }

  /// The refusal to read on because somebody wishes the reading to stop.
  package static func stopped(at offset: Int) -> ReadFailure {
    ReadFailure(offset: offset, reason: "interrupted", isStop: true)
  }

  private init(offset: Int, reason: String, isStop: Bool) {
    self.offset = offset
    self.reason = reason
    self.isStop = isStop
  }
}

/// The end of work on the bytes of a database that was stopped before it was done.
///
/// To such work the rest looks damaged. Nothing that it found is true of the database, and so it
/// gives this instead of a result.
package struct CutShort: Error, Hashable, Sendable {
  /// Makes the end.
  package init() {}
}

/// Bytes in memory as a source.
package struct MemorySource: PageSource {
  /// The bytes that are read.
  package let bytes: Bytes

  /// Makes a source of `bytes`.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The number of bytes there are.
  package var byteCount: Int { bytes.count }

  /// Reads up to `count` bytes from `offset`; fewer where the bytes end.
  package func read(at offset: Int, count: Int) -> Bytes {
    guard offset >= 0, count > 0, offset < bytes.count else { return [] }
    let end = count <= bytes.count - offset ? offset + count : bytes.count
    return Bytes(bytes[offset..<end])
  }
}
