// SPDX-License-Identifier: Apache-2.0
// The container: written, read from its end, walked, cut, and damaged byte by byte.

import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

/// A file in memory.
final class MemoryFile: StoredFile {
  private let content: Mutex<Bytes>

  init(_ bytes: Bytes = []) { content = Mutex(bytes) }

  var bytes: Bytes { content.withLock { $0 } }
  var byteCount: Int { content.withLock { $0.count } }

  func read(at offset: Int, count: Int) -> Bytes {
    content.withLock { MemorySource($0).read(at: offset, count: count) }
  }

  func write(_ bytes: Bytes, at offset: Int) {
    content.withLock { content in
      let missing = offset + bytes.count - content.count
      if missing > 0 { content += Bytes(repeating: 0, count: missing) }
      content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
  }

  func append(_ bytes: Bytes) { content.withLock { $0 += bytes } }
  func truncate(to byteCount: Int) { content.withLock { $0 = Bytes($0.prefix(byteCount)) } }
  func synchronize() {}
  func lock() -> Bool { true }
}

@Suite struct ArchiveTests {
  static let span = MemberHead.spanByteCount
  static let id = BackupID(random: 0x1234_5678_9ABC_DEF0)
  static let manifest = Bytes(#"{"last":"manifest"}"#.utf8)
  static let opening = Bytes(#"{"first":"manifest"}"#.utf8)

  /// Bytes that compress to about half, different everywhere.
  static func image(_ count: Int, seed: UInt64 = 1) -> Bytes {
    var state = seed
    return Bytes(
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 60)
      })
  }

  /// A whole backup file of an image.
  static func file(
    _ image: Bytes, id: BackupID = id, manifest: Bytes = manifest, level: Int = 6
  ) throws -> Bytes {
    let file = MemoryFile()
    var writer = ArchiveWriter(file: file, path: "memory", id: id, level: level)
    try writer.write(opening: opening)
    let stored = try writer.write(image: MemorySource(image), from: "image")
    #expect(stored.digest == SHA256.digest(of: image))
    try writer.finish(manifest: manifest, imageByteCount: image.count)
    #expect(writer.position == file.byteCount)
    return file.bytes
  }

  static func open(_ bytes: Bytes) throws -> Archive? { try Archive.open(MemoryFile(bytes)) }

  /// The bytes of all members that can be had, at their places, and what is wrong with any.
  static func read(_ archive: Archive) -> (spans: [Int: Bytes], flaws: [String]) {
    var spans: [Int: Bytes] = [:]
    var flaws: [String] = []
    archive.forEachMember { member, reading in
      spans[member.span.lowerBound] = reading.bytes
      if let flaw = reading.flaw { flaws.append(flaw) }
    }
    return (spans, flaws)
  }

  static func whole(_ archive: Archive) -> Bytes {
    read(archive).spans.sorted { $0.key < $1.key }.reduce(into: Bytes()) { $0 += $1.value }
  }

  @Test(arguments: [0, 1, span - 1, span, span + 1, 3 * span + 512])
  func `what was written is read, by us and as plain gzip`(byteCount: Int) throws {
    let image = Self.image(byteCount)
    let file = try Self.file(image)
    let archive = try #require(try Self.open(file))
    #expect(archive.flaws.isEmpty && archive.gaps.isEmpty)
    #expect(archive.end?.memberCount == (byteCount + Self.span - 1) / Self.span)
    #expect(archive.imageByteCount == byteCount)
    #expect(archive.manifest == Self.manifest)
    #expect(archive.opening == Self.opening)
    #expect(Self.whole(archive) == image)
    #expect(Self.read(archive).flaws.isEmpty)
    let plain = GzipTests.inflate(file)
    #expect(plain.bytes == image && plain.failure == nil)
  }

  @Test func `the same image gives the same bytes, and every level the same image`() throws {
    let image = Self.image(5 * Self.span)
    #expect(try Self.file(image) == Self.file(image))
    let fast = try Self.file(image, level: 1)
    #expect(try Self.whole(#require(try Self.open(fast))) == image)
  }

  @Test func `a document of several parts`() throws {
    let manifest = Self.image(200_000)
    let file = try Self.file([1, 2, 3], manifest: manifest)
    #expect(try Self.open(file)?.manifest == manifest)
    #expect(GzipTests.inflate(file).bytes == [1, 2, 3])
    // Without the end mark it is found by walking.
    let cut = try #require(try Self.open(Bytes(file.dropLast())))
    #expect(cut.manifest == manifest && cut.end == nil)
  }

  @Test func `a head survives, and no damaged head is taken for one`() {
    let head = MemberHead(
      kind: .data, id: Self.id, number: 7, deflatedByteCount: 1000, inflatedByteCount: 4096,
      payloadByteCount: 0, offset: 8192, total: 1 << 40, digest: SHA256.digest(of: [1]))
    let bytes = head.encoded
    #expect(bytes.count == MemberHead.byteCount)
    #expect(MemberHead(bytes) == head)
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(MemberHead(damaged) == nil, "byte \(index) bit \(bit)")
      }
    }
  }

  @Test func `a head that would exhaust us is refused`() {
    let sound = MemberHead(
      kind: .data, id: Self.id, number: 0, deflatedByteCount: 1000, inflatedByteCount: 4096,
      payloadByteCount: 0, offset: 0, total: 4096, digest: SHA256.digest(of: []))
    let changes: [(inout MemberHead) -> Void] = [
      { $0.inflatedByteCount = MemberHead.spanByteCountMax + 1 },
      { $0.inflatedByteCount = 0 }, { $0.deflatedByteCount = 1 << 30 },
      { $0.deflatedByteCount = 1 }, { $0.offset = 1 }, { $0.total = 4095 },
      { $0.payloadByteCount = 8 }, { $0.total = -1 },
    ]
    #expect(MemberHead(sound.encoded) == sound)
    for (index, change) in changes.enumerated() {
      var head = sound
      change(&head)
      #expect(MemberHead(head.encoded) == nil, "change \(index)")
    }
  }

  @Test func `cut anywhere, it is incomplete and every whole member can be read`() throws {
    let image = Self.image(2000)
    let file = MemoryFile()
    // Small members, as the format allows, so that every cut can be tried.
    let ends = try Self.writeSmallMembers(image, to: file)
    let bytes = file.bytes
    for count in 1..<bytes.count {
      let cut = Bytes(bytes[..<count])
      guard let archive = try Self.open(cut) else {
        #expect(count < MemberHead.byteCount, "cut at \(count)")
        continue
      }
      #expect(archive.end == nil, "cut at \(count)")
      let spans = Self.read(archive).spans
      #expect(spans.count == ends.filter { $0 <= count }.count, "cut at \(count)")
      for (start, span) in spans { #expect(image[start...].starts(with: span)) }
    }
  }

  /// Writes an archive with members of 500 bytes; gives where in the file each ends.
  static func writeSmallMembers(_ image: Bytes, to file: MemoryFile) throws -> [Int] {
    var writer = ArchiveWriter(
      file: file, path: "memory", id: id, level: 6, spanByteCount: 500)
    try writer.write(opening: opening)
    _ = try writer.write(image: MemorySource(image), from: "image")
    try writer.finish(manifest: manifest, imageByteCount: image.count)
    return writer.members.map { $0.position + $0.byteCount }
  }

  @Test func `every changed byte is found or makes no difference`() throws {
    let image = Self.image(2000)
    let file = MemoryFile()
    _ = try Self.writeSmallMembers(image, to: file)
    let bytes = file.bytes
    #expect(try Self.whole(#require(try Self.open(bytes))) == image)
    for index in bytes.indices {
      for change in [0x01, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] ^= change
        let archive = try #require(try Self.open(damaged), "byte \(index)")
        let (spans, flaws) = Self.read(archive)
        let isFound =
          !flaws.isEmpty || !archive.flaws.isEmpty || archive.end == nil
          || archive.manifest == nil || !archive.gaps.isEmpty
        if !isFound { #expect(GzipTests.inflate(damaged).bytes == image, "byte \(index)") }
        // Whatever is handed out is what was stored, and all but one member always is.
        for (start, span) in spans { #expect(image[start...].starts(with: span)) }
        #expect(spans.count >= 3, "byte \(index)")
      }
    }
  }

  @Test func `bytes taken out of the middle cost one member`() throws {
    let image = Self.image(2000)
    let file = MemoryFile()
    let ends = try Self.writeSmallMembers(image, to: file)
    for hole in [1, 50, 300] {
      var bytes = file.bytes
      bytes.removeSubrange((ends[0] + 110)..<(ends[0] + 110 + min(hole, ends[1] - ends[0] - 120)))
      let archive = try #require(try Self.open(bytes))
      #expect(!archive.flaws.isEmpty)
      #expect(Set(Self.read(archive).spans.keys) == [0, 1000, 1500], "hole of \(hole)")
      #expect(archive.manifest == Self.manifest)
    }
  }

  @Test func `the start overwritten by zeros`() throws {
    let image = Self.image(3 * Self.span)
    var bytes = try Self.file(image)
    bytes.replaceSubrange(0..<4096, with: Bytes(repeating: 0, count: 4096))
    // The index still knows where the data is; only the first member's data is hit.
    let archive = try #require(try Self.open(bytes))
    #expect(!archive.flaws.isEmpty)
    #expect(Set(Self.read(archive).spans.keys) == [Self.span, 2 * Self.span])
    // Without its end, the file is found to be ours by looking for a head.
    let headless = try #require(try Self.open(Bytes(bytes.dropLast(400))))
    #expect(headless.end == nil)
    #expect(Set(Self.read(headless).spans.keys) == [Self.span, 2 * Self.span])
    #expect(headless.gaps == [0..<Self.span])
  }

  @Test func `two backups in one file are not mixed up`() throws {
    let (first, second) = (Self.image(1000, seed: 1), Self.image(1000, seed: 2))
    let other = BackupID(random: 99)
    let bytes = try Self.file(first) + Self.file(second, id: other)
    let archive = try #require(try Self.open(bytes))
    #expect(!archive.flaws.isEmpty)
    #expect(Self.whole(archive) == first)
  }

  @Test func `bytes after the end mark are found`() throws {
    let archive = try #require(try Self.open(try Self.file(Self.image(1000)) + [1]))
    #expect(archive.flaws.count == 1 && archive.end != nil)
  }

  @Test func `random damage never yields other bytes`() throws {
    let image = Self.image(2000)
    let file = MemoryFile()
    _ = try Self.writeSmallMembers(image, to: file)
    let seed = UInt64.random(in: 1 ... .max)
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
    for round in 0..<300 {
      var bytes = file.bytes
      for _ in 0...next(4) {
        let start = next(bytes.count)
        let end = min(start + next(200), bytes.count)
        switch next(3) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: next(bytes.count))
        default:
          bytes.replaceSubrange(start..<end, with: (start..<end).map { _ in UInt8(next(256)) })
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard let archive = try Self.open(bytes) else { continue }
      for (start, span) in Self.read(archive).spans {
        #expect(image[start...].starts(with: span), "seed \(seed) round \(round)")
      }
    }
  }
}
