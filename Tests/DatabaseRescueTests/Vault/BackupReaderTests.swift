// SPDX-License-Identifier: Apache-2.0
// Reading backups: whole, cut, damaged, and made by others.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct BackupReaderTests {
  /// A backup of a database of several members, and the image that it holds.
  static func backup(_ scratch: ScratchFolder, kibibytes: Int = 900) throws -> (Backup, Bytes) {
    let database = try scratch.database(kibibytes: kibibytes)
    var options = BackupWriter.Options()
    options.verification = .quick
    let backup = try BackupWriterTests.writer(scratch, options)
      .backUp(database, describing: describe)
    return (backup, try BackupWriterTests.image(of: backup, scratch))
  }

  /// A reader of changed bytes.
  static func reader(_ bytes: Bytes, _ scratch: ScratchFolder) throws(any Error) -> BackupReader {
    let path = scratch["changed.db.gz"]
    try path.replaceContents(with: bytes)
    return try BackupReader(path)
  }

  @Test func `the pages of a backup are read in place`() throws {
    let scratch = try ScratchFolder()
    let (backup, image) = try Self.backup(scratch)
    let reader = try BackupReader(backup.path)
    let pages = try reader.pages()
    #expect(pages.byteCount == image.count)
    for (offset, count) in [(0, 100), (65_000, 1000), (image.count - 10, 100), (4096, 700_000)] {
      let expected = image[offset..<min(offset + count, image.count)]
      #expect(try pages.read(at: offset, count: count).elementsEqual(expected))
    }
    #expect(try pages.read(at: image.count, count: 1).isEmpty)
    #expect(try pages.read(at: -1, count: 1).isEmpty)
    #expect(try pages.read(at: 0, count: .max) == image)
  }

  @Test func `a lost member costs its pages and no other`() throws {
    let scratch = try ScratchFolder()
    let (backup, image) = try Self.backup(scratch)
    var bytes = try backup.path.contents()
    let members = try #require(try Archive.open(MemoryFile(bytes))).members
    bytes[members[1].position + 5000] ^= 1
    let reader = try Self.reader(bytes, scratch)
    #expect(reader.state == .complete)
    let verification = reader.verify()
    #expect(!verification.passed)
    let damage = try #require(verification.damage.first)
    #expect(verification.damage.count == 1 && damage.member == 1 && damage.isLost)
    let (first, last) = (PageNumber(17), PageNumber(32))
    #expect(damage.pages?.lowerBound == first && damage.pages?.upperBound == last)

    let pages = try reader.pages()
    #expect(throws: ReadFailure.self) { try pages.read(at: 65_536, count: 1) }
    #expect(try pages.read(at: 0, count: 65_536).elementsEqual(image[..<65_536]))
    #expect(try pages.read(at: 131_072, count: 9).elementsEqual(image[131_072..<131_081]))

    #expect(throws: RescueError.self) { try reader.restore(to: scratch["restored.db"]) }
    #expect(!scratch.names().contains("restored.db"))
    let extraction = try reader.extract(to: scratch["extracted.db"])
    #expect(!extraction.isWhole && extraction.lost.map(\.member) == [1])
    var expected = image
    expected.replaceSubrange(65_536..<131_072, with: Bytes(repeating: 0, count: 65_536))
    #expect(try scratch["extracted.db"].contents() == expected)
  }

  @Test func `a damaged head or checksum only troubles gunzip`() throws {
    let scratch = try ScratchFolder()
    let (backup, image) = try Self.backup(scratch)
    let sound = try backup.path.contents()
    let members = try #require(try Archive.open(MemoryFile(sound))).members
    let member = members[1]
    for offset in [0, 3, 40, 97, member.byteCount - 8, member.byteCount - 1] {
      var bytes = sound
      bytes[member.position + offset] ^= 0x10
      let reader = try Self.reader(bytes, scratch)
      let verification = reader.verify()
      #expect(!verification.passed && verification.damage.map(\.isLost) == [false])
      let output = scratch["restored.db"]
      try reader.restore(to: output)
      #expect(try output.contents() == image)
      try SystemStorage().remove(output)
    }
  }

  @Test func `a cut backup is incomplete, keeps its first manifest, and gives what it has`() throws
  {
    let scratch = try ScratchFolder()
    let (backup, image) = try Self.backup(scratch)
    let bytes = try backup.path.contents()
    let members = try #require(try Archive.open(MemoryFile(bytes))).members
    let end = members[1].position + members[1].byteCount
    for cut in [end, end + 50, end + 5000] {
      let reader = try Self.reader(Bytes(bytes[..<cut]), scratch)
      #expect(reader.state == .incomplete && !reader.isGood && !reader.hasFinalManifest)
      #expect(reader.manifest?.content.userVersion == 7)
      #expect(reader.manifest?.image.sha256 == nil)
      #expect(reader.imageByteCount == image.count)
      #expect(throws: RescueError.self) { try reader.restore(to: scratch["no.db"]) }
      let output = scratch["extracted.db"]
      let extraction = try reader.extract(to: output)
      #expect(extraction.lost.first?.bytes.lowerBound == 131_072)
      let written = try output.contents()
      #expect(written.count == image.count && written.starts(with: image[..<131_072]))
      try SystemStorage().remove(output)
    }
    // Cut in the first data member: the manifest alone is left.
    let reader = try Self.reader(Bytes(bytes[..<(members[0].position + 50)]), scratch)
    #expect(reader.state == .incomplete && reader.imageByteCount == image.count)
    #expect(reader.flaws.contains { $0.contains("are missing") })
  }

  @Test func `every byte of a small backup, changed, is found or harmless`() throws {
    let scratch = try ScratchFolder()
    let database = scratch["small.db"]
    do {
      let connection = try Connection(database, mode: .create, schemaBy: .us)
      try connection.execute("PRAGMA page_size = 512; CREATE TABLE t(a)")
    }
    let backup = try BackupWriterTests.writer(scratch).backUp(database, describing: describe)
    let image = try BackupWriterTests.image(of: backup, scratch)
    let sound = try backup.path.contents()
    let output = scratch["out.db"]
    let member = try #require(try Archive.open(MemoryFile(sound))?.members.first)
    let deflated = (member.position + MemberHead.byteCount)..<(member.range.upperBound - 8)
    for index in sound.indices {
      var bytes = sound
      bytes[index] ^= 1 << UInt8(index % 8)
      guard let reader = try? Self.reader(bytes, scratch) else { continue }
      if reader.verify().passed {
        // Nothing but a bit behind the end of the deflate data means nothing to anybody.
        let inflated = GzipTests.inflate(bytes)
        #expect(inflated.failure == nil && inflated.bytes == image, "byte \(index)")
        #expect(deflated.contains(index), "byte \(index)")
      }
      if (try? reader.restore(to: output)) != nil, reader.state != .foreign {
        #expect(try output.contents() == image, "byte \(index)")
      }
      try SystemStorage().remove(output)
    }
  }

  @Test func `a backup that nobody may read is not said to be damaged, and keeps its size`() throws
  {
    let scratch = try ScratchFolder()
    let (backup, _) = try Self.backup(scratch, kibibytes: 100)
    let storage = FailingStorage(forbidding: backup.path)
    let vault = Vault(backup.path.folder, in: storage)
    let listed = try #require(try vault.list().first)
    #expect(listed.byteCount == backup.byteCount && !listed.isGood)
    #expect(listed.stored["state"]?.text == "unread")
    let lines = try VaultAnswer(vault).lines
    guard case .table(let table)? = lines.first else {
      Issue.record("no table")
      return
    }
    #expect(table.lines().contains { $0.plain.contains("cannot be read") })
    let verification = VaultVerification(results: vault.verify(listed))
    #expect(verification.exitStatus == RescueError.Kind.permission.rawValue)
  }

  @Test func `what is left of a cut backup is never the whole of it`() throws {
    let scratch = try ScratchFolder()
    let (backup, image) = try Self.backup(scratch, kibibytes: 100)
    let sound = try backup.path.contents()
    let end = EndMark.memberByteCount
    for cut in [1, 9, 10, 100, end - 1, end, end + 20] {
      let reader = try Self.reader(Bytes(sound.dropLast(cut)), scratch)
      let output = scratch[FilePath("cut-\(cut).db")]
      let extraction = try reader.extract(to: output)
      #expect(!extraction.isWhole && extraction.lost.isEmpty, "cut by \(cut)")
      #expect(try output.contents() == image)
    }
  }

  @Test func `a backup that the disk does not hand out is not said to be damaged`() throws {
    let scratch = try ScratchFolder()
    let (backup, _) = try Self.backup(scratch, kibibytes: 200)
    let counter = FailingStorage()
    _ = try BackupReader(backup.path, in: counter)
    let opening = counter.callCount
    let reader = try BackupReader(backup.path, in: FailingStorage(failing: opening + 2))
    let verification = reader.verify()
    #expect(!verification.passed && verification.isUnread)
    #expect(try BackupReader(backup.path).verify().isUnread == false)
    let again = try BackupReader(backup.path, in: FailingStorage(failing: opening + 5))
    let error = #expect(throws: RescueError.self) { try again.restore(to: scratch["no.db"]) }
    #expect(error?.kind == .inputOutput)
  }

  @Test func `every cut of a small backup is incomplete or no backup at all`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database(pageSize: 512, kibibytes: 1)
    let backup = try BackupWriterTests.writer(scratch).backUp(database, describing: describe)
    let sound = try backup.path.contents()
    let member = try #require(try Archive.open(MemoryFile(sound))?.members.first)
    for count in 0..<sound.count {
      guard let reader = try? Self.reader(Bytes(sound[..<count]), scratch) else {
        #expect(count < 2, "cut at \(count)")
        continue
      }
      #expect(!reader.verify().passed, "cut at \(count)")
      guard count >= MemberHead.byteCount else { continue }
      #expect(reader.state == .incomplete, "cut at \(count)")
      let readable = reader.archive.map { ArchiveTests.read($0).spans.count }
      #expect(readable == (count >= member.range.upperBound ? 1 : 0), "cut at \(count)")
    }
  }

  @Test func `a gzip file of another maker is read, and said to be one`() throws {
    let scratch = try ScratchFolder()
    let image = try scratch.database().contents()
    let file = try GzipTests.member(image)
    let reader = try Self.reader(file, scratch)
    #expect(reader.state == .foreign && reader.manifest == nil && !reader.isGood)
    #expect(reader.verify().passed)
    let output = scratch["restored.db"]
    try reader.restore(to: output)
    #expect(try output.contents() == image)
    #expect(throws: RescueError.self) { try reader.pages() }

    let cut = try Self.reader(Bytes(file.dropLast(1000)), scratch)
    #expect(cut.state == .foreign && !cut.verify().passed)
    #expect(throws: RescueError.self) { try cut.restore(to: scratch["no.db"]) }
    #expect(!scratch.names().contains("no.db"))
    let extraction = try cut.extract(to: scratch["some.db"])
    #expect(!extraction.isWhole && extraction.byteCount > 0)
    #expect(image.starts(with: try scratch["some.db"].contents()))
  }

  @Test func `a small file that stands for more than the disk holds is refused`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["bomb.gz"]
    try path.replaceContents(with: try GzipTests.member(Bytes(repeating: 0, count: 1 << 20)))
    let reader = try BackupReader(path, in: FailingStorage(free: 500_000))
    let error = #expect(throws: RescueError.self) { try reader.restore(to: scratch["no.db"]) }
    #expect(error?.kind == .cannotWrite)
    #expect(!scratch.names().contains("no.db"))
  }

  @Test func `a small file that stands for more than was asked for is refused`() throws {
    let scratch = try ScratchFolder()
    let path = scratch["bomb.gz"]
    try path.replaceContents(with: try GzipTests.member(Bytes(repeating: 0, count: 40 << 20)))
    var world = World(environment: ["DBRESCUE_LOG": scratch["log"].description])
    for isBestEffort in [false, true] {
      let error = #expect(throws: RescueError.self) {
        try Rescue(world: world).extract(
          path, to: scratch["no.db"], isBestEffort: isBestEffort)
      }
      #expect(error?.kind == .cannotWrite && error?.advice.contains("--max-output") == true)
      #expect(!scratch.names().contains("no.db"))
    }
    world.outputByteCountMax = 64 << 20
    let result = try Rescue(world: world).extract(path, to: scratch["yes.db"])
    #expect(result.value.byteCount == 40 << 20 || result.value.isWhole)
  }

  @Test func `an index that promises the world is refused or bounded`() throws {
    let scratch = try ScratchFolder()
    let head = MemberHead(
      kind: .data, id: ArchiveTests.id, number: 0, deflatedByteCount: 1000,
      inflatedByteCount: 4096, payloadByteCount: 0, offset: 1 << 60, total: 1 << 61,
      digest: SHA256.digest(of: []))
    let reader = try Self.reader(head.encoded + Bytes(repeating: 0, count: 1008), scratch)
    #expect(reader.state == .incomplete && reader.imageByteCount == 1 << 61)
    let pages = try reader.pages()
    #expect(throws: ReadFailure.self) { try pages.read(at: 0, count: .max) }
    let error = #expect(throws: RescueError.self) {
      try reader.extract(to: scratch["no.db"])
    }
    #expect(error?.kind == .cannotWrite)
  }

  @Test func `what is no gzip file at all is refused`() throws {
    let scratch = try ScratchFolder()
    let database = try scratch.database()
    let error = #expect(throws: RescueError.self) { try BackupReader(database) }
    #expect(error?.kind == .invalidInput)
    #expect(throws: RescueError.self) { try Self.reader([], scratch) }
    let missing = #expect(throws: RescueError.self) { try BackupReader(scratch["none"]) }
    #expect(missing?.kind == .missing)
  }

  @Test func `a restore never replaces a file`() throws {
    let scratch = try ScratchFolder()
    let (backup, _) = try Self.backup(scratch, kibibytes: 10)
    let taken = scratch["taken.db"]
    try taken.replaceContents(with: [1])
    #expect(throws: RescueError.self) { try BackupReader(backup.path).restore(to: taken) }
    #expect(try taken.contents() == [1])
  }
}
