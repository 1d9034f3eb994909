// SPDX-License-Identifier: Apache-2.0
// The order of index entries: that of SQLite's own comparisons.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct KeyOrderTests {
  /// Values of every kind, with neighbours that differ by little.
  static let values: [Value] = [
    .null, .integer(.min), .integer(-1), .integer(0), .integer(1), .integer(.max),
    .integer(9_007_199_254_740_993), .real(9_007_199_254_740_992), .real(-1.5), .real(-0.0),
    .real(0.5), .real(1), .real(9.3e18), .real(-9.3e18), .real(.infinity), .real(-.infinity),
    .text(""), .text(" "), .text("a"), .text("A"), .text("a "), .text("a  b"), .text("ab"),
    .text("B"), .text("b"), .text("_"), .text("ä"), .text("z"), .text("a\0b"), .text("A\0c"),
    .blob([]), .blob([0]), .blob([0, 0]), .blob([97]), .blob([255]),
  ]

  private func record(_ values: [Value]) throws -> Record {
    let fields = values.map { value -> (type: UInt64, content: Bytes) in
      switch value {
      case .null: (0, [])
      case .integer(let integer): (6, big64(UInt64(bitPattern: integer)))
      case .real(let real): (7, big64(real.bitPattern))
      case .text(let bytes): (UInt64(13 + 2 * bytes.count), bytes)
      case .blob(let bytes): (UInt64(12 + 2 * bytes.count), bytes)
      }
    }
    let bytes = Bytes.record(fields)
    return try Record(bytes, in: 0..<bytes.count)
  }

  private func big64(_ value: UInt64) -> Bytes {
    Bytes.big32(UInt32(value >> 32)) + Bytes.big32(UInt32(truncatingIfNeeded: value))
  }

  @Test(arguments: [KeyOrder.Collation.binary, .noCase, .trimmed])
  func `values come in the order of SQLite`(_ collation: KeyOrder.Collation) throws {
    let connection = try Connection(mode: .memory, schemaBy: .us)
    let order = KeyOrder([KeyOrder.Column(collation)])
    let reversed = KeyOrder([KeyOrder.Column(collation, isDescending: true)])
    let name = collation.rawValue
    // A comparison in SQL knows no order of NULLs; sorting does.
    let sorted = try connection.rows(
      """
      WITH v(n, x) AS (VALUES \(Self.values.indices.map { "(\($0), ?\($0 + 1))" }.joined(separator: ", ")))
      SELECT n, dense_rank() OVER (ORDER BY x COLLATE \(name)) FROM v ORDER BY n
      """, Self.values)
    let ranks = sorted.map { $0[1].integerValue ?? 0 }
    for (left, leftRank) in zip(Self.values, ranks) {
      for (right, rightRank) in zip(Self.values, ranks) {
        let pair = try (record([left]), record([right]))
        #expect(
          order.allows(pair.0, before: pair.1) == (leftRank < rightRank), "\(left), \(right)")
        #expect(
          reversed.allows(pair.0, before: pair.1) == (leftRank > rightRank), "\(left), \(right)")
      }
    }
  }

  @Test(
    arguments: [KeyOrder.Collation.noCase, .trimmed], [TextEncoding.utf16le, .utf16be])
  func `text in UTF-16 comes in the order of SQLite, which takes it for UTF-8`(
    _ collation: KeyOrder.Collation, _ encoding: TextEncoding
  ) throws {
    let texts = [
      "", " ", "a", "A", "b", "B ", "a ", "ab", "aB", "ä", "Ä", "ß", "猫", "\u{FFFD}", "😀", "😀a",
      "a\u{0}", "a\u{0}b", "A\u{0}c", "\u{E000}", "[", "`", "Z", "z", "\u{3000}", "x\u{2020}",
    ]
    let connection = try Connection(mode: .memory, schemaBy: .us)
    try connection.execute(
      "PRAGMA encoding = '\(encoding.name)'; CREATE TABLE t(n INTEGER, x TEXT)")
    for (n, text) in texts.enumerated() {
      _ = try connection.rows(
        "INSERT INTO t VALUES (?1, ?2)", [.integer(Int64(n)), .text(Bytes(text.utf8))])
    }
    let sorted = try connection.rows(
      "SELECT n, dense_rank() OVER (ORDER BY x COLLATE \(collation.rawValue)) FROM t ORDER BY n")
    let ranks = sorted.map { $0[1].integerValue ?? 0 }
    let order = KeyOrder([KeyOrder.Column(collation, encoding)])
    let values = texts.map { text -> Value in
      .text(
        Bytes(
          text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return encoding == .utf16be ? [high, low] : [low, high]
          }))
    }
    for (left, leftRank) in zip(values, ranks) {
      for (right, rightRank) in zip(values, ranks) {
        let compared = order.compare([left], [right])
        #expect(
          (compared < 0, compared > 0) == (leftRank < rightRank, leftRank > rightRank),
          "\(left), \(right)")
      }
    }
  }

  @Test func `entries may be alike only in a part of the key`() throws {
    let one = try record([.integer(1), .integer(5)])
    let two = try record([.integer(1), .integer(6)])
    #expect(KeyOrder([KeyOrder.Column()]).allows(two, before: one))
    #expect(!KeyOrder([KeyOrder.Column(), KeyOrder.Column()]).allows(two, before: one))
    #expect(KeyOrder([KeyOrder.Column(), KeyOrder.Column()]).allows(one, before: two))
    #expect(!KeyOrder([KeyOrder.Column(), KeyOrder.Column()]).allows(one, before: one))
    #expect(KeyOrder([]).allows(one, before: one))
  }
}
