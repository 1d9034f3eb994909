// SPDX-License-Identifier: Apache-2.0
// The fixtures are what they say: sound, with the layout that was asked for.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct RecipeTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  @Test(arguments: Recipe.all)
  func `a recipe makes a sound database`(_ recipe: Recipe) throws {
    let path = try recipe.build(in: scratch.path)
    let before = try path.contents()
    let oracle = try Oracle(path)
    #expect(try oracle.integrityErrors == [])
    for table in try oracle.tables {
      let rows = try oracle.rows(of: table)
      #expect(try rows.count == oracle.count(of: table), "\(table)")
      #expect(firstDifference(expected: rows, actual: rows.reversed()) == nil)
    }
    let isUnchanged = try path.contents() == before
    #expect(isUnchanged, "looking at a database must not change it")
    #expect(try !path.adding(suffix: "-shm").exists)
  }

  @Test(arguments: Recipe.all)
  func `a recipe gives the header that was asked for`(_ recipe: Recipe) throws {
    let bytes = try recipe.build(in: scratch.path).contents()
    let builder = recipe.builder
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    #expect((size == 1 ? 65536 : size) == builder.pageSize)
    #expect(Int(bytes[20]) == builder.reservedBytes)
    #expect(bytes[18] == (builder.journal == .wal ? 2 : 1))
    // A file without a table has no encoding yet.
    let encoding = bytes.bigEndian(at: 56)
    #expect(encoding == builder.encoding.rawValue || (encoding == 0 && bytes.count == size))
    #expect((bytes.bigEndian(at: 52) != 0) == (builder.autoVacuum != .none))
    #expect((bytes.bigEndian(at: 64) != 0) == (builder.autoVacuum == .incremental))
  }

  @Test func `names of recipes are all different`() {
    #expect(Set(Recipe.all.map(\.name)).count == Recipe.all.count)
  }

  @Test func `exact values survive`() throws {
    let path = try Recipe.named("every-value-UTF-8").build(in: scratch.path)
    let values = try oracleRows(path, "v").map { $0.values[1] }
    let negativeZero = Value.real(-0.0)
    #expect(values.contains { $0.isIdentical(to: negativeZero) })
    #expect(values.contains(.real(.infinity)))
    #expect(values.contains(.text(Bytes("a\0b".utf8))))
    #expect(values.contains(.text([0xED, 0xA0, 0x80])))
    #expect(values.contains(.text(Bytes())))
    #expect(values.contains(.blob([])))
    #expect(values.contains(.integer(.min)))
  }

  @Test func `long values spill to overflow pages, free pages are on the list`() throws {
    let long = try Oracle(Recipe.named("long-values-1024").build(in: scratch.path))
    #expect(try long.pages.count { $0.kind == "overflow" } > 100)
    let deep = try Oracle(Recipe.named("deep-trees").build(in: scratch.path))
    #expect(try deep.pages.count { $0.object == "t" && $0.kind == "internal" } > 10)
    let free = try Oracle(Recipe.named("freelist").build(in: scratch.path))
    #expect(try free.value("PRAGMA freelist_count")?.integerValue ?? 0 > 240)
  }

  @Test(arguments: ["wal-committed", "wal-torn", "wal-only", "wal-shrinks"])
  func `the log holds what the file does not`(_ name: String) throws {
    let path = try Recipe.named(name).build(in: scratch.path)
    let whole = try Oracle(path)
    let alone = scratch["alone.db"]
    try alone.replaceContents(with: path.contents())
    let without = try Oracle(alone)
    #expect(try whole.tables != without.tables || whole.count(of: "t") != without.count(of: "t"))
    let torn = "SELECT count(*) FROM t WHERE a LIKE 'torn%'"
    #expect(try whole.value(torn) == .integer(0))
  }

  @Test(arguments: ["hot-journal", "hot-journal-grown"])
  func `the hot journal brings back what was committed`(_ name: String) throws {
    let path = try Recipe.named(name).build(in: scratch.path)
    let clean = try Recipe.named("journal-truncated").build(in: scratch.path)
    let expected = try oracleRows(clean, "t")
    #expect(try firstDifference(expected: expected, actual: oracleRows(path, "t")) == nil)
    let alone = scratch["alone.db"]
    try alone.replaceContents(with: path.contents())
    #expect(!isSame(expected, alone))
  }

  @Test func `journals with fixed random numbers still count`() throws {
    let torn = try Recipe.named("wal-torn").build(in: scratch.path)
    let wal = torn.adding(suffix: "-wal")
    let rows = try oracleRows(torn, "t")
    let salted = JournalBytes.withSalts((1, 2), wal: try wal.contents())
    let isSalted = try salted != wal.contents()
    #expect(isSalted)
    try wal.replaceContents(with: salted)
    #expect(try firstDifference(expected: rows, actual: oracleRows(torn, "t")) == nil)
    #expect(try Oracle(torn).tables == ["t", "young"])

    let hot = try Recipe.named("hot-journal").build(in: scratch.path)
    let journal = hot.adding(suffix: "-journal")
    let before = try oracleRows(hot, "t")
    let fixed = JournalBytes.withNonce(7, journal: try journal.contents())
    let isFixed = try fixed != journal.contents()
    #expect(isFixed)
    try journal.replaceContents(with: fixed)
    #expect(try firstDifference(expected: before, actual: oracleRows(hot, "t")) == nil)
    // A checksum that does not fit ends the rollback: so the sums above did fit.
    var broken = fixed
    broken.setBigEndian(8, at: 12)
    try journal.replaceContents(with: broken)
    #expect(!isSame(before, hot))
  }

  /// Whether SQLite reads exactly these rows from a sound file.
  private func isSame(_ rows: [ExactRow], _ path: FilePath) -> Bool {
    guard let oracle = try? Oracle(path), (try? oracle.integrityErrors) == [] else { return false }
    guard let actual = try? oracle.rows(of: "t") else { return false }
    return firstDifference(expected: rows, actual: actual) == nil
  }
}
