// SPDX-License-Identifier: Apache-2.0
// What is said to have happened to the samples: never more than what is in them tells.

import DatabaseRescue
import Foundation
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct CauseTests {
  private func causes(
    of sample: FilePath, amid circumstances: Circumstances = Circumstances()
  ) throws -> CauseAnswer {
    let input = try InputFiles(Checkout.samples.appending(sample))
    return try Rescue(world: World(environment: [:])).check(input).value.amid(circumstances).causes
  }

  /// What is sure of each sample.
  static let sure: [(FilePath, CauseKind, Confidence)] = [
    ("truncated.db", .cutOff, .likely), ("crlf.db", .transferredAsText, .certain),
    ("junk-prepended.db", .bytesInFront, .certain), ("lfs-pointer.db", .otherContent, .certain),
    ("error-page.db", .otherContent, .certain), ("not-a-database.jpg", .otherContent, .certain),
    ("lost-database.db-wal", .partOfASet, .certain), ("empty.db", .emptied, .certain),
    ("zeros.db", .emptied, .certain), ("encrypted.db", .encrypted, .likely),
    ("zeroed-index-leaf.db", .indexesOnly, .certain),
  ]

  @Test(arguments: sure) func `what a sample shows is named`(
    _ sample: FilePath, _ kind: CauseKind, _ confidence: Confidence
  ) throws {
    let answer = try causes(of: sample)
    let leading = try #require(answer.leading)
    #expect(leading.kind == kind && leading.confidence == confidence)
    #expect(!answer.isUnknown && answer.ruledOut.isEmpty)
    #expect(!leading.now.isEmpty && !leading.differently.isEmpty)
  }

  @Test(
    arguments: [
      "zeroed-leaf.db", "swapped-leaves.db", "wrong-page.db", "lost-root.db",
      "bad-cell-pointers.db",
      "broken-overflow.db", "wiped-header.db", "index-disagrees.db",
    ] as [FilePath]) func `what fits several causes is not known`(_ sample: FilePath) throws
  {
    let answer = try causes(of: sample)
    #expect(answer.leading == nil && answer.isUnknown)
    #expect(answer.ruledOut.contains { $0.kind == .encrypted })
  }

  /// A file as programs write its bytes as text: by the name that it gets, the command that takes
  /// it back, and the text.
  static let written: [(String, String, @Sendable (Data) -> String)] = [
    ("base64 text", "base64 -d", { $0.base64EncodedString() }),
    ("hexadecimal text", "xxd -r -p", { digits(of: $0) }),
    ("xxd", "xxd -r FILE", { "00000000: " + digits(of: $0.prefix(16), inGroupsOf: 2) }),
    ("hexdump", "", { "00000000  " + digits(of: $0.prefix(8), inGroupsOf: 1) }),
  ]

  private static func digits(of bytes: Data, inGroupsOf count: Int = .max) -> String {
    bytes.enumerated().map { index, byte in
      (index > 0 && index % count == 0 ? " " : "") + (byte < 16 ? "0" : "")
        + String(byte, radix: 16)
    }.joined()
  }

  @Test(arguments: written.indices)
  func `a database that was written as text is that, with what takes it back`(
    _ index: Int
  ) throws {
    let (name, command, written) = Self.written[index]
    let scratch = try ScratchFolder()
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try scratch["text"].replaceContents(with: Bytes(written(Data(bytes)).utf8))
    let answer = try Rescue(world: World(environment: [:]))
      .check(InputFiles(scratch["text"])).value.causes
    let leading = try #require(answer.leading)
    #expect(leading.kind == .otherContent && leading.confidence == .certain)
    #expect(leading.happened.contains(name), "\(leading.happened)")
    #expect(command.isEmpty || leading.now.contains(command), "\(leading.now)")
  }

  @Test(arguments: [0, 255] as [UInt8])
  func `a blank header may be the medium's fault`(_ byte: UInt8) throws {
    let scratch = try ScratchFolder()
    let sound = try Checkout.samples.appending("healthy-v4.db").contents()
    try scratch["a.db"].replaceContents(
      with: Bytes(repeating: byte, count: 100) + sound.dropFirst(100))
    let answer = try Rescue(world: World(environment: [:]))
      .check(InputFiles(scratch["a.db"])).value.causes
    #expect(answer.isUnknown && answer.causes.contains { $0.kind == .badMedium })
  }

  private static func with(_ bytes: Bytes, _ changes: [Int: UInt8]) -> Bytes {
    var bytes = bytes
    for (offset, byte) in changes { bytes[offset] = byte }
    return bytes
  }

  /// What was done to the bytes of a sound file, with what is said of it.
  static let changed: [(String, CauseKind, Confidence, @Sendable (Bytes) -> Bytes)] = [
    ("carriage returns", .transferredAsText, .likely, { Bytes($0.map { $0 == 13 ? 10 : $0 }) }),
    ("no carriage returns", .transferredAsText, .certain, { $0.filter { $0 != 13 } }),
    (
      "a database of Access", .otherContent, .certain,
      { [0, 1, 0, 0] + Bytes("Standard Jet DB\u{0}".utf8) + $0.map { $0 &* 167 ^ 0x5A } }
    ),
    (
      "a database of LMDB", .otherContent, .certain,
      { Bytes(repeating: 0, count: 16) + [0xDE, 0xC0, 0xEF, 0xBE, 1, 0, 0, 0] + $0.suffix(4000) }
    ),
    ("line feeds", .transferredAsText, .likely, { Bytes($0.map { $0 == 10 ? 13 : $0 }) }),
    ("zero bytes", .otherContent, .certain, { $0.filter { $0 != 0 } }),
    ("zeros as blanks", .otherContent, .certain, { Bytes($0.map { $0 == 0 ? 32 : $0 }) }),
    ("UTF-16", .otherContent, .certain, { Bytes([0xFF, 0xFE] + $0.flatMap { [$0, 0] }) }),
    (
      "TLS", .textWritten, .likely,
      { Bytes([23, 3, 3, 0, 40] + $0.suffix($0.count - 5)) }
    ),
    (
      "an Android backup, not compressed", .bytesInFront, .certain,
      { Bytes("ANDROID BACKUP\n5\n0\nnone\n".utf8) + $0 }
    ),
    (
      "an Android backup", .otherContent, .certain,
      { Bytes("ANDROID BACKUP\n5\n1\nnone\n".utf8) + $0.map { $0 &* 167 ^ 0x5A } }
    ),
    ("the format of a branch", .newerApp, .likely, { with($0, [18: 3, 19: 3]) }),
    ("a bit of the number of pages", .badMedium, .likely, { with($0, [30: $0[30] ^ 8]) }),
    ("a line end behind it", .bytesInFront, .certain, { $0 + [10] }),
    ("zeros behind it", .bytesInFront, .certain, { $0 + Bytes(repeating: 0, count: 777) }),
    ("its first 15 bytes", .cutOff, .certain, { Bytes($0.prefix(15)) }),
    ("a part of its header", .cutOff, .certain, { Bytes($0.prefix(60)) }),
    (
      "two carriage returns", .transferredAsText, .certain,
      { Bytes($0.flatMap { $0 == 10 ? [13, 13, 10] : [$0] }) }
    ),
    (
      "an AppleDouble file", .otherContent, .certain,
      { [0, 5, 0x16, 7, 0, 2, 0, 0] + Bytes("Mac OS X        ".utf8) + $0.suffix(60) }
    ),
    (
      "a journal whose header is blanked", .partOfASet, .certain,
      { blankedJournal(of: $0) }
    ),
    ("a bit of a cell pointer", .badMedium, .likely, { withTurnedPointer($0) }),
    ("nothing but 255", .emptied, .certain, { Bytes(repeating: 255, count: $0.count) }),
    ("7 bits", .transferredAsText, .certain, { Bytes($0.map { $0 & 127 }) }),
    ("question marks", .transferredAsText, .certain, { Bytes($0.map { $0 < 128 ? $0 : 63 }) }),
    ("question marks for characters", .transferredAsText, .certain, { withQuestionMarks($0) }),
    ("another code page", .transferredAsText, .certain, { inAnotherCodePage($0) }),
    ("UTF-16 from its other end", .otherContent, .certain, { Bytes($0.flatMap { [0, $0] }) }),
    ("JSON over it", .textWritten, .likely, { over($0, #"{"a":1,"b":[2,3,4]}"#) }),
    (
      "much JSON over it", .textWritten, .certain,
      { over($0, #"{"a":1,"b":[2,3,4,5,6,7,8,9],"c":0}"#) }
    ),
    ("a number over it", .textWritten, .likely, { over($0, "12345\n") }),
    ("a photo over it", .textWritten, .likely, { withHead($0, [0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) }),
    (
      "a journal over it", .textWritten, .likely,
      { withHead($0, [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]) }
    ),
    (
      "UTF-16 over it", .textWritten, .certain,
      { over($0, "no such file or directory\r\n".map { "\($0)\u{0}" }.joined()) }
    ),
    (
      "a line with accents over it", .textWritten, .certain,
      { over($0, "die Datei läßt sich nicht öffnen: möglicherweise gesperrt\n") }
    ),
    (
      "zeros over its first sector", .badMedium, .likely,
      { Bytes(repeating: 0, count: 512) + $0.dropFirst(512) }
    ),
    (
      "a mark over its first sector", .badMedium, .likely,
      { Bytes((0..<512).map { Array("BAD-SECTOR ".utf8)[$0 % 11] }) + $0.dropFirst(512) }
    ),
    ("halves", .bytesInFront, .likely, { Bytes($0.dropFirst(51 << 10) + $0.prefix(51 << 10)) }),
  ]

  @Test(arguments: changed.indices) func `what was done to bytes is named`(_ index: Int) throws {
    let (name, kind, confidence, change) = Self.changed[index]
    let scratch = try ScratchFolder()
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try scratch["app.db"].replaceContents(with: change(bytes))
    let answer = try Rescue(world: World(environment: [:]))
      .check(InputFiles(scratch["app.db"])).value.causes
    #expect(answer.leading?.kind == kind, "\(name)")
    #expect(answer.leading?.confidence == confidence, "\(name)")
  }

  @Test func `carriage returns that every row had and that were dropped are no bytes left out`()
    throws
  {
    let scratch = try ScratchFolder()
    let file = scratch["app.db"]
    try DatabaseBuilder(
      [
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO note SELECT i, 'line ' || i || char(13, 10) || 'second ' || (i * 7) FROM n
        """,
      ]
    ).build(at: file)
    let bytes = try file.contents()
    try file.replaceContents(
      with: Bytes(
        bytes.indices.filter { !bytes.matches([13, 10], at: $0) }.map { bytes[$0] }))
    let answer = try Rescue(world: World(environment: [:])).check(InputFiles(file)).value.causes
    #expect(answer.leading?.kind == .transferredAsText && answer.leading?.confidence == .likely)
    #expect(!answer.causes.contains { $0.kind == .bytesInFront })
  }

  private func answer(_ bytes: Bytes, log: Bytes? = nil) throws -> CauseAnswer {
    let scratch = try ScratchFolder()
    let file = scratch["app.db"]
    try file.replaceContents(with: bytes)
    if let log { try file.adding(suffix: "-wal").replaceContents(with: log) }
    return try Rescue(world: World(environment: [:])).check(InputFiles(file)).value.causes
  }

  /// A database of posts, with an index over their titles, and perhaps each post once more.
  private func posts(_ count: Int, twice: Bool = false) throws -> Bytes {
    let scratch = try ScratchFolder()
    try DatabaseBuilder(
      [
        "CREATE TABLE post (id INTEGER PRIMARY KEY, title TEXT)",
        "CREATE INDEX titles ON post (title)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO post SELECT i, printf('title %05d of a post that is somewhat longer', i) FROM n
        """,
      ] + (twice ? ["INSERT INTO post (title) SELECT title || 'x' FROM post"] : [])
    ).build(at: scratch["posts.db"])
    return try scratch["posts.db"].contents()
  }

  @Test func `pages behind the counted ones to which a tree leads are no bytes put in`() throws {
    let (before, after) = (try posts(1000), try posts(1000, twice: true))
    // The first page was not written yet, and the last ones neither.
    let torn = Bytes(before.prefix(4096)) + Bytes(after[4096..<(after.count - 3 * 4096 + 144)])
    let answer = try answer(torn)
    #expect(!answer.causes.contains { $0.kind == .bytesInFront })
  }

  @Test func `a file that is older than its log is not cut off`() throws {
    let scratch = try ScratchFolder()
    let file = scratch["app.db"]
    let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
    let log = file.adding(suffix: "-wal")
    var old = Bytes()
    var newer = Bytes()
    do {
      let connection = try Connection(file, mode: .app)
      try connection.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
      old = try file.contents()
      try connection.execute(
        "CREATE TABLE a (x); CREATE TABLE b (x); \(rows) INSERT INTO a SELECT 'row ' || i FROM n")
      _ = try connection.value("PRAGMA wal_checkpoint")
      try connection.execute("\(rows) INSERT INTO b SELECT 'row ' || i FROM n; CREATE TABLE c (x)")
      newer = try log.contents()
    }
    let answer = try answer(old, log: newer)
    #expect(!answer.causes.contains { $0.kind == .cutOff })
    #expect(answer.causes.contains { $0.kind == .copiedWhileWritten })
  }

  /// A file and its log, with a thousand rows in the log.
  private func logged() throws -> (file: Bytes, log: Bytes) {
    let scratch = try ScratchFolder()
    let connection = try Connection(scratch["app.db"], mode: .app)
    try connection.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
    try connection.execute("CREATE TABLE a (x)")
    _ = try connection.value("PRAGMA wal_checkpoint")
    for part in 0..<10 {
      try connection.execute(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        INSERT INTO a SELECT 'row ' || (i * 1000 + \(part)) FROM n
        """)
    }
    return (
      try scratch["app.db"].contents(), try scratch["app.db"].adding(suffix: "-wal").contents()
    )
  }

  @Test func `a log that ends inside a frame may have been cut off, and no kill is likely`() throws
  {
    let (file, log) = try logged()
    let answer = try answer(file, log: Bytes(log.dropLast(1000)))
    #expect(Set(answer.causes.map(\.kind)) == [.cutOff, .interrupted])
    #expect(answer.causes.allSatisfy { $0.confidence == .possible })
    #expect(try self.answer(file, log: log).causes.isEmpty)
  }

  @Test func `a log that was sent as text is read without what was put into it`() throws {
    let (file, log) = try logged()
    let text = Bytes(log.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] })
    try #require(text.count > log.count + 8)
    let scratch = try ScratchFolder()
    try scratch["app.db"].replaceContents(with: file)
    try scratch["app.db-wal"].replaceContents(with: text)
    let examination = try Rescue(world: World(environment: [:]))
      .check(InputFiles(scratch["app.db"])).value
    #expect(examination.causes.leading?.kind == .transferredAsText)
    #expect(examination.causes.leading?.confidence == .certain)
    #expect(examination.verdict == .damagedIntact)
    #expect(examination.survey.tree(named: "a")?.records == 1000)
  }

  @Test func `a short log that was sent as text together with its file is read`() throws {
    let scratch = try ScratchFolder()
    let (open, sent) = (scratch["open.db"], scratch["app.db"])
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE s (v)", "INSERT INTO s VALUES (2)", "CREATE TABLE a (x)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO a SELECT 'row ' || i FROM n
        """, "CREATE INDEX i ON a (x)", "PRAGMA journal_mode = wal",
      ]
    ).build(at: open)
    let connection = try Connection(open, mode: .app)
    try connection.execute("PRAGMA wal_autocheckpoint = 0; UPDATE s SET v = 10")
    for suffix in ["", "-wal"] {
      let bytes = try open.adding(suffix: suffix).contents()
      try sent.adding(suffix: suffix).replaceContents(
        with: Bytes(bytes.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }))
    }
    withExtendedLifetime(connection) {}
    let examination = try Rescue(world: World(environment: [:])).check(InputFiles(sent)).value
    #expect(examination.causes.leading?.kind == .transferredAsText)
    #expect(examination.findings.contains { $0.code == .walCommitted })
    #expect(examination.survey.tree(named: "s")?.misplaced.count == 0)
  }

  @Test func `a bit in a row does not rule out the medium`() throws {
    var bytes = try posts(3000)
    let place = try #require(bytes.indices.last { bytes.matches(Bytes("title 0".utf8), at: $0) })
    bytes[place - 1] ^= 0x40
    let answer = try answer(bytes)
    #expect(!answer.ruledOut.contains { [.badMedium, .diskFull].contains($0.kind) })
  }

  @Test func `zeros that begin and end inside a sector are no lost sectors`() throws {
    var bytes = try posts(5000)
    let last = min(bytes.count - 9000, 242_857)
    bytes.replaceSubrange(100_000..<last, with: Bytes(repeating: 0, count: last - 100_000))
    #expect(try answer(bytes).leading?.kind != .badMedium)
  }

  @Test func `a part of a page at the beginning tells nothing of its medium`() throws {
    let bytes = try posts(5000)
    let answer = try answer(Bytes(bytes.dropFirst(bytes.count / 2 + 100)))
    #expect(answer.causes.map(\.kind) == [.bytesInFront])
  }

  @Test func `pages without numbers do not make it certain that the first are missing`() throws {
    let bytes = try posts(5000)
    let pageSize = try #require(DatabaseHeader(bytes)?.pageSize)
    // No page is where another one leads to.
    var rotten = Bytes(repeating: 0, count: 100) + bytes.prefix(pageSize).dropFirst(100)
    for index in (1..<bytes.count / pageSize).reversed() {
      rotten += bytes.dropFirst(index * pageSize).prefix(pageSize)
    }
    let missing = try answer(rotten).causes.filter { $0.kind == .bytesInFront }
    #expect(missing.map(\.confidence) == [.possible])
  }

  static let images: [(Int, Bytes)] = [
    (1080, [0x53, 0xEF]), (3, Bytes("NTFS    ".utf8)), (510, [0x55, 0xAA]),
  ]

  @Test(arguments: images)
  func `a disk image with databases in it is that`(_ offset: Int, _ signature: Bytes) throws {
    let scratch = try ScratchFolder()
    let database = try Checkout.samples.appending("healthy-v4.db").contents()
    var disk = Bytes(repeating: 0, count: 1 << 16)
    disk.replaceSubrange(offset..<offset + signature.count, with: signature)
    for _ in 1...2 {
      disk += database
      try scratch["disk.img"].replaceContents(with: disk + Bytes(repeating: 0, count: 1 << 14))
      let answer = try Rescue(world: World(environment: [:]))
        .check(InputFiles(scratch["disk.img"])).value.causes
      #expect(answer.leading?.kind == .otherContent && answer.leading?.confidence == .certain)
      #expect(answer.leading?.happened.contains("image of a disk") == true)
      #expect(!answer.causes.contains { $0.kind == .bytesInFront })
      #expect(answer.leading?.evidence.last?.hasSuffix("at byte 65,536") == true)
      disk += Bytes(repeating: 0, count: 1 << 12)
    }
  }

  @Test func `two databases in one file are that, and nothing else`() throws {
    let scratch = try ScratchFolder()
    let file = scratch["both.db"]
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try file.replaceContents(with: bytes + bytes)
    let answer = try Rescue(world: World(environment: [:])).check(InputFiles(file)).value.causes
    #expect(answer.leading?.kind == .bytesInFront && answer.leading?.confidence == .certain)
    #expect(answer.leading?.happened.contains("two databases") == true)
  }

  @Test(arguments: ["healthy-v4.db", "outdated-v3.db", "wal/fitness.db"] as [FilePath])
  func `nothing has happened to a sound database`(_ sample: FilePath) throws {
    let answer = try causes(of: sample)
    #expect(answer.causes.isEmpty && !answer.isUnknown)
  }

  @Test func `a full disk is a cause only beside a transaction that was cut off`() throws {
    var full = Circumstances()
    full.freeBytes = 0
    #expect(try causes(of: "healthy-v4.db", amid: full).causes.isEmpty)
    #expect(try causes(of: "zeroed-leaf.db", amid: full).leading == nil)
  }

  @Test func `a network share alone proves nothing`() throws {
    var shared = Circumstances()
    shared.fileSystem = .shared("a network share (NFS)")
    shared.syncMarks = ["app (conflicted copy).db"]
    #expect(try causes(of: "swapped-leaves.db", amid: shared).leading == nil)
    #expect(try causes(of: "healthy-v4.db", amid: shared).causes.isEmpty)
  }

  /// What looks like something, and is not enough to say so.
  static let unsure: [(String, @Sendable (Bytes) -> Bytes)] = [
    ("one byte of the version", { with($0, [19: 3]) }),
    ("both bytes of the version, and neither can come", { with($0, [18: 255, 19: 255]) }),
    ("the lowest bit of the number of pages", { with($0, [31: $0[31] ^ 1]) }),
    ("three bytes of the magic", { with($0, [0: 65, 1: 66, 2: 67]) }),
  ]

  @Test(arguments: unsure.indices) func `what may be a fault is not said to be one`(
    _ index: Int
  ) throws {
    let (name, change) = Self.unsure[index]
    let scratch = try ScratchFolder()
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try scratch["app.db"].replaceContents(with: change(bytes))
    let answer = try Rescue(world: World(environment: [:]))
      .check(InputFiles(scratch["app.db"])).value.causes
    #expect(answer.leading == nil, "\(name): \(String(describing: answer.leading?.kind))")
  }

  @Test func `a conflict of these days is a cause, and one of last year is none`() throws {
    var around = Circumstances()
    around.syncMarks = ["app (conflicted copy).db"]
    around.conflictAge = 3600
    #expect(try causes(of: "swapped-leaves.db", amid: around).leading?.kind == .severalWriters)
    #expect(try causes(of: "healthy-v4.db", amid: around).causes.isEmpty)
    around.conflictAge = 400 * 86400
    #expect(try causes(of: "swapped-leaves.db", amid: around).leading == nil)
  }
}
