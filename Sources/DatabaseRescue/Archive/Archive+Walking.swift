// SPDX-License-Identifier: Apache-2.0
// Finding the members of a backup file that has no end mark, or whose index is damaged.

internal import SQLiteFormat

extension Archive {
  /// Goes through a file from its start, member by member, and past damage to the next head.
  ///
  /// - Returns: What was found; nil when no member of ours is in the file.
  /// - Throws: `ReadFailure` when the file cannot be read.
  static func walk(_ file: any StoredFile) throws(ReadFailure) -> Archive? {
    var walk = MemberWalk(file)
    guard let first = try walk.next() else { return nil }
    var archive = Archive(file: file, id: first.head.id)
    var found: [DataMember] = []
    if first.position > 0 { archive.note("damaged bytes", 0..<first.position) }
    var next: MemberWalk.Found? = first
    var expected = first.position
    while let member = next {
      if member.position != expected {
        let bytes = min(member.position, expected)..<max(member.position, expected)
        archive.note("damaged bytes", bytes)
      }
      expected = member.position + member.head.memberByteCount
      try archive.take(member, into: &found)
      next = try walk.next()
    }
    if expected > file.byteCount {
      archive.note("the last member is cut short", file.byteCount..<file.byteCount)
    } else if expected < file.byteCount {
      archive.note("bytes after the last member", expected..<file.byteCount)
    }
    archive.place(found)
    return archive
  }

  /// No more flaws than this are kept: a file can be made of nothing else.
  private static let flawCountMax = 1000

  private mutating func note(_ message: String, _ bytes: Range<Int>) {
    guard flaws.count < Self.flawCountMax else { return }
    flaws.append(Flaw(message: message, bytes: bytes))
  }

  /// Takes in one member that the walk came by.
  private mutating func take(
    _ member: MemberWalk.Found, into found: inout [DataMember]
  ) throws(ReadFailure) {
    let head = member.head
    let bytes = member.position..<(member.position + head.memberByteCount)
    guard head.id == id else { return note("a member of another backup", bytes) }
    if head.kind != .data, try Self.part(of: file, at: member.position) == nil {
      note("a damaged part of a document", bytes)
    }
    switch head.kind {
    case .data:
      guard head.total == imageByteCount ?? head.total else {
        return note("a member of another image", bytes)
      }
      imageByteCount = head.total
      found.append(
        DataMember(
          number: head.number, position: member.position, byteCount: bytes.count,
          span: head.offset..<(head.offset + head.inflatedByteCount), digest: head.digest))
    case .opening where head.number == 0 && opening == nil:
      opening = try document(.opening, at: member.position)?.bytes
    case .manifest where head.number == 0 && manifest == nil:
      manifest = try document(.manifest, at: member.position)?.bytes
    case .end where bytes.upperBound <= byteCount && end == nil:
      let payload = try file.read(
        at: member.position + MemberHead.byteCount, count: EndMark.byteCount)
      guard SHA256.digest(of: payload) == head.digest, let mark = EndMark(payload) else {
        return note("the end mark is damaged", bytes)
      }
      end = mark
      imageByteCount = imageByteCount ?? mark.imageByteCount
    case .opening, .manifest, .index, .end: return
    }
  }

  /// Puts the data members in the order of the image; where two claim the same bytes, the first
  /// in the file is kept.
  private mutating func place(_ found: [DataMember]) {
    let ordered = found.sorted {
      ($0.span.lowerBound, $0.position) < ($1.span.lowerBound, $1.position)
    }
    for member in ordered {
      if let last = members.last, member.span.lowerBound < last.span.upperBound {
        note("a second copy of bytes of the image", member.range)
      } else {
        members.append(member)
      }
    }
    if members.map(\.position) != members.map(\.position).sorted() {
      note("members are out of order", 0..<byteCount)
    }
  }
}

extension DataMember {
  /// Where it lies in the file.
  var range: Range<Int> { position..<(position + byteCount) }
}

/// A walk over the heads of a file.
struct MemberWalk {
  /// A head that was found, and where.
  struct Found {
    var position: Int
    var head: MemberHead
  }

  /// The first window in which a head is looked for, and the largest.
  private static let windowByteCounts = (first: 4 * 1024, last: 1024 * 1024)

  private let file: any StoredFile
  private let byteCount: Int
  /// Where the next head should be, and from where it is looked for when it is not there.
  private var expected = 0
  private var searched = 0

  init(_ file: any StoredFile) {
    self.file = file
    self.byteCount = file.byteCount
  }

  /// The next head: where the length of the last member says, else wherever one is found after
  /// the last head, since bytes may be missing from the member.
  mutating func next() throws(ReadFailure) -> Found? {
    let start = try file.read(at: expected, count: MemberHead.byteCount)
    let found =
      if let head = MemberHead(start) { Found(position: expected, head: head) } else {
        try search()
      }
    guard let found else {
      searched = byteCount
      expected = byteCount
      return nil
    }
    searched = found.position + MemberHead.byteCount
    expected = found.position + found.head.memberByteCount
    return found
  }

  /// Looks for the next bytes that read as a head.
  private mutating func search() throws(ReadFailure) -> Found? {
    var window = Self.windowByteCounts.first
    while searched < byteCount {
      let bytes = try file.read(at: searched, count: window)
      if let found = Self.head(in: bytes) {
        return Found(position: searched + found.index, head: found.head)
      }
      // A head may begin in the last bytes of this window and end in the next.
      searched += max(bytes.count - MemberHead.byteCount + 1, 1)
      window = min(window * 2, Self.windowByteCounts.last)
    }
    return nil
  }

  private static func head(in bytes: Bytes) -> (index: Int, head: MemberHead)? {
    var index = 0
    while index <= bytes.count - MemberHead.byteCount {
      if bytes[index] == 0x1F, bytes[index + 1] == 0x8B, bytes[index + 3] == 4,
        let head = MemberHead(bytes, at: index)
      {
        return (index, head)
      }
      index += 1
    }
    return nil
  }
}
