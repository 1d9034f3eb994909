// SPDX-License-Identifier: Apache-2.0
// How a database is cut into pages, found out without the header's help.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct GeometrySearchTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  private func build(_ name: String) throws -> (bytes: Bytes, path: FilePath, pageSize: Int) {
    let recipe = try Recipe.named(name)
    let path = try recipe.build(in: scratch.path)
    return (try path.contents(), path, recipe.builder.pageSize)
  }

  /// Every page of the original that is wholly there has its number.
  private func requireNumbers(_ survey: Survey, _ bytes: Bytes, cut: Int, pageSize: Int) throws {
    let image = try #require(survey.image)
    for number in 1...(bytes.count / pageSize) {
      let range = ((number - 1) * pageSize)..<(number * pageSize)
      guard range.lowerBound >= cut else { continue }
      #expect(try image.bytes(of: #require(PageNumber(number))) == bytes.slice(range))
    }
  }

  @Test(arguments: [(8, 7000), (12, 7000), (16, 4700), (18, 6000)])
  func `a leaf and the rest of its last row are no larger page`(_ every: Int, _ length: Int) throws
  {
    let path = scratch.path.appending("long.db")
    try DatabaseBuilder(
      pageSize: 4096,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO t SELECT i, printf('%.*c', iif(i % \(every) = 0, \(length), 200), 'x') FROM n
        """,
      ]
    ).build(at: path)
    let main = Damage.zeroPage(1).applied(to: try path.contents(), pageSize: 4096)
    let decision = try #require(Survey(main: main).geometry)
    #expect(
      decision.geometry.pageSize == 4096 && decision.geometry.reserved == 0 && decision.start == 0)
  }

  @Test(
    arguments: [
      "deep-trees", "reserved-bytes", "long-values-512", "auto-vacuum-full", "without-rowid",
    ], [512, 700, 1536, 4096, 9000])
  func `pages keep their numbers when the head of the file is cut off`(
    _ name: String, _ cut: Int
  ) throws {
    let (bytes, _, pageSize) = try build(name)
    guard cut * 3 < bytes.count else { return }
    let survey = Survey(main: Bytes(bytes.dropFirst(cut)))
    let decision = try #require(survey.geometry)
    #expect(decision.geometry.pageSize == pageSize)
    guard decision.hasPageNumbers else {
      // Small databases may hold no evidence; then that is said.
      #expect(bytes.count < 64 << 10, "\(name)")
      #expect(survey.findings.contains { $0.code == .startShifted && $0.severity == .loss })
      return
    }
    #expect(decision.start == -cut)
    try requireNumbers(survey, bytes, cut: cut, pageSize: pageSize)
    #expect(survey.findings.contains { $0.code == .startShifted && $0.severity == .loss })
  }

  @Test func `leaves whose beginnings are gone say nothing against the first page`() throws {
    let specimen = try Specimen()
    var bytes = specimen.with(.zeroPage(1)).bytes
    for table in ["note", "letter"] {
      for leaf in specimen.pages(of: table, "leaf") {
        let start = specimen[page: leaf].lowerBound
        bytes.replaceSubrange(start..<(start + 16), with: Bytes(repeating: 0, count: 16))
      }
    }
    let decision = try #require(Survey(main: bytes).geometry)
    #expect(decision.hasPageNumbers && decision.start == 0)
  }

  @Test func `the header stands where some pages speak for it and no size has a majority`() throws {
    func built(_ pageSize: Int, rows: Int) throws -> Bytes {
      let path = scratch[FilePath("of\(pageSize).db")]
      try DatabaseBuilder(
        pageSize: pageSize,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO t SELECT i, 'row ' || i FROM n
          """,
        ]
      ).build(at: path)
      return try path.contents()
    }
    var bytes = try built(1024, rows: 90)
    // The schema is gone, and behind the pages lies one of a larger size.
    for index in DatabaseHeader.byteCount..<1024 { bytes[index] = 0 }
    let count = bytes.count / 1024
    try #require((3...5).contains(count))
    bytes += try built(4096, rows: 90).suffix(4096)
    let survey = Survey(main: bytes)
    #expect(survey.geometry?.geometry.pageSize == 1024)
  }

  @Test(arguments: [(0, 32), (8, 48), (32, 0)])
  func `a first page with other reserved bytes than all others costs no row`(
    _ reserved: Int, _ ofFirst: Int
  ) throws {
    func built(_ reserved: Int, rows: Int) throws -> Bytes {
      let path = scratch[FilePath("reserving\(reserved).db")]
      try DatabaseBuilder(
        pageSize: 1024, reservedBytes: reserved,
        [
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
          """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO t SELECT i, 'row ' || i FROM n
          """,
        ]
      ).build(at: path)
      return try path.contents()
    }
    var bytes = try built(reserved, rows: 500)
    bytes.replaceSubrange(0..<1024, with: try built(ofFirst, rows: 100).prefix(1024))
    let survey = Survey(main: bytes)
    #expect(survey.geometry?.geometry.reserved == min(reserved, ofFirst))
    #expect(survey.geometry?.basis == (reserved < ofFirst ? .vote : .header))
    #expect(try placedRows(in: "t", of: bytes).count == 500)
  }

  @Test(arguments: [0, 32, 700])
  func `a log without its header tells how large the pages are`(_ lost: Int) throws {
    let path = scratch["logged.db"]
    try DatabaseBuilder(
      pageSize: 1024, journal: .wal, ["CREATE TABLE t (id INTEGER PRIMARY KEY, a)"],
      leftover: .wal([
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO t SELECT i, 'row ' || i FROM n
        """
      ])
    ).build(at: path)
    var log = try path.adding(suffix: "-wal").contents()
    log.replaceSubrange(0..<32, with: Bytes(repeating: 0, count: 32))
    let survey = Survey(main: [], wal: Bytes(log.dropFirst(lost)))
    #expect(survey.geometry?.geometry.pageSize == 1024)
    #expect(survey.geometry?.basis == .log)
  }

  @Test func `pages without any reference between them cannot be numbered`() throws {
    let path = scratch["small.db"]
    try DatabaseBuilder(
      pageSize: 1024,
      (1...4).flatMap { number -> [DatabaseBuilder.Step] in
        ["CREATE TABLE t\(number) (a)", "INSERT INTO t\(number) VALUES (1), ('two'), (3.5)"]
      }
    ).build(at: path)
    let survey = Survey(main: Bytes(try path.contents().dropFirst(300)))
    #expect(survey.geometry?.hasPageNumbers == false)
    #expect(survey.findings.contains { $0.message.contains("cannot be numbered") })
    #expect(survey.unclaimed.count { $0.content == .btree(.tableLeaf, cells: 3) } == 4)
  }

  @Test(arguments: [[3], [0, 2, 4, 6, 8, 10, 12, 14]])
  func `a file begins with its first page where half of the magic stands`(
    _ destroyed: [Int]
  ) throws {
    let path = scratch["rotten.db"]
    try DatabaseBuilder(
      pageSize: 1024,
      [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a)",
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
        INSERT INTO t SELECT i, 'row ' || i FROM n
        """,
      ]
    ).build(at: path)
    var bytes = try path.contents()
    for index in destroyed { bytes[index] ^= 8 }
    // The page size cannot be one, and every reference between pages leads astray: the children of
    // page 2 stand in another order.
    bytes[16] = 0x44
    let leaves = bytes.suffix(from: 2048)
    let count = leaves.count / 1024
    try #require(count > 5)
    bytes.removeLast(leaves.count)
    for index in (0..<count).reversed() {
      bytes += leaves.dropFirst(index * 1024).prefix(1024)
    }
    let survey = Survey(main: bytes)
    #expect(survey.geometry?.hasPageNumbers == true)
    #expect(survey.geometry?.start == 0)
    #expect(survey.schema?.entries.map(\.name) == ["t"])
  }

  @Test(arguments: [512, 700, 5000, 1_200_000])
  func `junk before a database whose magic is gone costs nothing`(_ count: Int) throws {
    let (bytes, path, pageSize) = try build("deep-trees")
    let wiped = Damage.zeroRange(offset: 0, count: 16).applied(to: bytes, pageSize: pageSize)
    let survey = Survey(main: Damage.prepend(count: count).applied(to: wiped, pageSize: pageSize))
    #expect(survey.geometry?.start == count)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `junk longer than what is searched for the magic costs nothing`() throws {
    let (bytes, path, pageSize) = try build("deep-trees")
    let survey = Survey(
      main: Damage.prepend(count: 1_100_000).applied(to: bytes, pageSize: pageSize))
    #expect(survey.geometry?.start == 1_100_000)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `the first 256 KiB may be zeros`() throws {
    let (bytes, _, pageSize) = try build("deep-trees")
    #expect(bytes.count > 400 << 10)
    let zeroed = Damage.zeroRange(offset: 0, count: 256 << 10)
      .applied(to: bytes, pageSize: pageSize)
    let survey = Survey(main: zeroed)
    #expect(survey.geometry?.start == 0)
    #expect(survey.geometry?.hasPageNumbers == true)
    try requireNumbers(survey, bytes, cut: 256 << 10, pageSize: pageSize)
  }

  @Test(arguments: TextEncoding.allCases)
  func `a zeroed header costs no row in any encoding`(_ encoding: TextEncoding) throws {
    let (bytes, path, pageSize) = try build("every-value-\(encoding.name)")
    let survey = Survey(main: Damage.wipeHeader.applied(to: bytes, pageSize: pageSize))
    #expect(survey.encoding == encoding)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test(arguments: Geometry.pageSizes)
  func `a page size that the pages contradict is not believed`(_ stated: Int) throws {
    let (bytes, path, pageSize) = try build("page-size-1024")
    var wrong = bytes
    wrong[16] = UInt8(stated >> 8 & 0xFF)
    wrong[17] = stated == 65536 ? 1 : 0
    let survey = Survey(main: wrong)
    #expect(survey.geometry?.geometry.pageSize == pageSize)
    #expect(survey.geometry?.basis == (stated == pageSize ? .header : .vote))
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test(arguments: [0, 8, 31, 40, 255] as [UInt8])
  func `reserved bytes that the pages contradict are not believed`(_ stated: UInt8) throws {
    let (bytes, path, _) = try build("reserved-bytes")
    var wrong = bytes
    wrong[20] = stated
    let survey = Survey(main: wrong)
    #expect(survey.geometry?.geometry == Geometry(pageSize: 512, reserved: 32))
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
  }

  @Test func `two page sizes with as many pages leave it undetermined`() throws {
    let small = try build("page-size-1024").bytes
    let large = try build("page-size-2048").bytes
    let half = min(small.count, large.count) / 4096 * 4096
    let mixed = Bytes(small[4096..<half]) + Bytes(large[4096..<half])
    let survey = Survey(main: mixed)
    #expect(survey.geometry == nil)
    let finding = try #require(survey.findings.first)
    #expect(finding.code == .geometryUndetermined)
    #expect(finding.message.contains("1024 bytes") && finding.message.contains("2048 bytes"))
  }

  @Test func `the header of a database in a value is none of the file`() throws {
    let inner = scratch["inner.db"]
    try DatabaseBuilder(
      pageSize: 512,
      ["CREATE TABLE t (id INTEGER PRIMARY KEY, a)", "INSERT INTO t VALUES (1, 'in')"]
    ).build(at: inner)
    let path = scratch["outer.db"]
    try DatabaseBuilder(
      pageSize: 4096,
      [
        "CREATE TABLE file (id INTEGER PRIMARY KEY, body BLOB)",
        "CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)",
        .init("INSERT INTO file (body) VALUES (?)", [.blob(try inner.contents())]),
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
        INSERT INTO note (body) SELECT 'note ' || i FROM n
        """,
      ]
    ).build(at: path)
    let bytes = Damage.zeroRange(offset: 0, count: 100)
      .applied(to: try path.contents(), pageSize: 4096)
    let decision = try #require(Survey(main: bytes).geometry)
    #expect(decision.geometry.pageSize == 4096 && decision.start == 0)
  }

  @Test(arguments: TextEncoding.allCases, TextEncoding.allCases)
  func `an encoding that the text contradicts is not believed`(
    _ actual: TextEncoding, _ stated: TextEncoding
  ) throws {
    let (bytes, path, _) = try build("every-value-\(actual.name)")
    var wrong = bytes
    wrong[59] = UInt8(stated.rawValue)
    let survey = Survey(main: wrong)
    #expect(survey.encoding == actual)
    #expect(try survey.firstDifference(from: Oracle(path)) == nil)
    #expect(survey.findings.contains { $0.place.offset == 56 } == (actual != stated))
  }

  @Test(arguments: TextEncoding.allCases)
  func `without a schema the text of the pages tells the encoding`(_ encoding: TextEncoding) throws
  {
    let path = scratch["text.db"]
    try DatabaseBuilder(
      pageSize: 512, encoding: encoding,
      [
        "CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('Ångström units'), ('кошка и пёс')",
        "INSERT INTO t VALUES ('猫 123'), ('plain words'), (''), ('x')",
      ]
    ).build(at: path)
    let bytes = try path.contents()
    let survey = Survey(main: Damage.zeroPage(1).applied(to: bytes, pageSize: 512))
    #expect(survey.encoding == encoding)
  }
}
