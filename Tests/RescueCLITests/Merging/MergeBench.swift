// SPDX-License-Identifier: Apache-2.0
// A place to merge databases in, which holds every merge to what all of them promise.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

/// What a merge gave.
struct Merged {
  let ending: Ending
  let new: Oracle
  let quarantine: Oracle?

  /// What the account says of a table.
  func table(_ name: String) throws -> JSON {
    try #require(try ending.json["tables"]?.elements.first { $0["table"]?.text == name })
  }

  /// What the account says of a table of one input, by its place, the oldest first.
  func rows(_ table: String, _ input: Int) throws -> JSON {
    try #require(try self.table(table)["inputs"]?.elements[input])
  }

  /// The rows of a query on the result, each value as text, one row to a line.
  func text(_ sql: String) throws -> String { try Self.text(new, sql) }

  /// The same of what was set aside; nothing where there is no such file.
  func aside(_ sql: String) throws -> String { try quarantine.map { try Self.text($0, sql) } ?? "" }

  private static func text(_ oracle: Oracle, _ sql: String) throws -> String {
    try oracle.rows(query: sql).map { row in
      row.map { value in
        switch value {
        case .null: "-"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text: value.utf8String ?? "?"
        case .blob(let bytes): "x\(bytes.count)"
        }
      }.joined(separator: " ")
    }.joined(separator: "\n")
  }
}

/// Databases to be merged.
struct MergeBench {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// Makes a database of statements.
  @discardableResult
  func make(
    _ name: FilePath, encoding: TextEncoding = .utf8, pageSize: Int = 1024, _ sql: String...
  ) throws -> FilePath {
    try DatabaseBuilder(
      pageSize: pageSize, encoding: encoding,
      sql.map { DatabaseBuilder.Step(stringLiteral: $0) }
    ).build(at: bench[name])
    return bench[name]
  }

  /// Merges databases, and holds the result to the promises of every merge: the inputs are as they
  /// were, every row of each is accounted for once, and SQLite finds nothing wrong.
  ///
  /// `displaced` are tables whose names are those of other objects of the result.
  func merge(
    _ inputs: [FilePath], _ flags: String..., dangling: Int? = 0, displaced: Set<String> = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Merged {
    let output = bench["merged.db"]
    for path in [output, output.adding(suffix: ".quarantine.db")] where try path.exists {
      try SystemStorage().remove(path)
    }
    let before = try bench.look()
    let ending = try bench.run(
      ["merge"] + inputs + ["--output", output, "--json"] + flags, sourceLocation: sourceLocation)
    let changes = try before.changes(until: bench.look())
    #expect(changes.allSatisfy { $0.hasPrefix("added merged.db") }, sourceLocation: sourceLocation)
    try #require([0, 13, 14].contains(ending.status), "\(ending.all)")
    let json = try ending.json
    #expect(json["exit"]?.number == Int(ending.status), sourceLocation: sourceLocation)
    #expect(json["complete"]?.bool == (ending.status == 0), sourceLocation: sourceLocation)
    let new = try Oracle(output)
    #expect(try new.integrityErrors == [], sourceLocation: sourceLocation)
    let danglingCount = try new.rows(query: "PRAGMA foreign_key_check").count
    #expect(danglingCount == dangling ?? danglingCount, sourceLocation: sourceLocation)
    for table in try #require(json["tables"]?.elements) {
      try hold(table, displaced, new, sourceLocation)
    }
    let quarantine = output.adding(suffix: ".quarantine.db")
    #expect(
      try quarantine.exists == (json["quarantine"] != nil), sourceLocation: sourceLocation)
    return Merged(
      ending: ending, new: new, quarantine: try quarantine.exists ? Oracle(quarantine) : nil)
  }

  private func hold(
    _ table: JSON, _ displaced: Set<String>, _ new: Oracle, _ location: SourceLocation
  ) throws {
    #expect(table["balanced"]?.bool == true, "\(table)", sourceLocation: location)
    var taken = 0
    for rows in try #require(table["inputs"]?.elements) {
      func count(_ key: String) throws -> Int { try #require(rows[key]?.number) }
      let aside = try ["conflicts", "refused", "parted", "stuck", "displaced", "doubtful"].map(
        count)
      #expect(
        try count("quarantined") == aside.reduce(0, +), "\(table)", sourceLocation: location)
      #expect(
        try count("seen") == count("taken") + count("identical") + count("quarantined"),
        "\(table)", sourceLocation: location)
      taken += try count("taken")
    }
    guard let name = table["table"]?.text else { return }
    #expect(table["rows"]?.number == taken, "\(table)", sourceLocation: location)
    guard !displaced.contains(name) else { return }
    #expect(try new.count(of: name) == taken, "\(table)", sourceLocation: location)
  }
}
