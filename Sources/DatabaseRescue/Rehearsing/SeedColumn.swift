// SPDX-License-Identifier: Apache-2.0
// What a column is given: the values at the edges of what it can hold, and plain ones for the rows in
// which another column is tried.

import Diagnosis
import SQLiteFormat

/// What a column is given.
struct SeedColumn {
  /// Its name.
  let name: Name
  /// The values that it is tried with, each in a row.
  let edges: [Value]
  /// Whether it may be NULL and conditions of its table name it: they may be hard to fulfil together.
  let escapesByNull: Bool
  /// The values that it has in other rows.
  private var plain: [Value]
  /// Whether conditions of its table name it.
  private let isNamed: Bool
  /// Whether no two rows may have the same.
  private let isUnique: Bool
  private let affinity: Affinity

  /// How long a long text is, in bytes: longer than a page of usual size.
  private static let longCount = 6000

  /// Looks at a column of a table.
  init(_ column: ColumnDescription, of table: TableDescription) {
    name = column.name
    affinity = Affinity(declaredType: column.type, strict: table.strict)
    let isRowID = table.rowIDColumn == column.name
    isUnique =
      isRowID
      || table.indexes.contains { index in
        index.unique && index.columns.count == 1 && index.columns[0].name == column.name
      }
    let named = Self.literals(of: column.name, in: table.checks, affinity)
    isNamed = table.checks.contains { Self.names($0, column.name) }
    // An AUTOINCREMENT counter at its end lets no row be added any more.
    let edges = isRowID ? [0, -1, 1, 1 << 40].map { Value.integer($0) } : Self.edges(of: affinity)
    let mayBeNull =
      !column.notNull && !isRowID && !(table.withoutRowID && column.primaryKeyPosition > 0)
    escapesByNull = mayBeNull && !named.isEmpty
    self.edges = (mayBeNull ? [.null] : []) + edges + named
    plain = named.isEmpty ? Self.plain(of: affinity) : named
  }

  /// The same, where plain values are those that the conditions that name no other column admit.
  func admitted(
    by table: TableDescription, on connection: borrowing Connection
  ) -> SeedColumn {
    guard isNamed else { return self }
    let others = table.columns.map(\.name).filter { $0 != name }
    let conditions = table.checks.filter { check in
      Self.names(check, name) && !others.contains { Self.names(check, $0) }
    }
    var admitted = plain + Self.plain(of: affinity) + (affinity == .text ? Self.formats : [])
    for condition in conditions {
      let sql = "SELECT (\(condition)) IS NOT FALSE FROM (SELECT ? AS \(name.quotedIdentifier))"
      admitted = admitted.filter { value in
        (try? connection.value(sql, [value]))??.integerValue == 1
      }
    }
    var column = self
    if !admitted.isEmpty { column.plain = admitted }
    return column
  }

  /// Texts of forms that conditions ask for.
  private static let formats = [
    "{}", "[1, \"a\"]", "a@b.example", "2024-01-31T12:00:00Z", "12:30", "https://example.org/",
    "#aabbcc", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "+41440000000",
  ].map { text($0) }

  /// Whether a number may stand where this does: a hexadecimal digit, or an x of a text of some length.
  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "x"):
      true
    default: false
    }
  }

  /// A value of the same form as another one, with a number where it begins.
  private static func varied(_ value: Value, _ number: Int) -> Value {
    guard case .text(let bytes) = value else { return value }
    let count = min(8, bytes.prefix(while: isOfNumber).count)
    let digits = Array(String(number).utf8.suffix(count))
    return .text(
      Bytes(repeating: UInt8(ascii: "0"), count: count - digits.count) + digits
        + bytes.dropFirst(count))
  }

  /// A value for a row in which another column is tried; `number` is that of the row.
  func plainValue(_ number: Int, _ choice: inout SeededChoice) -> Value {
    guard isUnique else { return choice.pick(plain) ?? .null }
    guard plain == Self.plain(of: affinity) else {
      return choice.pick(plain).map { number % 2 == 0 ? $0 : Self.varied($0, number) } ?? .null
    }
    switch affinity {
    case .integer, .numeric: return .integer(Int64(1000 + number))
    case .real: return .real(Double(number) + 0.5)
    case .text: return .text(Bytes("value \(number)".utf8))
    case .blob: return .blob(Bytes("value \(number)".utf8))
    }
  }

  private static func text(_ text: String) -> Value { .text(Bytes(text.utf8)) }

  private static func edges(of affinity: Affinity) -> [Value] {
    let integers: [Value] = [0, -1, 1, .max, .min].map { .integer($0) }
    let reals: [Value] = [0, -1.5, 1e300, .leastNonzeroMagnitude].map { .real($0) }
    let texts: [Value] = [
      text(""), text("a"), text("Zürich, 漢字, 🏋️, e\u{301}"), text("it's \"100 %\"\n; --"),
      text(String(repeating: "long ", count: longCount / 5)),
    ]
    let blobs: [Value] = [
      .blob([]), .blob([0, 0xFF, 0x80]), .blob(Bytes(repeating: 0xA5, count: longCount)),
    ]
    return switch affinity {
    case .integer: integers
    case .real: reals
    case .text: texts
    case .numeric: integers + [.real(-1.5), text("2024-02-29T12:00:00Z")]
    case .blob: blobs + [.integer(.min), .real(-1.5), text("Zürich")]
    }
  }

  private static func plain(of affinity: Affinity) -> [Value] {
    switch affinity {
    case .integer, .numeric: [.integer(1), .integer(2), .integer(7)]
    case .real: [.real(1.5), .real(80)]
    case .text: [text("some words"), text("a"), text("2024-01-31")]
    case .blob: [.blob([1, 2, 3]), .blob([7])]
    }
  }

  private static func names(_ condition: String, _ column: Name) -> Bool {
    SQLTokens(parsing: condition).tokens.contains { $0.isName(column) }
  }

  /// The values that the conditions of the table compare a column with, and those beside them.
  private static func literals(
    of column: Name, in checks: [String], _ affinity: Affinity
  ) -> [Value] {
    checks.filter { names($0, column) }.map { SQLTokens(parsing: $0).tokens }
      .flatMap { tokens in
        tokens.indices.flatMap { index in
          let isNegative = index > 0 && tokens[index - 1] == .symbol("-")
          return values(of: tokens[index], isNegative: isNegative, affinity)
        }
      }
  }

  private static func values(
    of token: SQLToken, isNegative: Bool, _ affinity: Affinity
  ) -> [Value] {
    switch token {
    case .literal(let quoted) where quoted.hasPrefix("'"):
      return [text(quoted.dropFirst().dropLast().replacing("''", with: "'"))]
    case .number(let digits):
      if let number = Int64(digits), number < 1 << 60 {
        let signed = isNegative ? -number : number
        let near = [signed, signed - 1, signed + 1]
        // What is said of a text's length wants a text of that length.
        guard affinity != .text else {
          return near.filter { 0...4096 ~= $0 }
            .map { text(String(repeating: "x", count: Int($0))) }
        }
        return affinity == .real
          ? near.map { .real(Double($0)) } : near.map { .integer($0) }
      }
      return Double(digits).map { [.real(isNegative ? -$0 : $0)] } ?? []
    default: return []
    }
  }

  private static func text(_ text: some StringProtocol) -> Value { .text(Bytes(text.utf8)) }
}

extension SQLToken {
  /// Whether this names something, quoted or not.
  fileprivate func isName(_ name: Name) -> Bool {
    switch self {
    case .word(let text), .name(let text): Name(text) == name
    case .literal, .number, .symbol: false
    }
  }
}
