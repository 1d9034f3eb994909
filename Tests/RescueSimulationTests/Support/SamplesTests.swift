// SPDX-License-Identifier: Apache-2.0
// The databases in `samples/` are those that the maker makes, and have the defect they are named for.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SamplesTests {
  /// A row of the table in `samples/README.md`.
  struct Row: Sendable, CustomStringConvertible {
    let name: String
    let verdict: String
    let exitStatus: Int
    var description: String { name }
    var path: FilePath { Checkout.samples.appending(FilePath(name)) }
  }

  static let rows: [Row] = {
    guard let bytes = try? Checkout.samples.appending("README.md").contents() else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("| `") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
      guard cells.count == 4, let exitStatus = Int(cells[3]) else { return nil }
      return Row(name: cells[0], verdict: cells[2], exitStatus: exitStatus)
    }
  }()

  @Test func `the table covers every verdict`() {
    #expect(Set(Self.rows.map(\.exitStatus)) == [0, 10, 11, 12, 13, 14, 15])
    #expect(Self.rows.count > 25)
  }

  @Test(arguments: rows)
  func `SQLite's own check agrees with the table`(_ row: Row) throws {
    let path = row.path
    #expect(try path.contents().count <= 200_000)
    let isSound = try Oracle(path).integrityErrors == []
    switch row.name {
    // An empty file is an empty database to SQLite, and the loop escapes its check.
    case "empty.db", "freelist-loop.db": #expect(isSound)
    default: #expect(isSound == (row.exitStatus < 13))
    }
  }

  @Test func `sidecars matter`() throws {
    let healthy = try Oracle(Checkout.samples.appending("healthy-v4.db")).rows(of: "sets")
    let hot = try Oracle(Checkout.samples.appending("hot-journal/fitness.db")).rows(of: "sets")
    #expect(firstDifference(expected: healthy, actual: hot) == nil)
    for folder in ["wal", "wal-torn"] as [FilePath] {
      let oracle = try Oracle(Checkout.samples.appending(folder).appending("fitness.db"))
      #expect(try oracle.rows(of: "sets").count == healthy.count + 20)
    }
    let missing = try Oracle(Checkout.samples.appending("wal-missing.db"))
    #expect(try missing.rows(of: "sets").count == healthy.count)
  }

  @Test func `the samples are what the maker makes`() throws {
    // Another version of SQLite may lay out pages differently, and says its number in each file.
    let healthy = try Checkout.samples.appending("healthy-v4.db").contents()
    let version = try Connection(mode: .memory, schemaBy: .us).value(
      """
      WITH part(a, b) AS (SELECT sqlite_version(), instr(sqlite_version(), '.')),
      rest(major, tail) AS (SELECT substr(a, 1, b - 1), substr(a, b + 1) FROM part)
      SELECT major * 1000000 + substr(tail, 1, instr(tail, '.') - 1) * 1000
        + substr(tail, instr(tail, '.') + 1) FROM rest
      """)
    guard version == .integer(Int64(healthy.bigEndian(at: 96))) else { return }
    try ScratchFolder.with { scratch in
      let outcome = try Command(Products.makeSamples, [scratch.path.description]).run()
      #expect(outcome.status == 0, "\(outcome)")
      var names = Self.rows.map(\.name) + ["README.md", "fitness-log-v4.sql"]
      names += ["wal/fitness.db-wal", "wal-torn/fitness.db-wal", "hot-journal/fitness.db-journal"]
      for name in names {
        let made = try scratch[FilePath(name)].contents()
        let isSame = try made == Checkout.samples.appending(FilePath(name)).contents()
        #expect(isSame, "\(name)")
      }
    }
  }
}
