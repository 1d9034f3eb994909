// SPDX-License-Identifier: Apache-2.0
// The digest by which a run shows that it has not changed what it was given.

package import SQLiteFormat

/// The digest of a file as evidence.
///
/// It is the SHA-256 of the whole file, as any tool computes it. Of a file with large holes, or one
/// of which some bytes cannot be read, it is that of the rest, block for block, each with its place:
/// then it is called so.
package struct EvidenceDigest: Hashable, Sendable, CustomStringConvertible {
  /// The SHA-256.
  package let digest: Digest
  /// Whether it is that of every byte.
  package let isWhole: Bool
  /// What could not be read.
  package let failure: ReadFailure?

  /// The digest in hexadecimal; with a prefix where it is not that of the whole file.
  package var description: String {
    isWhole ? digest.description : Self.partialPrefix + digest.description
  }

  /// What stands before the digest of a file that was not read from beginning to end.
  static let partialPrefix = "partial-sha256:"
  /// How many bytes of holes are read as the zeros that they stand for.
  private static let holesMax = 1 << 30
  /// How much is read at a time.
  private static let runSize = 1 << 18
  /// The length of a block that counts as one when it can be read.
  private static let blockSize = 4096

  /// Reads a file; `advance` is told how many bytes were read, and ends the work by throwing.
  package init(
    of file: any PageSource, advance: (Int) throws(RescueError) -> Void
  ) throws(RescueError) {
    if file.byteCount - Self.dataByteCount(of: file) <= Self.holesMax,
      let digest = try Self.whole(file, advance)
    {
      (self.digest, isWhole, failure) = (digest, true, nil)
    } else {
      isWhole = false
      (digest, failure) = try Self.partial(file, advance)
    }
  }

  private static func dataByteCount(of file: any PageSource) -> Int {
    var count = 0
    var offset = 0
    while let range = file.dataRange(from: offset) {
      count += range.count
      offset = range.upperBound
    }
    return count
  }

  /// The digest of all bytes; nil where some cannot be read.
  private static func whole(
    _ file: any PageSource, _ advance: (Int) throws(RescueError) -> Void
  ) throws(RescueError) -> Digest? {
    var digest = SHA256()
    var offset = 0
    while offset < file.byteCount {
      guard let bytes = try? file.read(at: offset, count: runSize) else { return nil }
      if bytes.isEmpty { break }
      digest.update(bytes)
      offset += bytes.count
      try advance(bytes.count)
    }
    return digest.digest()
  }

  private static func partial(
    _ file: any PageSource, _ advance: (Int) throws(RescueError) -> Void
  ) throws(RescueError) -> (Digest, ReadFailure?) {
    var digest = SHA256()
    var failure: ReadFailure?
    digest.update(place(file.byteCount))
    var offset = 0
    while let range = file.dataRange(from: offset) {
      var start = range.lowerBound / blockSize * blockSize
      while start < range.upperBound {
        let run = try? file.read(at: start, count: runSize)
        for block in stride(from: start, to: min(start + runSize, range.upperBound), by: blockSize)
        {
          let bytes =
            run.map { $0.slice((block - start)..<min(block - start + blockSize, $0.count)) }
            ?? (try? file.read(at: block, count: blockSize))
          digest.update(place(block))
          digest.update(bytes ?? place(-1))
          if bytes == nil, failure == nil {
            failure = ReadFailure(offset: block, reason: "it cannot be read for its digest")
          }
        }
        start += runSize
        try advance(runSize)
      }
      offset = max(range.upperBound, start)
    }
    return (digest.digest(), failure)
  }

  private static func place(_ number: Int) -> Bytes {
    Bytes((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }
}
