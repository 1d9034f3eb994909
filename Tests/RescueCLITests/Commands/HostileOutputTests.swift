// SPDX-License-Identifier: Apache-2.0
// Names of every kind of character that is obeyed or not seen, and of any length, in whatever the
// program prints, writes or logs.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct HostileOutputTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  /// One of each kind: C0, C1, DEL, soft hyphen, marks, joiners, ends of lines, overrides, isolates,
  /// invisible operators, fillers, annotation, variation selectors, tags, and no characters.
  static let scalars: [UInt32] = [
    0x01, 0x09, 0x0A, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x034F, 0x061C, 0x115F, 0x180B, 0x180E,
    0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2064, 0x2066, 0x2069,
    0x206F, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFB, 0xFDD0, 0xFFFE, 0x1D173, 0x1FFFF,
    0xE0001, 0xE0041, 0xE007F, 0xE0100, 0x10FFFF,
  ]

  static let name = String(
    String.UnicodeScalarView(
      scalars.flatMap { [Unicode.Scalar("x"), Unicode.Scalar($0)].compactMap(\.self) }))

  private func expectHarmless(_ text: String, isJSON: Bool = false) {
    for scalar in text.unicodeScalars where scalar != "\n" {
      #expect(!Self.scalars.contains(scalar.value), "U+\(String(scalar.value, radix: 16))")
    }
    guard !isJSON else { return }
    let longest = text.split(separator: "\n").map(\.unicodeScalars.count).max() ?? 0
    #expect(longest <= 1000)
  }

  private func place(_ table: String, as name: FilePath) throws -> FilePath {
    let path = bench[name]
    let quoted = "\"" + table.replacing("\"", with: "\"\"") + "\""
    try DatabaseBuilder(
      pageSize: 512,
      [
        DatabaseBuilder.Step(stringLiteral: "CREATE TABLE \(quoted) (a, b)"),
        DatabaseBuilder.Step(
          stringLiteral: "WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
            + "INSERT INTO \(quoted) SELECT i, hex(i) FROM n"),
      ]
    ).build(at: path)
    return path
  }

  /// A name of a table.
  enum Table: String, CaseIterable {
    case hostile, long, plain

    var name: String {
      switch self {
      case .hostile: HostileOutputTests.name
      case .long: String(repeating: "long", count: 10_000)
      case .plain: "plain"
      }
    }
  }

  @Test(arguments: Table.allCases)
  func `nothing that is obeyed, and no line without an end`(_ table: Table) throws {
    let good = try place(table.name, as: "good.db")
    let file = bench[FilePath("\(Self.name.prefix(20)).db")]
    var bytes = try good.contents()
    for index in (bytes.count - 512)..<(bytes.count - 400) { bytes[index] = 0xEE }
    try file.replaceContents(with: bytes)
    let lines: [[any Word]] = [
      ["check", file], ["diagnose", file, "-v"], ["backup", file],
      ["salvage", file, "--output", bench["new.db"], "--force"],
      ["diagnose", file, "--contract", good], ["contract", "capture", good],
      ["contract", "diff", good, file], ["contract", "verify", file, "--contract", good],
      ["check", bench[FilePath(String(Self.name.prefix(9)) + "missing")]], ["vault", "list", file],
      ["log", "list"], ["check", String(repeating: "y", count: 5000)], ["--" + Self.name],
    ]
    for line in lines {
      expectHarmless(try bench.run(line).all, isJSON: line.first?.bytes == "contract".bytes)
      if line.count > 1 { expectHarmless(try bench.run(line + ["--json"]).all, isJSON: true) }
    }
    for ending in ["txt", "html", "json"] {
      let report = bench[FilePath("r.\(ending)")]
      try bench.run("diagnose", file, "--report", report)
      expectHarmless(
        String(decoding: try report.contents(), as: UTF8.self), isJSON: ending != "txt")
    }
    expectHarmless(String(decoding: try bench.log.contents(), as: UTF8.self), isJSON: true)
  }

  @Test func `a long name keeps both ends, and says how much is left out`() throws {
    let error = RescueError(
      .missing, "there is no '\(String(repeating: "a", count: 1 << 20))' here")
    #expect(error.message.hasPrefix("there is no 'aaa") && error.message.hasSuffix("aaa' here"))
    #expect(error.message.contains("left out"))
    #expect(error.message.unicodeScalars.count <= 1000)
  }
}
