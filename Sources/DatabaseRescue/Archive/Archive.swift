// SPDX-License-Identifier: Apache-2.0
// A backup file as a reader finds it: what is there, and what is wrong with it.

internal import SQLiteFormat

/// A backup file as a reader finds it: what is there, and what is wrong with it.
struct Archive: Sendable {
  /// The longest document that is read into memory.
  static let documentByteCountMax = 1 << 30

  /// The file.
  let file: any StoredFile
  /// The size of the file.
  let byteCount: Int
  /// The id that its members carry.
  let id: BackupID
  /// The length of the image; nil when nothing that is left says so.
  var imageByteCount: Int?
  /// The data members that were found, in the order of the image, none overlapping.
  var members: [DataMember] = []
  /// The document before the data, when it is whole.
  var opening: Bytes?
  /// The document after the data, when it is whole.
  var manifest: Bytes?
  /// The end mark; without it the file is incomplete.
  var end: EndMark?
  /// What is wrong with the file as far as reading heads and documents shows.
  var flaws: [Flaw] = []

  /// Something wrong with the file.
  struct Flaw: Hashable, Sendable {
    /// What: lower case, no full stop.
    var message: String
    /// Where in the file.
    var bytes: Range<Int>
  }

  init(file: any StoredFile, id: BackupID) {
    self.file = file
    self.byteCount = file.byteCount
    self.id = id
  }

  /// The parts of the image for which no member was found.
  var gaps: [Range<Int>] {
    var gaps: [Range<Int>] = []
    var position = 0
    for member in members {
      if member.span.lowerBound > position { gaps.append(position..<member.span.lowerBound) }
      position = member.span.upperBound
    }
    if let total = imageByteCount, position < total { gaps.append(position..<total) }
    return gaps
  }
}

// MARK: - Opening

extension Archive {
  /// Opens a file from its end mark, or by walking where that is not to be had.
  ///
  /// - Returns: What was found; nil when no member of ours is in the file.
  /// - Throws: `ReadFailure` when the file cannot be read.
  static func open(_ file: any StoredFile) throws(ReadFailure) -> Archive? {
    guard let mark = try endMark(of: file) else { return try isForeign(file) ? nil : walk(file) }
    if let archive = try Archive(file, id: mark.id, end: mark.end) { return archive }
    var archive = try walk(file)
    archive?.flaws.append(
      Flaw(
        message: "the end mark leads to a manifest or an index that is not whole",
        bytes: (file.byteCount - EndMark.memberByteCount)..<file.byteCount))
    return archive
  }

  /// Whether the file begins as a gzip file that is not ours.
  private static func isForeign(_ file: any StoredFile) throws(ReadFailure) -> Bool {
    let start = try file.read(at: 0, count: 16)
    guard start.count == 16, start[0] == 0x1F, start[1] == 0x8B else { return false }
    let hasExtraField = start[3] & 4 != 0
    return !hasExtraField || start[12] != UInt8(ascii: "D") || start[13] != UInt8(ascii: "R")
  }

  /// The end mark in the last bytes of a file.
  private static func endMark(
    of file: any StoredFile
  ) throws(ReadFailure) -> (id: BackupID, end: EndMark)? {
    let position = file.byteCount - EndMark.memberByteCount
    guard position >= 0, let part = try part(of: file, at: position), part.head.kind == .end,
      let mark = EndMark(part.payload)
    else { return nil }
    return (part.head.id, mark)
  }

  /// Reads what the end mark points to; nil when anything there does not fit.
  private init?(
    _ file: any StoredFile, id: BackupID, end: EndMark
  ) throws(ReadFailure) {
    self.init(file: file, id: id)
    self.end = end
    imageByteCount = end.imageByteCount
    guard let manifest = try document(.manifest, at: end.manifest.position),
      manifest.end == end.index.position, manifest.matches(end.manifest),
      let index = try document(.index, at: end.index.position),
      index.end == byteCount - EndMark.memberByteCount, index.matches(end.index),
      let members = Self.members(from: index.bytes, end: end)
    else { return nil }
    self.manifest = manifest.bytes
    self.members = members
    let dataStart = members.first?.position ?? end.manifest.position
    if let opening = try document(.opening, at: 0), opening.end == dataStart {
      self.opening = opening.bytes
    } else {
      flaws.append(
        Flaw(message: "the first copy of the manifest is damaged", bytes: 0..<dataStart))
    }
  }

  /// The data members that an index lists; nil when it does not describe one whole image.
  private static func members(from index: Bytes, end: EndMark) -> [DataMember]? {
    guard index.count % DataMember.entryByteCount == 0,
      index.count / DataMember.entryByteCount == end.memberCount
    else { return nil }
    var members: [DataMember] = []
    var offset = 0
    for start in stride(from: 0, to: index.count, by: DataMember.entryByteCount) {
      guard let position = index.number(at: start, count: 8),
        let byteCount = index.number(at: start + 8, count: 4),
        let inflated = index.number(at: start + 12, count: 4),
        let digest = Digest(bytes: index[(start + 16)..<(start + 48)]),
        (1...MemberHead.spanByteCountMax).contains(inflated),
        inflated <= end.imageByteCount - offset,
        byteCount >= MemberHead.byteCount + MemberHead.trailerByteCount,
        byteCount <= MemberHead.spanByteCountMax * 2, position <= end.manifest.position - byteCount
      else { return nil }
      if let last = members.last, position != last.position + last.byteCount { return nil }
      members.append(
        DataMember(
          number: members.count, position: position, byteCount: byteCount,
          span: offset..<(offset + inflated), digest: digest))
      offset += inflated
    }
    let dataEnd = members.last.map { $0.position + $0.byteCount } ?? end.manifest.position
    return offset == end.imageByteCount && dataEnd == end.manifest.position ? members : nil
  }
}

// MARK: - Documents

extension Archive {
  /// A document that was read, and where it ended in the file.
  struct Document {
    var bytes: Bytes
    var end: Int

    /// Whether this is the document that the end mark describes.
    func matches(_ described: EndMark.Document) -> Bool {
      bytes.count == described.byteCount && SHA256.digest(of: bytes) == described.digest
    }
  }

  /// Reads a document whose first part begins at `position`; nil when it is not whole.
  func document(
    _ kind: MemberHead.Kind, at position: Int
  ) throws(ReadFailure) -> Document? {
    var document = Document(bytes: [], end: position)
    var number = 0
    while let part = try Self.part(of: file, at: document.end) {
      let head = part.head
      guard head.kind == kind, head.id == id, head.number == number,
        head.offset == document.bytes.count, head.total <= Self.documentByteCountMax,
        !part.payload.isEmpty || head.total == 0
      else { return nil }
      document.bytes += part.payload
      document.end += head.memberByteCount
      number += 1
      if document.bytes.count == head.total { return document }
    }
    return nil
  }

  /// Reads and proves the empty member at `position`; nil when there is none.
  static func part(
    of file: any StoredFile, at position: Int
  ) throws(ReadFailure) -> (head: MemberHead, payload: Bytes)? {
    guard let head = MemberHead(try file.read(at: position, count: MemberHead.byteCount)),
      head.kind != .data
    else { return nil }
    let rest = try file.read(
      at: position + MemberHead.byteCount, count: head.memberByteCount - MemberHead.byteCount)
    let payload = Bytes(rest.prefix(head.payloadByteCount))
    guard rest == payload + Deflate.nothing + MemberHead.emptyTrailer,
      payload.count == head.payloadByteCount, SHA256.digest(of: payload) == head.digest
    else { return nil }
    return (head, payload)
  }
}

// MARK: - Data

extension Archive {
  /// What reading one data member gave.
  struct Reading: Sendable {
    /// The bytes of its span, proven by their digest; nil when they cannot be had.
    var bytes: Bytes?
    /// What is wrong with the member: without it `gunzip` reads it too.
    var flaw: String?
    /// Whether the disk did not hand it out, which says nothing of what it holds.
    var isUnread = false
  }

  /// Reads a data member, and says everything that is wrong with it.
  func read(_ member: DataMember) -> Reading {
    let stored: Bytes
    do { stored = try file.read(at: member.position, count: member.byteCount) } catch {
      return Reading(flaw: "cannot be read: \(error.reason)", isUnread: true)
    }
    guard stored.count == member.byteCount else { return Reading(flaw: "is cut short") }
    guard let bytes = Deflate.inflate(stored, in: member.deflated, to: member.span.count) else {
      return Reading(flaw: "does not inflate")
    }
    guard SHA256.digest(of: bytes) == member.digest else {
      return Reading(flaw: "does not hold the bytes that were stored")
    }
    var trailer = Bytes()
    trailer.appendNumber(CRC32.checksum(of: bytes))
    trailer.appendNumber(UInt32(bytes.count))
    guard stored[member.deflated.upperBound...].elementsEqual(trailer) else {
      return Reading(bytes: bytes, flaw: "has a damaged checksum; its data is whole")
    }
    guard let head = MemberHead(stored), head == member.head(id: id, total: head.total),
      head.total == imageByteCount
    else { return Reading(bytes: bytes, flaw: "has a damaged head; its data is whole") }
    return Reading(bytes: bytes)
  }

  /// Reads all data members in order, several at a time, and hands each to `body`.
  func forEachMember<Failure: Error>(
    _ body: (DataMember, Reading) throws(Failure) -> Void
  ) throws(Failure) {
    for start in stride(from: 0, to: members.count, by: Parallel.batchCount) {
      let batch = Array(members[start..<min(start + Parallel.batchCount, members.count)])
      let readings = Parallel.map(batch.count) { read(batch[$0]) }
      for (member, reading) in zip(batch, readings) { try body(member, reading) }
    }
  }
}

extension Archive {
  /// The place in the list of members of the one that holds a byte of the image.
  func index(ofMemberWith offset: Int) -> Int? {
    let index = members.partitioningIndex { $0.span.upperBound > offset }
    return index < members.count && members[index].span.contains(offset) ? index : nil
  }
}
