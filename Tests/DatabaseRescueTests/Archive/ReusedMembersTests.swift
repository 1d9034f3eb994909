// SPDX-License-Identifier: Apache-2.0
// Members taken over from an earlier backup: only what holds, and only what is the same.

import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct ReusedMembersTests {
  private static let span = MemberHead.spanByteCount

  /// Writes a backup of an image beside an earlier one.
  private func write(
    _ image: Bytes, like earlier: Archive?
  ) throws -> (bytes: Bytes, stored: StoredImage) {
    let file = MemoryFile()
    var writer = ArchiveWriter(
      file: file, path: "memory", id: BackupID(random: 5), level: 6)
    try writer.write(opening: ArchiveTests.opening)
    let stored = try writer.write(image: MemorySource(image), from: "image", like: earlier)
    try writer.finish(manifest: ArchiveTests.manifest, imageByteCount: image.count)
    return (file.bytes, stored)
  }

  private func check(_ bytes: Bytes, _ image: Bytes) throws {
    let archive = try #require(try ArchiveTests.open(bytes))
    #expect(archive.flaws.isEmpty && ArchiveTests.read(archive).flaws.isEmpty)
    #expect(ArchiveTests.whole(archive) == image)
    #expect(GzipTests.inflate(bytes).bytes == image)
  }

  @Test func `an image that has not changed is taken over whole`() throws {
    let image = ArchiveTests.image(5 * Self.span + 700)
    let earlier = try #require(try ArchiveTests.open(try ArchiveTests.file(image, level: 1)))
    let (bytes, stored) = try write(image, like: earlier)
    #expect(stored.reusedCount == 6 && stored.changes?.isEmpty == true && stored.digest == nil)
    try check(bytes, image)
  }

  @Test func `what has changed is made anew, and named to 512 bytes`() throws {
    let image = ArchiveTests.image(200 * Self.span)
    let earlier = try #require(try ArchiveTests.open(try ArchiveTests.file(image)))
    for offset in [0, 3 * Self.span + 1000, 200 * Self.span - 1] {
      var changed = image
      changed[offset] ^= 1
      let (bytes, stored) = try write(changed, like: earlier)
      #expect(stored.reusedCount == 199)
      #expect(stored.changes?.ranges == [(offset / 512 * 512)..<(offset / 512 * 512 + 512)])
      #expect(stored.digest == SHA256.digest(of: changed))
      try check(bytes, changed)
    }
  }

  @Test(arguments: [1, 512, 4096, span, span + 4096])
  func `an image that grew or shrank`(difference: Int) throws {
    let long = ArchiveTests.image(4 * Self.span)
    let short = Bytes(long.dropLast(difference))
    for (old, new) in [(short, long), (long, short)] {
      let earlier = try #require(try ArchiveTests.open(try ArchiveTests.file(old)))
      let (bytes, stored) = try write(new, like: earlier)
      #expect(stored.reusedCount >= 2)
      #expect(stored.digest == SHA256.digest(of: new) && stored.changes?.isEmpty == false)
      try check(bytes, new)
    }
  }

  @Test func `a rotten member is not taken over`() throws {
    let image = ArchiveTests.image(3 * Self.span)
    let sound = try ArchiveTests.file(image)
    let member = try #require(try ArchiveTests.open(sound)).members[1]
    // In its head, in its data, in its checksum: the last two must never reach the new file.
    for offset in [40, 150, member.byteCount / 2, member.byteCount - 7] {
      var rotten = sound
      rotten[member.position + offset] ^= 4
      let earlier = try #require(try ArchiveTests.open(rotten))
      let (bytes, stored) = try write(image, like: earlier)
      #expect(stored.reusedCount >= 2)
      try check(bytes, image)
    }
  }

  @Test func `a file that does not read back as it was written is no backup`() throws {
    final class ForgetfulFile: StoredFile {
      let file = MemoryFile()
      var byteCount: Int { file.byteCount }
      func read(at offset: Int, count: Int) -> Bytes {
        var bytes = file.read(at: offset, count: count)
        if bytes.count > 5000 { bytes[5000] ^= 1 }
        return bytes
      }
      func write(_ bytes: Bytes, at offset: Int) { file.write(bytes, at: offset) }
      func append(_ bytes: Bytes) { file.append(bytes) }
      func truncate(to byteCount: Int) { file.truncate(to: byteCount) }
      func synchronize() {}
      func lock() -> Bool { true }
    }
    var writer = ArchiveWriter(
      file: ForgetfulFile(), path: "memory", id: BackupID(random: 5), level: 6)
    let error = #expect(throws: RescueError.self) {
      _ = try writer.write(image: MemorySource(ArchiveTests.image(Self.span)), from: "image")
    }
    #expect(error?.message.contains("does not read back") == true)
  }
}
