// SPDX-License-Identifier: Apache-2.0
// Writes the members of a backup file, in order and from the first byte on.

internal import SQLiteFormat

/// Writes the members of a backup file, in order and from the first byte on.
struct ArchiveWriter {
  /// The file, at `path`: new, empty and ours.
  let file: any StoredFile
  let path: FilePath
  let id: BackupID
  /// From 1, fast, to 9, small.
  let level: Int
  /// The bytes of the image that one data member holds.
  let spanByteCount: Int

  /// Where the next member goes.
  private(set) var position = 0
  /// The data members written so far.
  private(set) var members: [DataMember] = []

  /// Begins a file.
  init(
    file: any StoredFile, path: FilePath, id: BackupID, level: Int,
    spanByteCount: Int = MemberHead.spanByteCount
  ) {
    self.file = file
    self.path = path
    self.id = id
    self.level = level
    self.spanByteCount = spanByteCount
  }

  /// Writes what is known before the data.
  mutating func write(opening document: Bytes) throws(RescueError) {
    _ = try write(document, as: .opening)
  }

  /// Writes the image in data members, several at a time.
  ///
  /// - Parameters:
  ///   - image: The bytes to store.
  ///   - name: What the image is called in an error.
  /// - Returns: The SHA-256 of the image.
  /// - Throws: ``RescueError`` when the image cannot be read or the file not be written.
  mutating func write(image: any PageSource, from name: FilePath) throws(RescueError) -> Digest {
    let total = image.byteCount
    let batchByteCount = Parallel.batchCount * spanByteCount
    var whole = SHA256()
    for start in stride(from: 0, to: total, by: batchByteCount) {
      let end = min(start + batchByteCount, total)
      let bytes = try Self.read(image, start..<end, from: name)
      whole = try write(batch: bytes, at: start, total: total, after: whole)
    }
    return whole.digest()
  }

  /// Writes what was measured after the data, the index and the end mark.
  mutating func finish(manifest document: Bytes, imageByteCount: Int) throws(RescueError) {
    let manifest = try write(document, as: .manifest)
    var entries = Bytes()
    for member in members {
      entries.appendNumber(UInt64(member.position))
      entries.appendNumber(UInt32(member.byteCount))
      entries.appendNumber(UInt32(member.span.count))
      entries += member.digest.bytes
    }
    let index = try write(entries, as: .index)
    let mark = EndMark(
      manifest: manifest, index: index, imageByteCount: imageByteCount,
      memberCount: members.count)
    _ = try write(mark.encoded, as: .end)
  }

  /// Makes what was written durable.
  func synchronize() throws(RescueError) {
    do { try file.synchronize() } catch { throw RescueError(error) }
  }

  private static func read(
    _ image: any PageSource, _ range: Range<Int>, from name: FilePath
  ) throws(RescueError) -> Bytes {
    let bytes: Bytes
    do { bytes = try image.read(at: range.lowerBound, count: range.count) } catch {
      throw RescueError(error, in: name)
    }
    guard bytes.count == range.count else {
      throw RescueError(
        .busy, "'\(name)' became shorter while it was read",
        meaning: "something else is writing to it; nothing was stored",
        advice: "close the app that uses the database, and try again")
    }
    return bytes
  }

  /// Compresses the spans of `bytes` on all cores, and writes them in order.
  private mutating func write(
    batch bytes: Bytes, at start: Int, total: Int, after hash: SHA256
  ) throws(RescueError) -> SHA256 {
    let spans = stride(from: 0, to: bytes.count, by: spanByteCount).map {
      $0..<min($0 + spanByteCount, bytes.count)
    }
    let level = level
    // One piece of work beside the spans: the digest of the image, which has to go in order.
    let results = Parallel.map(spans.count + 1) { index -> BatchResult in
      guard index > 0 else {
        var hash = hash
        hash.update(bytes)
        return .whole(hash)
      }
      let span = Bytes(bytes[spans[index - 1]])
      return .span(
        Deflate.compress(span, level: level), SHA256.digest(of: span), CRC32.checksum(of: span))
    }
    var whole = hash
    var next = spans.makeIterator()
    for result in results {
      switch result {
      case .whole(let hash): whole = hash
      case .span(let data, let digest, let checksum):
        guard let data, let span = next.next() else {
          throw RescueError(.internal, "memory is short", advice: "close other programs")
        }
        try write(
          data, digest: digest, checksum: checksum,
          span: (start + span.lowerBound)..<(start + span.upperBound), total: total)
      }
    }
    return whole
  }

  /// What one piece of work on a batch gives.
  private enum BatchResult: Sendable {
    case whole(SHA256)
    case span(Bytes?, Digest, UInt32)
  }

  /// Writes one data member around deflate data that stands for `span` of the image.
  private mutating func write(
    _ data: Bytes, digest: Digest, checksum: UInt32, span: Range<Int>, total: Int
  ) throws(RescueError) {
    let byteCount = MemberHead.byteCount + data.count + MemberHead.trailerByteCount
    let member = DataMember(
      number: members.count, position: position, byteCount: byteCount, span: span, digest: digest)
    var bytes = member.head(id: id, total: total).encoded
    bytes += data
    bytes.appendNumber(checksum)
    bytes.appendNumber(UInt32(span.count))
    try append(bytes)
    members.append(member)
  }

  /// Writes a document in empty members; one that holds nothing still gets one part.
  private mutating func write(
    _ document: Bytes, as kind: MemberHead.Kind
  ) throws(RescueError) -> EndMark.Document {
    let begin = position
    var start = 0
    var number = 0
    repeat {
      let end = min(start + MemberHead.payloadByteCountMax, document.count)
      let payload = Bytes(document[start..<end])
      let head = MemberHead(
        kind: kind, id: id, number: number, deflatedByteCount: Deflate.nothing.count,
        inflatedByteCount: 0, payloadByteCount: payload.count, offset: start,
        total: document.count, digest: SHA256.digest(of: payload))
      try append(head.encoded + payload + Deflate.nothing + MemberHead.emptyTrailer)
      start = end
      number += 1
    } while start < document.count
    return EndMark.Document(
      position: begin, byteCount: document.count, digest: SHA256.digest(of: document))
  }

  private mutating func append(_ bytes: Bytes) throws(RescueError) {
    do { try file.write(bytes, at: position) } catch {
      throw RescueError(error, meaning: "the backup was not made; the database is untouched")
    }
    position += bytes.count
  }
}

extension RescueError {
  /// Bytes of a file that cannot be read, as an error for people.
  init(_ failure: ReadFailure, in path: FilePath) {
    self.init(
      .inputOutput, "cannot read '\(path)' at byte \(failure.offset): \(failure.reason)",
      meaning: "the disk does not hand out some bytes",
      advice: "copy the file to another disk and try again")
  }
}
