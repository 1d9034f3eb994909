// SPDX-License-Identifier: Apache-2.0
// Databases that came in archives.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct UnpackingTests {
  let scratch: ScratchFolder
  let database: Bytes
  init() throws {
    scratch = try ScratchFolder()
    database = try Checkout.samples.appending("healthy-v4.db").contents()
  }

  private func unpacked(
    _ archive: Bytes, as name: FilePath = "sent", max: Int = 1 << 30
  ) throws -> InputFiles {
    let path = scratch[name]
    try path.replaceContents(with: archive)
    var world = World(environment: ["TMPDIR": scratch.path.description])
    world.pipeByteCountMax = max
    return try InputFiles(path, storage: SystemStorage()).unpacked(in: world)
  }

  private static let others: [TestArchive.Entry] = [
    .init("backup/readme.txt", Bytes("hello".utf8)), .init("__MACOSX/backup/._app.db", [1, 2, 3]),
  ]

  @Test(arguments: TestArchive.allCases)
  func `the database in an archive is read, with its log`(_ archive: TestArchive) throws {
    let log = Bytes(repeating: 7, count: 5000)
    let entries =
      Self.others + [
        .init("backup/app.db", database), .init("backup/app.db-wal", log),
        .init("other/app.db-journal", [9]),
      ]
    let input = try unpacked(try archive.bytes(entries))
    #expect(try input.main.contents() == database)
    #expect(try input.wal?.contents() == log)
    #expect(input.journal == nil)
    #expect(input.packing?.member == "backup/app.db")
    #expect((input.packing?.damage == nil) == (archive != .zipWithoutList))
    #expect(input.evidence == [scratch["sent"]])
  }

  @Test func `a gzip file is the database, and is named without its ending`() throws {
    let input = try unpacked(try GzipTests.member(database), as: "app.db.gz")
    #expect(try input.main.contents() == database)
    #expect(input.main.name == "app.db")
    #expect(
      input.packing == Packing(kind: .gzip, archive: "app.db.gz", member: "app.db", damage: nil))
  }

  @Test(arguments: TestArchive.allCases)
  func `what is left of an archive that was cut off is read`(_ archive: TestArchive) throws {
    let whole = try archive.bytes([.init("app.db", database)])
    let input = try unpacked(Bytes(whole.prefix(whole.count / 2)))
    let bytes = try input.main.contents()
    #expect(bytes.count > 1000 && bytes.elementsEqual(database.prefix(bytes.count)))
    #expect(input.packing?.damage != nil)
  }

  /// A tar archive of the database and its log, and where the header of the log lies.
  private func tarWithLog() throws -> (bytes: Bytes, header: Int) {
    let first = TestArchive.member("app.db", type: "0", database)
    let second = TestArchive.member("app.db-wal", type: "0", [1, 2, 3])
    return (first + second + Bytes(repeating: 0, count: 1024), first.count)
  }

  @Test(arguments: [0, 0xFF] as [UInt8])
  func `a header of a tar archive that is destroyed is told`(_ byte: UInt8) throws {
    var (bytes, header) = try tarWithLog()
    bytes.replaceSubrange(header..<(header + 512), with: Bytes(repeating: byte, count: 512))
    let input = try unpacked(bytes)
    #expect(try input.main.contents() == database)
    #expect(input.packing?.damage != nil)
  }

  @Test(arguments: [0, 300, 512])
  func `a tar archive that ends before its end mark may lack files`(_ left: Int) throws {
    let (bytes, header) = try tarWithLog()
    #expect(try unpacked(Bytes(bytes.prefix(header + left))).packing?.damage != nil)
    #expect(try unpacked(bytes).packing?.damage == nil)
  }

  @Test(arguments: [[0x50, 0x4B, 1, 2], [0x50, 0x4B, 3, 4]] as [Bytes])
  func `a header of a zip archive that is destroyed is told`(_ magic: Bytes) throws {
    var bytes = try TestArchive.zip.bytes([
      .init("app.db", database), .init("app.db-wal", [1, 2, 3]),
    ])
    let last = try #require(bytes.indices.last { bytes.matches(magic, at: $0) })
    bytes.replaceSubrange(last..<(last + 4), with: Bytes(repeating: 0, count: 4))
    let input = try unpacked(bytes)
    #expect(try input.main.contents() == database)
    #expect(input.packing?.damage != nil)
  }

  @Test func `what lies beside a database in an archive is found by any of its names`() throws {
    let log: Bytes = [7, 8, 9]
    let link = TestArchive.member("app.db-wal", type: "1", [], of: "first")
    let members = [
      TestArchive.member("first", type: "0", log), link,
      TestArchive.member("./app.db", type: "0", database),
      TestArchive.member("./app.db-shm", type: "0", [1]),
    ]
    let input = try unpacked(members.reduce([], +) + Bytes(repeating: 0, count: 1024))
    #expect(try input.wal?.contents() == log)
    #expect(try input.main.adding(suffix: "-shm").contents() == [1])
  }

  @Test func `a file without its holes is not taken for the database`() throws {
    let archive =
      TestArchive.member("app.db", type: "S", database) + Bytes(repeating: 0, count: 1024)
    let error = #expect(throws: RescueError.self) { try unpacked(archive) }
    #expect(error?.kind == .invalidInput)
  }

  @Test func `the oldest tar archives are known by the sums of their headers`() throws {
    var archive = TestArchive.member("app.db", type: "0", database)
    archive.replaceSubrange(257..<262, with: Bytes(repeating: 0, count: 5))
    let sum = archive[..<512].reduce(0) { $0 + Int($1) } + 8 * 0x20
    let digits = String(sum, radix: 8)
    archive.replaceSubrange(148..<(148 + digits.utf8.count), with: digits.utf8)
    let input = try unpacked(archive + Bytes(repeating: 0, count: 1024))
    #expect(try input.main.contents() == database)
    #expect(input.packing?.kind == .tar && input.packing?.damage == nil)
  }

  @Test func `a gzip file whose end is cut off gives every byte before`() throws {
    let member = try GzipTests.member(database)
    let input = try unpacked(Bytes(member.dropLast(3)))
    #expect(try input.main.contents() == database)
    #expect(input.packing?.damage != nil)
  }

  @Test(arguments: [TestArchive.zip, .zipWithoutList])
  func `a changed byte in a zip archive is told`(_ archive: TestArchive) throws {
    var bytes = try archive.bytes([.init("app.db", database)])
    bytes[bytes.count / 2] ^= 0x10
    #expect(try unpacked(bytes).packing?.damage != nil)
  }

  @Test func `of two databases none is chosen`() throws {
    let archive = try TestArchive.zip.bytes([.init("a.db", database), .init("b.db", database)])
    let error = #expect(throws: RescueError.self) { try unpacked(archive) }
    #expect(error?.kind == .invalidInput)
    #expect(error?.message.contains("'a.db', 'b.db'") == true)
  }

  @Test func `a locked archive is called that, and not damaged`() throws {
    let archive = try TestArchive.zip.bytes([.init("a.db", database, flags: 1)])
    #expect(throws: RescueError.self) { try unpacked(archive) }
  }

  @Test func `no more comes out of an archive than is allowed`() throws {
    let bomb = try GzipTests.member(Bytes(repeating: 0, count: 5 << 20))
    let error = #expect(throws: RescueError.self) { try unpacked(bomb, max: 1 << 20) }
    #expect(error?.kind == .invalidInput)
    let names = try SystemStorage().names(in: scratch.path)
    #expect(names == ["sent"])
  }

  @Test(arguments: ["../../evil.db", "/etc/evil.db", "..", "a/..", "", "a\0b/c.db"])
  func `a name in an archive leads nowhere else`(_ name: String) throws {
    for archive in TestArchive.allCases {
      let input = try unpacked(try archive.bytes([.init(name, database)]))
      #expect(input.packing == nil || input.main.folder.name == "unpacked")
      #expect(try SystemStorage().names(in: scratch.path).count <= 2)
    }
  }

  @Test func `an archive with nothing to read, and what is none, stay as they are`() throws {
    for archive in TestArchive.allCases {
      let input = try unpacked(try archive.bytes(Self.others + [.init("more.txt", [1])]))
      #expect(input.packing == nil && input.main == scratch["sent"])
    }
    #expect(try unpacked(database).packing == nil)
    #expect(try unpacked([]).packing == nil)
    #expect(try unpacked([0x1F, 0x8B]).packing == nil)
    #expect(try unpacked(Bytes("PK\u{3}\u{4}".utf8)).packing == nil)
  }

  @Test func `no archive makes the reading stop`() throws {
    var generator = SeededRandom(seed: 4711)
    let entries = Self.others + [.init("backup/app.db", Bytes(database.prefix(20_000)))]
    for archive in TestArchive.allCases {
      let whole = try archive.bytes(entries)
      for _ in 0..<60 {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          // Where the headers are is where it matters.
          let places = [0..<min(bytes.count, 700), max(0, bytes.count - 300)..<bytes.count]
          let place = Int.random(in: places.randomElement(using: &generator)!, using: &generator)
          bytes[place] = [0, 0xFF, UInt8.random(in: 0...255, using: &generator)]
            .randomElement(using: &generator)!
        }
        do { _ = try unpacked(bytes) } catch let error as RescueError {
          #expect(error.kind == .invalidInput, "\(error)")
        }
      }
    }
  }
}
