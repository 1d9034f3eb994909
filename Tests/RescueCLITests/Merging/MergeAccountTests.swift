// SPDX-License-Identifier: Apache-2.0
// Every row of every input, one by one: in the merged database, or set aside, and nowhere twice.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeAccountTests {
  /// Random rows of tables with every kind of key, few enough keys for many conflicts.
  private static func rows(_ random: inout SeededRandom) -> [String] {
    func value(_ random: inout SeededRandom) -> String {
      random.pick(["'a'", "'b'", "1", "1.0", "2", "x'61'", "NULL", "'A'"])
    }
    let schema = """
      CREATE TABLE u (id INTEGER PRIMARY KEY, mail UNIQUE, v);
      CREATE TABLE c (id INTEGER PRIMARY KEY, u INTEGER REFERENCES u (id), v);
      CREATE TABLE n (k TEXT COLLATE NOCASE, l, v, PRIMARY KEY (k, l));
      CREATE TABLE w (a, b, v, PRIMARY KEY (b, a)) WITHOUT ROWID;
      CREATE TABLE bag (v, w);
      """
    var steps = [schema]
    for _ in 0..<40 {
      let (id, other) = (random.below(20), random.below(20))
      let (first, second) = (value(&random), value(&random))
      steps.append(
        random.pick([
          "INSERT OR IGNORE INTO u VALUES (\(id), \(other), \(first))",
          "INSERT OR IGNORE INTO c SELECT \(id), id, \(first) FROM u WHERE id = \(other)",
          "INSERT OR IGNORE INTO n VALUES (\(first), \(id % 4), \(second))",
          "INSERT OR IGNORE INTO w VALUES (\(first), \(id % 5), \(second))",
          "INSERT INTO bag VALUES (\(first), \(second))",
        ]))
    }
    return steps
  }

  /// The rows of a table as text, each with its types; how often each is there.
  private static func bag(_ oracle: Oracle, _ table: String, _ columns: [String]) throws -> [String:
    Int]
  {
    let values = columns.map { "quote(\($0)) || typeof(\($0))" }.joined(separator: " || ' ' || ")
    let rows = try oracle.rows(query: "SELECT \(values) FROM \(table)")
    return rows.reduce(into: [:]) { $0[$1[0].utf8String ?? "", default: 0] += 1 }
  }

  /// The columns of each table, and the same as its record has them in the quarantine file.
  private static let tables: [(name: String, columns: [String], record: [String])] = [
    ("u", ["id", "mail", "v"], [#""rowid""#, "c1", "c2"]),
    ("c", ["id", "u", "v"], [#""rowid""#, "c1", "c2"]),
    ("n", ["k", "l", "v"], ["c0", "c1", "c2"]),
    ("w", ["b", "a", "v"], ["c0", "c1", "c2"]),
    ("bag", ["v", "w"], ["c0", "c1"]),
  ]

  @Test(arguments: Array(1...6) as [UInt64], [[], ["--prefer", "old"], ["--newer-by", "v"]])
  func `every row is in the merged database or set aside`(_ seed: UInt64, _ flags: [String]) throws
  {
    var random = SeededRandom(seed: seed)
    let bench = try MergeBench()
    let names = ["a.db", "b.db", "c.db"].prefix(random.below(2) + 2)
    var inputs: [FilePath] = []
    for name in names {
      let path = bench.bench[FilePath(name)]
      try DatabaseBuilder(Self.rows(&random).map { DatabaseBuilder.Step(stringLiteral: $0) })
        .build(at: path)
      inputs.append(path)
    }
    let merged =
      flags.isEmpty
      ? try bench.merge(inputs) : try bench.merge(inputs, flags[0], flags[1])
    for table in Self.tables {
      var result = try Self.bag(merged.new, table.name, table.columns)
      var aside: [[String: Int]] = []
      for name in names {
        let set = try merged.quarantine.map {
          try Self.bag(
            $0, "conflicts WHERE \"table\" = '\(table.name)' AND source = '\(name)'", table.record)
        }
        aside.append(set ?? [:])
      }
      for (place, input) in inputs.enumerated() {
        for (row, count) in try Self.bag(Oracle(input), table.name, table.columns) {
          let (kept, left) = (result[row] ?? 0, aside[place][row] ?? 0)
          // A row that gave way may be there all the same, from another input.
          #expect(kept + left >= count, "seed \(seed) \(flags): \(table.name) \(row)")
          #expect(left <= count, "seed \(seed) \(flags): \(table.name) \(row)")
          aside[place][row] = nil
        }
        #expect(aside[place] == [:], "seed \(seed) \(flags): \(table.name)")
      }
      // And nothing is there that no input has.
      for input in inputs {
        for row in try Self.bag(Oracle(input), table.name, table.columns).keys { result[row] = nil }
      }
      #expect(result == [:], "seed \(seed) \(flags): \(table.name)")
    }
  }
}
