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

  /// Takes back what was written after a position.
  mutating func truncate(to position: Int) throws(RescueError) {
    guard position < self.position else { return }
    do { try file.truncate(to: position) } catch { throw RescueError(error) }
    self.position = position
  }

  /// Makes what was written durable.
  func synchronize() throws(RescueError) {
    do { try file.synchronize() } catch { throw RescueError(error) }
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
    try put(bytes, at: position)
    position += bytes.count
  }

  private func put(_ bytes: Bytes, at position: Int) throws(RescueError) {
    do { try file.write(bytes, at: position) } catch {
      throw RescueError(error, meaning: "the backup was not made; the database is untouched")
    }
  }
}

// MARK: - The image

/// What became of an image that was stored.
struct StoredImage {
  /// How many members were taken over from the earlier backup.
  var reusedCount = 0
  /// Where the image differs from that of the earlier backup; nil when there was none.
  var changes: ImageChanges?
  /// The SHA-256 of the image; nil when every byte is as in the earlier backup.
  var digest: Digest?
}

extension ArchiveWriter {
  /// Writes the image in data members.
  ///
  /// Every span is proven before and after it is written: its deflate data is inflated and compared
  /// with it, and then what the file holds is compared with what was written. A member of the earlier
  /// backup that inflates to exactly these bytes is taken over as it is.
  ///
  /// While one batch of spans is compressed on all cores, the batch before is written and read back,
  /// and the next one is read.
  ///
  /// - Parameters:
  ///   - image: The bytes to store, which do not change.
  ///   - name: What the image is called in an error.
  ///   - earlier: An earlier backup, most of whose bytes may be the same.
  /// - Returns: What became of it.
  /// - Throws: ``RescueError`` when the image cannot be read, or the file not be written or does not
  ///   read back as it was written.
  mutating func write(
    image: any PageSource, from name: FilePath, like earlier: Archive? = nil
  ) throws(RescueError) -> StoredImage {
    let input = SpanInput(
      image: image, name: name, earlier: earlier, spanByteCount: spanByteCount)
    let encoder = SpanEncoder(level: level, spanByteCount: spanByteCount)
    var stored = StoredImage(changes: earlier.map { _ in ImageChanges() })
    // An image that is as it was has a digest already.
    var hash = earlier?.imageByteCount == image.byteCount ? nil : SHA256()
    var encoded: [EncodedSpan] = []
    var batch = try input.spans(from: 0, addingTo: &hash)
    while !batch.isEmpty {
      let spans = batch
      let end = spans.last?.range.upperBound ?? image.byteCount
      let step = Step(writer: self, encoded: encoded, end: end, hash: hash, input: input)
      // One piece of work beside the spans: all that has to go in the order of the image.
      let results = Parallel.map(spans.count + 1) { index -> StepResult in
        index == 0
          ? .inOrder(Result { () throws(RescueError) in try step.runInOrder() })
          : .span(
            Result { () throws(RescueError) in try spans[index - 1].encoded(by: encoder) })
      }
      encoded = []
      for result in results {
        switch result {
        case .inOrder(let outcome):
          let outcome = try outcome.get()
          take(outcome.members)
          (hash, batch) = (outcome.hash, outcome.next)
        case .span(let span): encoded.append(try span.get())
        }
      }
      stored.take(encoded)
      if hash == nil, stored.changes?.isEmpty == false {
        hash = try input.hash(of: 0..<(batch.last?.range.upperBound ?? end))
      }
    }
    take(try store(encoded, total: image.byteCount))
    if let old = earlier?.imageByteCount, old > image.byteCount {
      stored.changes?.add([image.byteCount..<old])
    }
    stored.digest = hash?.digest()
    return stored
  }

  private mutating func take(_ written: [DataMember]) {
    members += written
    position = written.last?.range.upperBound ?? position
  }

  /// Writes data members behind those that are there, and compares the file with what was written.
  fileprivate func store(
    _ spans: [EncodedSpan], total: Int
  ) throws(RescueError) -> [DataMember] {
    var written: [DataMember] = []
    var bytes = Bytes()
    bytes.reserveCapacity(spans.reduce(0) { $0 + $1.data.count + 108 })
    for span in spans {
      let member = DataMember(
        number: members.count + written.count, position: position + bytes.count,
        byteCount: MemberHead.byteCount + span.data.count + MemberHead.trailerByteCount,
        span: span.range, digest: span.digest)
      bytes += member.head(id: id, total: total).encoded
      bytes += span.data
      bytes.appendNumber(span.checksum)
      bytes.appendNumber(UInt32(span.range.count))
      written.append(member)
    }
    try put(bytes, at: position)
    let found: Bytes
    do { found = try file.read(at: position, count: bytes.count) } catch {
      throw RescueError(error, in: path)
    }
    guard found.isSame(as: bytes) else {
      throw .differs("the members from byte \(position) are not what was written")
    }
    return written
  }

  /// One step through the image: a batch is compressed, those before and after are written and read.
  private struct Step: Sendable {
    let writer: ArchiveWriter
    let encoded: [EncodedSpan]
    /// Where the batch ends.
    let end: Int
    let hash: SHA256?
    let input: SpanInput

    struct Outcome: Sendable {
      var members: [DataMember]
      var hash: SHA256?
      var next: [ImageSpan]
    }

    func runInOrder() throws(RescueError) -> Outcome {
      let members = try writer.store(encoded, total: input.image.byteCount)
      var hash = hash
      let next = try input.spans(from: end, addingTo: &hash)
      return Outcome(members: members, hash: hash, next: next)
    }
  }

  private enum StepResult: Sendable {
    case inOrder(Result<Step.Outcome, RescueError>)
    case span(Result<EncodedSpan, RescueError>)
  }
}

extension StoredImage {
  fileprivate mutating func take(_ spans: [EncodedSpan]) {
    for span in spans {
      if span.isReused { reusedCount += 1 }
      changes?.add(span.changes)
    }
  }
}

extension RescueError {
  /// The error of a backup that is not what it should be as soon as it is written.
  static func differs(_ reason: String) -> RescueError {
    RescueError(
      .inputOutput, "the backup does not read back as it was written: \(reason)",
      meaning: "no backup was made; the database is untouched",
      advice: "the disk or the memory is failing: choose another vault")
  }

  /// Bytes of a file that cannot be read, as an error for people.
  init(_ failure: ReadFailure, in path: FilePath) {
    self.init(
      .inputOutput, "cannot read '\(path)' at byte \(failure.offset): \(failure.reason)",
      meaning: "the disk does not hand out some bytes",
      advice: "copy the file to another disk and try again")
  }
}
