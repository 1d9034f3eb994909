// SPDX-License-Identifier: Apache-2.0
// The database that hostile ones are made of: with one table whose rows must always come back.

import DatabaseRescue
import SQLiteFormat

/// The database that tricks are played with, made once.
package enum HostileBase {
  /// How many rows the sound table has.
  private static let rowCount = 60

  private static let builder = DatabaseBuilder(
    pageSize: 1024,
    [
      "CREATE TABLE sound (id INTEGER PRIMARY KEY, v TEXT, r REAL, b BLOB)",
      Rows.fill("sound", "n * 3, 'sound ' || n, n / 7.0, zeroblob(n)", count: rowCount),
      "CREATE INDEX sound_v ON sound (v)",
      "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, x)",
      Rows.fill("counted (x)", "n", count: 9),
    ]
      + (1...6).flatMap {
        ["CREATE TABLE r\($0) (x)", "INSERT INTO r\($0) VALUES ('r\($0)'), (2)"]
      }
      + [
        "CREATE VIRTUAL TABLE ft USING fts5(a)", "INSERT INTO ft VALUES ('one two'), ('three')",
        "CREATE VIRTUAL TABLE fq USING fts4(a)", "INSERT INTO fq VALUES ('four five')",
        "CREATE VIRTUAL TABLE rt USING rtree(id, a, b)", "INSERT INTO rt VALUES (1, 2, 3)",
        "PRAGMA user_version = 7",
      ])

  private struct Made {
    var bytes: Bytes = []
    var victim: Bytes = []
    var log: Bytes = []
    var roots: [String: Int] = [:]
    var rows: [ExactRow] = []
    var shadows: [String] = []
  }

  private static let made: Made = {
    let made = try? ScratchFolder.with { scratch in
      var made = Made()
      try builder.build(at: scratch["base.db"])
      let oracle = try Oracle(scratch["base.db"])
      made.bytes = try scratch["base.db"].contents()
      made.rows = try oracle.rows(of: "sound")
      for row in try oracle.rows(query: "SELECT name, rootpage FROM sqlite_schema") {
        made.roots[row[0].utf8String ?? ""] = Int(row[1].integerValue ?? 0)
      }
      made.shadows = made.roots.keys.filter {
        $0.hasPrefix("ft_") || $0.hasPrefix("fq_") || $0.hasPrefix("rt_")
      }.sorted()
      try DatabaseBuilder(
        pageSize: 1024, journal: .wal,
        ["CREATE TABLE secret (a)", "INSERT INTO secret VALUES (42)"],
        leftover: .wal(["INSERT INTO secret VALUES (43)"])
      ).build(at: scratch["victim.db"])
      made.log = try scratch["victim.db-wal"].contents()
      made.victim = try scratch["victim.db"].contents()
      return made
    }
    return made ?? Made()
  }()

  /// The root page of an object; 0 where there is none.
  static func root(of name: String) -> Int { made.roots[name] ?? 0 }

  /// The shadow tables.
  static var shadows: [String] { made.shadows }

  /// The log of another database.
  static var foreignLog: Bytes { made.log }

  /// The rows that must come back.
  package static var soundRows: [ExactRow] { made.rows }

  /// Makes the folders of a case with the untouched database and what must not change.
  static func build(on ground: HostileGround) throws {
    for name in ["in", "canary/folder", "tmp", "out", "vault", "log"] as [FilePath] {
      try SystemStorage().createFolder(ground.root.appending(name))
    }
    try ground.write(made.bytes, to: "in/app.db")
    try ground.write(made.victim, to: "canary/victim.db")
    try ground.write(Bytes("my thesis".utf8), to: "canary/thesis.txt")
    try ground.write(Bytes("deep".utf8), to: "canary/folder/deep.txt")
    try ground.write(Bytes("mine".utf8), to: "tmp/mine.txt")
    try ground.write(made.victim, to: "in/other.db")
  }
}

/// A hostile input: tricks played on the base, and documents given with it.
package struct HostileCase: Sendable, CustomStringConvertible {
  /// What was drawn.
  package let seed: UInt64
  /// What is tried; taken away one by one to find what an effect is of.
  package var tricks: [Trick]
  /// An SQL script given as schema; nil where none is.
  package let script: String?
  /// A contract; nil where none is.
  package let contract: String?

  /// Draws a case.
  package init(seed: UInt64) {
    var random = SeededRandom(seed: seed &* 0x9E37_79B9 &+ 11)
    self.seed = seed
    let count = 1 + random.below(3)
    var tricks: [Trick] = []
    for _ in 0..<count { tricks.append(Trick.any(&random)) }
    self.tricks = tricks
    script = random.below(4) == 0 ? HostileDocument.script(&random) : nil
    contract = random.below(4) == 0 ? HostileDocument.contract(&random) : nil
  }

  /// The case in lines.
  package var description: String {
    "seed \(seed): " + tricks.map(\.description).joined(separator: " + ")
  }

  /// Makes the files of the case.
  package func build(on ground: HostileGround) throws {
    try HostileBase.build(on: ground)
    let steps = tricks.flatMap(\.steps)
    if !steps.isEmpty {
      let connection = try Connection.unguarded(ground.database)
      // The schema is read before it is changed, and not again.
      _ = try connection.value("SELECT count(*) FROM sound")
      for step in steps {
        let values = step.values.map { value -> Value in
          guard let text = value.utf8String else { return value }
          return .text(ground.resolve(text))
        }
        // A row may be there already, or a table gone: other tricks were first.
        try? connection.prepare(step.sql).run(values)
      }
    }
    for trick in tricks { try trick.place(ground) }
    if let script { try ground.write(Bytes(ground.resolve(script).utf8), to: "in/hostile.sql") }
    if let contract {
      try ground.write(Bytes(ground.resolve(contract).utf8), to: "in/hostile.json")
    }
  }

  /// Whether the rows of the sound table must come back.
  package var sparesSound: Bool { tricks.allSatisfy(\.sparesSound) }
}
