// SPDX-License-Identifier: Apache-2.0
// Overflow chains with wrong links: rows that come back, rows that are set aside, none invented.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BrokenLinkTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// 40 rows, of which every fourth goes on on other pages, each with another length.
  private static func steps(_ count: Int = 40) -> [DatabaseBuilder.Step] {
    [
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)",
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO t SELECT i,
        substr(replace(hex(zeroblob(2000)), '0', i || '-'), 1, iif(i % 4 = 0, 1000 + i * 97, 20))
      FROM n
      """,
    ]
  }

  /// A cell that goes on on other pages: its rowid, where its link stands, and the pages.
  private struct Spill {
    let rowID: Int64
    let link: Int
    let pages: [PageNumber]
  }

  private struct Outcome {
    let ending: Ending
    let good: Set<Int64>
    let wrong: Int64?
    let aside: [String]
  }

  private func spills(_ bytes: Bytes, pageSize: Int) throws -> [Spill] {
    let geometry = try #require(Geometry(pageSize: pageSize))
    let image = Image(FileSet(main: MemorySource(bytes)), geometry: geometry)
    return try image.pages.flatMap { number -> [Spill] in
      guard let page = try? image.btreePage(number), page.kind == .tableLeaf, number != .first
      else { return [] }
      return try (0..<page.cellCount).compactMap { index in
        let cell = try page.cell(index)
        guard cell.overflow != nil, let rowID = cell.rowID else { return nil }
        return Spill(
          rowID: rowID, link: (number.number - 1) * pageSize + cell.end - 4,
          pages: try image.overflowChain(of: cell, on: number).pages)
      }
    }
  }

  private func salvage(
    autoVacuum: DatabaseBuilder.AutoVacuum = .none,
    damage: ([Spill], inout Bytes) throws -> Void
  ) throws -> Outcome {
    let file = bench["app.db"]
    try DatabaseBuilder(pageSize: 1024, autoVacuum: autoVacuum, Self.steps()).build(at: file)
    let original = bench["original.db"]
    var bytes = try file.contents()
    try original.replaceContents(with: bytes)
    try damage(try spills(bytes, pageSize: 1024), &bytes)
    try file.replaceContents(with: bytes)
    let output = bench["new.db"]
    let ending = try bench.run("salvage", file, "--output", output)
    let oracle = try Oracle(output)
    #expect(try oracle.integrityErrors == [])
    _ = try oracle.value("ATTACH '\(original)' AS o")
    let good = try oracle.value(
      "SELECT group_concat(n.id) FROM t AS n JOIN o.t AS o ON n.id = o.id AND n.a IS o.a")
    let wrong = try oracle.value(
      "SELECT count(*) FROM t AS n LEFT JOIN o.t AS o ON n.id = o.id WHERE n.a IS NOT o.a")
    let quarantine = output.adding(suffix: ".quarantine.db")
    let aside =
      try quarantine.exists
      ? Oracle(quarantine).value("SELECT group_concat(\"rowid\" || ' ' || reason) FROM \"rows\"")?
        .utf8String ?? "" : ""
    let ids = (good?.utf8String ?? "").split(separator: ",").compactMap { Int64($0) }
    return Outcome(
      ending: ending, good: Set(ids), wrong: wrong?.integerValue,
      aside: aside.split(separator: ",").map(String.init))
  }

  @Test(arguments: [DatabaseBuilder.AutoVacuum.none, .full], [0, 99_999])
  func `a row whose first link is lost comes back when one chain fits`(
    _ autoVacuum: DatabaseBuilder.AutoVacuum, _ link: UInt32
  ) throws {
    let outcome = try salvage(autoVacuum: autoVacuum) { spills, bytes in
      bytes.setBigEndian(link, at: spills[3].link)
    }
    #expect(outcome.good == Set(1...40))
    #expect(outcome.wrong == 0)
    #expect(outcome.aside.isEmpty)
  }

  @Test func `two rows that lost their first links get each its own`() throws {
    let outcome = try salvage { spills, bytes in
      for spill in [spills[3], spills[6]] { bytes.setBigEndian(0, at: spill.link) }
    }
    #expect(outcome.good == Set(1...40))
    #expect(outcome.wrong == 0)
  }

  @Test func `two rows whose chains have one length get none`() throws {
    var both: Set<Int64> = []
    let outcome = try salvage { spills, bytes in
      try #require(spills[3].pages.count == spills[4].pages.count)
      both = [spills[3].rowID, spills[4].rowID]
      for spill in spills[3...4] { bytes.setBigEndian(0, at: spill.link) }
    }
    #expect(outcome.good == Set(1...40).subtracting(both))
    #expect(outcome.wrong == 0)
  }

  @Test func `a row whose chain breaks inside is set aside whole`() throws {
    var broken: Int64 = 0
    let outcome = try salvage { spills, bytes in
      let spill = try #require(spills.first { $0.pages.count > 2 })
      broken = spill.rowID
      bytes.setBigEndian(0, at: (spill.pages[0].number - 1) * 1024)
    }
    #expect(outcome.ending.status == 14)
    #expect(outcome.good == Set(1...40).subtracting([broken]))
    #expect(outcome.aside == ["\(broken) inferred-chain"])
  }

  @Test func `of two rows that lead to one chain neither is believed`() throws {
    var both: Set<Int64> = []
    let outcome = try salvage { spills, bytes in
      let long = try #require(spills.last { $0.pages.count > spills[0].pages.count })
      let tail = long.pages[long.pages.count - spills[0].pages.count]
      both = [spills[0].rowID, long.rowID]
      bytes.setBigEndian(UInt32(tail.number), at: spills[0].link)
    }
    #expect(outcome.good == Set(1...40).subtracting(both))
    #expect(outcome.wrong == 0)
    #expect(Set(outcome.aside) == Set(both.map { "\($0) shared-chain" }))
  }

  @Test func `a pointer map tells whose a shared chain is`() throws {
    var thief: Int64 = 0
    let outcome = try salvage(autoVacuum: .full) { spills, bytes in
      let long = try #require(spills.last { $0.pages.count > spills[0].pages.count })
      let tail = long.pages[long.pages.count - spills[0].pages.count]
      thief = spills[0].rowID
      bytes.setBigEndian(UInt32(tail.number), at: spills[0].link)
    }
    #expect(outcome.good.isSuperset(of: Set(1...40).subtracting([thief])))
    #expect(outcome.wrong == 0)
  }
}
