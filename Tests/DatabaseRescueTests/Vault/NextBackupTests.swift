// SPDX-License-Identifier: Apache-2.0
// The backup after the first: what it takes over, what it checks again, and that it is never less
// true than one that was made from nothing.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite(.timeLimit(.minutes(30))) struct NextBackupTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  /// Backs a database up, described as the commands describe it.
  private func backUp(
    _ database: FilePath, to vault: String = "vault", tool: String = "test",
    _ verification: BackupWriter.Verification = .full, acceptsOlder: Bool = false
  ) throws -> Backup {
    let options = BackupWriterTests.options {
      ($0.verification, $0.acceptsOlder) = (verification, acceptsOlder)
    }
    let writer = BackupWriter(vault: scratch[FilePath(vault)], tool: tool, options: options)
    let code = try SupportCode(parsing: "DBR-5K293-G1020-10NHA-85902")
    return try writer.backUp(
      database,
      describing: { (pages, earlier) throws(RescueError) in
        try BackupDescription(of: pages, since: earlier, supportCode: code)
      })
  }

  private func change(_ database: FilePath, _ sql: String) throws {
    try Connection(database, mode: .readWrite, schemaBy: .us).execute(sql)
  }

  private func check(_ name: String, of backup: Backup) -> BackupManifest.Check? {
    backup.manifest?.checks.first { $0.name == name }
  }

  /// Whether a backup says and holds what one says and holds that was made from nothing.
  private func expectTruth(_ backup: Backup, _ database: FilePath) throws {
    let fresh = try backUp(database, to: "fresh-\(backup.name.id)")
    let (manifest, expected) = try (#require(backup.manifest), #require(fresh.manifest))
    #expect(manifest.content == expected.content)
    #expect(manifest.image == expected.image)
    #expect(manifest.clean == expected.clean)
    #expect(manifest.checks.map(\.name) == expected.checks.map(\.name))
    #expect(manifest.checks.map(\.passed) == expected.checks.map(\.passed))
    #expect(try BackupReader(backup.path).verify().passed)
  }

  @Test func `an unchanged database is not checked again, and that is said`() throws {
    let database = try scratch.database(kibibytes: 500)
    let first = try backUp(database)
    let second = try backUp(database)
    #expect(second.isGood && second.manifest?.clean == true)
    #expect(check("integrity_check", of: first)?.basis == nil)
    #expect(check("integrity_check", of: second)?.basis == first.name.id)
    #expect(check("read back", of: second)?.detail.contains("are as in backup") == true)
    // Whatever lies between: the basis is the backup for which the check was done.
    let third = try backUp(database)
    #expect(check("integrity_check", of: third)?.basis == first.name.id)
    try expectTruth(third, database)
    // It needs no other file.
    try SystemStorage().remove(first.path)
    #expect(try BackupReader(third.path).verify().passed)
  }

  @Test func `of a changed database, the changed tables are checked and counted`() throws {
    let database = try scratch.database(kibibytes: 500)
    let first = try backUp(database)
    try change(database, "UPDATE tag SET name = 'other' WHERE rowid % 7 = 0")
    let second = try backUp(database)
    let integrity = try #require(check("integrity_check", of: second))
    #expect(integrity.passed && integrity.basis == first.name.id)
    #expect(integrity.detail == "ok for tag; nothing else has changed")
    #expect(check("foreign_key_check", of: second)?.basis == nil)
    try expectTruth(second, database)

    try change(database, "DELETE FROM note WHERE id % 5 = 0; INSERT INTO note(body) VALUES ('x')")
    let third = try backUp(database)
    #expect(check("integrity_check", of: third)?.detail.contains("note") == true)
    #expect(check("foreign_key_check", of: third)?.passed == false)
    try expectTruth(third, database)
  }

  @Test(arguments: [
    "CREATE TABLE more(x)", "CREATE INDEX note_body ON note(body)", "DROP INDEX tag_name", "VACUUM",
    "PRAGMA user_version = 9", "ALTER TABLE tag RENAME TO label",
  ])
  func `a changed schema is described as if there were no earlier backup`(_ sql: String) throws {
    let database = try scratch.database(kibibytes: 200)
    _ = try backUp(database)
    try change(database, sql)
    try expectTruth(try backUp(database), database)
  }

  @Test func `damage since the last backup is found, and rests on nothing`() throws {
    let database = try scratch.database(kibibytes: 500)
    let first = try backUp(database)
    var bytes = try database.contents()
    // An entry of the index goes astray: only a comparison with the table shows it.
    let place = try #require(
      bytes.indices.dropLast(6).last { bytes[$0...].starts(with: Bytes("tag 8".utf8)) })
    bytes[place + 4] = UInt8(ascii: "9")
    try database.replaceContents(with: bytes)
    let second = try backUp(database)
    #expect(!second.isGood && check("integrity_check", of: second)?.passed == false)
    #expect(second.manifest?.clean == false)
    // The next one cannot rest on that one either.
    let third = try backUp(database)
    #expect(!third.isGood && check("integrity_check", of: third)?.basis == nil)
    #expect(try Vault(scratch["vault"]).latest()?.path == first.path)
  }

  @Test func `a database that became an empty file has nothing of the earlier one`() throws {
    let database = try scratch.database(kibibytes: 200)
    _ = try backUp(database)
    try database.replaceContents(with: [])
    let backup = try backUp(database, acceptsOlder: true)
    #expect(backup.manifest?.content.tables == [])
    try expectTruth(backup, database)
  }

  @Test func `a check that was not done is not taken over`() throws {
    let database = try scratch.database(kibibytes: 100)
    _ = try backUp(database, .quick)
    let full = try backUp(database)
    #expect(check("integrity_check", of: full)?.passed == true)
    #expect(check("integrity_check", of: full)?.basis == nil)
    #expect(check("integrity_check", of: try backUp(database, .quick)) == nil)
  }

  @Test func `what another version of the program measured is not taken over`() throws {
    let database = try scratch.database(kibibytes: 100)
    _ = try backUp(database, tool: "older")
    let backup = try backUp(database)
    #expect(check("integrity_check", of: backup)?.basis == nil)
    #expect(check("read back", of: backup)?.detail.contains("as in backup") == false)
  }

  @Test func `an earlier backup that is rotten or cut costs time, and nothing else`() throws {
    let database = try scratch.database(kibibytes: 500)
    let first = try backUp(database)
    let sound = try first.path.contents()
    let member = try #require(try Archive.open(MemoryFile(sound))).members[2]
    var rotten = sound
    rotten[member.position + 300] ^= 8
    for bytes in [rotten, Bytes(sound.dropLast(100)), [1, 2, 3], []] {
      try first.path.replaceContents(with: bytes)
      let backup = try backUp(database)
      #expect(backup.isGood)
      try expectTruth(backup, database)
      try SystemStorage().remove(backup.path)
    }
  }

  @Test func `a table without rowids has the same hash wherever its rows lie`() throws {
    let hashes = try ["ASC", "DESC"].map { order in
      let database = scratch[FilePath("\(order).db")]
      try Connection(database, mode: .create, schemaBy: .us).execute(
        """
        CREATE TABLE word(text TEXT PRIMARY KEY, n) WITHOUT ROWID;
        INSERT INTO word WITH RECURSIVE n(i) AS
          (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
          SELECT printf('word %06d %s', i, hex(zeroblob(40))), i FROM n ORDER BY i \(order);
        """)
      return try #require(try backUp(database, to: order).manifest?.content.tables.first)
    }
    #expect(hashes[0].rows == 3000 && hashes[0].contentHash != nil)
    #expect(hashes[0].contentHash == hashes[1].contentHash)
    #expect(hashes[0].leafPages != hashes[1].leafPages)
  }

  @Test func `free pages cost nothing, and what was deleted is not in a backup`() throws {
    let database = try scratch.database(kibibytes: 2000)
    let full = try backUp(database, to: "full")
    // Half of it becomes free pages, which still hold the rows.
    try change(
      database, "PRAGMA secure_delete = 0; DELETE FROM tag; DELETE FROM note WHERE id > 1000")
    let first = try backUp(database)
    let (before, after) = try (
      FilePath(full.path.description).contents(), first.path.contents()
    )
    #expect(after.count * 10 < before.count * 6)
    let restored = scratch["restored.db"]
    try BackupReader(first.path).restore(to: restored)
    #expect(try OnlineBackupTests.content(restored) == OnlineBackupTests.content(database))
    #expect(
      try Connection(restored, mode: .readOnly, schemaBy: .us).value("PRAGMA integrity_check")
        == .text("ok"))
    #expect(
      try Connection(restored, mode: .readOnly, schemaBy: .us).value("PRAGMA freelist_count")
        == Connection(database, mode: .readOnly, schemaBy: .us).value("PRAGMA freelist_count"))
    // Unchanged, it is taken over whole.
    let second = try backUp(database)
    #expect(second.manifest?.image == first.manifest?.image)
    try expectTruth(second, database)
  }

  @Test func `whatever is read of a copy, free pages are zeros and all else is as it is`() throws {
    let database = try scratch.database(pageSize: 1024, kibibytes: 100)
    #expect(ClearedImage(MemorySource(try database.contents())) == nil)
    try change(
      database,
      "PRAGMA secure_delete = 0; DELETE FROM tag; DELETE FROM note WHERE id BETWEEN 20 AND 60")
    let source = MemorySource(try database.contents())
    let image = try #require(ClearedImage(source))
    let whole = try image.read(at: 0, count: source.byteCount)
    let trunk = source.bytes.bigEndian16(at: 34)
    var expected = source.bytes
    for entry in 0..<source.bytes.bigEndian16(at: (trunk - 1) * 1024 + 6) {
      let page = source.bytes.bigEndian16(at: (trunk - 1) * 1024 + 10 + 4 * entry)
      for index in ((page - 1) * 1024)..<(page * 1024) { expected[index] = 0 }
    }
    #expect(whole == expected && whole != source.bytes)
    var random = SeededRandom(seed: 3)
    for _ in 0..<2000 {
      let offset = random.below(source.byteCount + 3000)
      let count = random.below(4000)
      let end = min(offset + count, source.byteCount)
      let part = try image.read(at: offset, count: count)
      #expect(part == (offset < end ? Bytes(expected[offset..<end]) : []), "\(offset) \(count)")
    }
  }

  @Test func `a page that is free and in use at once is stored as it is`() throws {
    let database = try scratch.database(kibibytes: 500)
    try change(database, "DELETE FROM tag; DELETE FROM note WHERE id > 200")
    var bytes = try database.contents()
    // The first leaf of the free list becomes one that the table has.
    let size = 4096
    let trunk = bytes.bigEndian16(at: 34)
    let leaf = try #require(
      (2...bytes.count / size).first { bytes[($0 - 1) * size] == 13 })
    bytes.setBigEndian(UInt32(leaf), at: (trunk - 1) * size + 8)
    try database.replaceContents(with: bytes)
    let backup = try backUp(database)
    #expect(!backup.isGood)
    let image = try BackupWriterTests.image(of: backup, scratch)
    #expect(
      image[((leaf - 1) * size)..<(leaf * size)] == bytes[((leaf - 1) * size)..<(leaf * size)])
  }
}
