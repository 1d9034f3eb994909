// SPDX-License-Identifier: Apache-2.0
// Scripts and contracts that say what hostile schemas say.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Documents given to the program with a database.
enum HostileDocument {
  private static func statement(_ random: inout SeededRandom) -> String {
    let name = "r\(random.below(4) + 1)"
    let sql =
      switch random.below(8) {
      case 0..<4: random.pick(HostileSQL.actions)
      case 4..<6: random.pick(HostileSQL.declarations)
      case 6: "CREATE VIRTUAL TABLE {name} USING \(random.pick(HostileSQL.virtual))"
      default: random.pick(HostileSQL.hosts).replacingAll("{e}", random.pick(HostileSQL.blowups))
      }
    return sql.replacingAll("{name}", name).replacingAll("{other}", "r5")
  }

  private static let good = "CREATE TABLE sound (id INTEGER PRIMARY KEY, v TEXT, r REAL, b BLOB)"

  /// A script with some good and some hostile statements.
  static func script(_ random: inout SeededRandom) -> String {
    var statements = [good]
    for _ in 0...random.below(4) {
      statements.insert(statement(&random), at: random.below(statements.count + 1))
    }
    return statements.joined(separator: ";\n") + (random.below(3) == 0 ? "" : ";\n")
  }

  private struct Draft: Encodable {
    struct Query: Encodable {
      var name: String
      var sql: String
    }

    struct Entry: Encodable {
      var name: String
      var table: String
      var `where`: String
    }

    var schema = 1
    var name = "hostile"
    var userVersion = 7
    var freshSchema: [String] = []
    var invariants: [Query] = []
    var unsynced: [Entry] = []
    var allowExtraObjects = true
    var tables: [String] = []
  }

  /// A contract with hostile statements in it.
  static func contract(_ random: inout SeededRandom) -> String {
    var draft = Draft()
    draft.freshSchema = [good]
    for _ in 0..<random.below(3) {
      draft.freshSchema.insert(statement(&random), at: random.below(draft.freshSchema.count + 1))
    }
    for index in 0..<random.below(3) {
      let sql =
        random.below(2) == 0
        ? statement(&random) : "SELECT \(random.pick(HostileSQL.blowups)) FROM sound, sound, sound"
      draft.invariants.append(.init(name: "i\(index)", sql: sql))
    }
    for index in 0..<random.below(3) {
      let predicate = random.pick([
        "1; DELETE FROM sound", "1) OR (1", "no_function(v)", random.pick(HostileSQL.blowups),
        "load_extension('{file}')",
        "fts3_tokenizer('simple', x'4141414141414141')", "v IN (SELECT readfile('{file}'))",
        "1 -- ", "1 /*",
        "EXISTS (WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c)",
      ])
      draft.unsynced.append(
        .init(
          name: "u\(index)", table: random.pick(["sound", "sound; --", "r1"]), where: predicate))
    }
    let data = try? JSONEncoder().encode(draft)
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
