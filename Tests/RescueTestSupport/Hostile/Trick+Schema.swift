// SPDX-License-Identifier: Apache-2.0
// Tricks in the rows of sqlite_schema.

import SQLiteFormat

/// A row of a hostile schema.
private struct SchemaRow {
  var type = Value.text("table")
  var name: String
  var table: String
  var root: Value
  var sql: Value

  var step: DatabaseBuilder.Step {
    DatabaseBuilder.Step(
      "INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)",
      [type, .text(name), .text(table), root, sql])
  }

  var shown: String {
    "(\(type.word), \(name), \(table), \(root.word), \(sql.word.prefix(140)))"
  }
}

extension Value {
  fileprivate var word: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .blob(let bytes): "blob of \(bytes.count)"
    }
  }
}

extension Trick {
  /// Names of tables of the base that a trick may take over, each with a tree of its own.
  private static func name(_ random: inout SeededRandom) -> String { "r\(random.below(6) + 1)" }

  private static func quoted(_ name: String, _ random: inout SeededRandom) -> String {
    switch random.below(9) {
    case 0: "\"\(name)\""
    case 1: "[\(name)]"
    case 2: "`\(name)`"
    case 3: "'\(name)'"
    case 4: name.uppercased()
    case 5: "main.\(name)"
    default: name
    }
  }

  private static func root(_ name: String, _ random: inout SeededRandom) -> Value {
    let own = HostileBase.root(of: name)
    return switch random.below(12) {
    case 0: .null
    case 1: .integer(0)
    case 2: .integer(1)
    case 3: .integer(Int64(HostileBase.root(of: "r\(random.below(6) + 1)")))
    case 4:
      random.pick([
        .integer(99_999), .integer(-1), .integer(.max), .real(3.5), .text("3"), .blob([3]),
      ])
    default: .integer(Int64(own))
    }
  }

  private static func filled(_ sql: String, _ name: String, _ random: inout SeededRandom) -> String
  {
    sql.replacingAll("{name}", quoted(name, &random))
      .replacingAll("{other}", quoted(Self.name(&random), &random))
  }

  /// The statement of a row; one that names files gets their names where it is placed.
  private static func statement(_ name: String, _ random: inout SeededRandom) -> String {
    let sql =
      switch random.below(10) {
      case 0..<4: random.pick(HostileSQL.actions)
      case 4..<7: random.pick(HostileSQL.declarations)
      case 7..<9: "CREATE VIRTUAL TABLE {name} USING \(random.pick(HostileSQL.virtual))"
      default: HostileSQL.unwieldy(&random)
      }
    return filled(sql, name, &random)
  }

  private static func type(of sql: String, _ random: inout SeededRandom) -> Value {
    if random.below(8) == 0 {
      return random.pick([
        .text("table"), .text("index"), .text("view"), .text("trigger"), .text("TABLE"), .text(""),
        .text("virtual"), .null, .integer(1), .blob(Bytes("table".utf8)),
      ])
    }
    let words = ["INDEX", "VIEW", "TRIGGER"]
    let start = sql.prefix(24).uppercased()
    return .text(
      words.first { start.contains("CREATE \($0)") || start.contains("UNIQUE \($0)") }?.lowercased()
        ?? "table")
  }

  private static func schemaRow(_ name: String, _ sql: String, _ random: inout SeededRandom)
    -> SchemaRow
  {
    let type = type(of: sql, &random)
    let isTable = type == .text("table")
    var row = SchemaRow(
      type: type, name: name, table: isTable ? name : "sound", root: root(name, &random),
      sql: random.below(40) == 0 ? .null : .text(sql))
    if sql.contains("VIRTUAL") && random.below(4) != 0 { row.root = .integer(0) }
    if [.text("view"), .text("trigger")].contains(type) && random.below(6) != 0 {
      row.root = .integer(0)
    }
    if random.below(12) == 0 {
      row.name = random.pick([
        name.uppercased(), "", "sqlite_\(name)", "\(name) ", "x\"; DELETE FROM sound; --",
      ])
    }
    if random.below(12) == 0 {
      row.table = random.pick(["sound", "nothing", "", "sqlite_schema", name])
    }
    return row
  }

  private static func trick(_ kind: String, _ rows: [SchemaRow], removing name: String) -> Trick {
    var trick = Trick("\(kind): \(rows.map(\.shown).joined(separator: ", "))")
    trick.steps =
      [DatabaseBuilder.Step("DELETE FROM sqlite_schema WHERE name = ?", [.text(name)])]
      + rows.map(\.step)
    return trick
  }

  /// Two or three rows of one name: what is read for one may be run for the other.
  static func twins(_ random: inout SeededRandom) -> Trick {
    let name = name(&random)
    var rows = (0...(1 + random.below(4) / 3)).map { _ in
      schemaRow(name, statement(name, &random), &random)
    }
    if random.below(3) == 0 { rows[0].root = rows[1].root }
    return trick("rows of one name", rows, removing: name)
  }

  /// A chain of statements, each behind a row of its name that is a declaration.
  static func chain(_ random: inout SeededRandom) -> Trick {
    let chains = [
      ["ATTACH '{victim}' AS p", "DELETE FROM p.secret"],
      ["ATTACH '{victim}' AS p", "CREATE TABLE stolen AS SELECT * FROM p.secret"],
      ["ATTACH '{victim}' AS p", "DROP TABLE p.secret"],
      ["ATTACH '{new}' AS q", "CREATE TABLE q.planted (a)"],
      [
        "SELECT fts3_tokenizer('simple', x'4141414141414141')",
        "CREATE VIRTUAL TABLE zz USING fts3(a)",
      ],
      ["PRAGMA writable_schema = ON", "DELETE FROM sqlite_schema"],
      ["COMMIT", "DELETE FROM sound"],
      ["PRAGMA user_version = 4242"], ["VACUUM INTO '{new}'"], ["ROLLBACK", "VACUUM INTO '{new}'"],
    ]
    let masks =
      HostileSQL.declarations.filter { $0.hasPrefix("CREATE TABLE") }
      + HostileSQL.virtual.prefix(14).map { "CREATE VIRTUAL TABLE {name} USING \($0)" }
    let mask = random.pick(masks)
    let isMaskFirst = random.below(4) != 0
    var rows: [SchemaRow] = []
    for (index, action) in random.pick(chains).enumerated() {
      let name = "r\(index + 1)"
      let own = Value.integer(Int64(HostileBase.root(of: name)))
      let masking = SchemaRow(
        name: name, table: name, root: mask.contains("VIRTUAL") ? .null : own,
        sql: .text(filled(mask, name, &random)))
      let acting = SchemaRow(
        name: name, table: name, root: random.below(4) == 0 ? .null : own, sql: .text(action))
      rows += isMaskFirst ? [masking, acting] : [acting, masking]
    }
    var result = trick("a chain", rows, removing: "r1")
    result.steps.insert("DELETE FROM sqlite_schema WHERE name = 'r2'", at: 0)
    return result
  }

  /// One row that is no declaration, or one of what is not there.
  static func row(_ random: inout SeededRandom) -> Trick {
    let name = name(&random)
    return trick("a row", [schemaRow(name, statement(name, &random), &random)], removing: name)
  }

  /// A declaration whose expressions take time, memory or room.
  static func growth(_ random: inout SeededRandom) -> Trick {
    let name = name(&random)
    let sql = random.pick(HostileSQL.hosts).replacingAll("{e}", random.pick(HostileSQL.blowups))
    var row = schemaRow(name, filled(sql, name, &random), &random)
    row.root = .integer(Int64(HostileBase.root(of: name)))
    return trick("growth", [row], removing: name)
  }

  /// A shadow table that is not what its virtual table made.
  static func shadow(_ random: inout SeededRandom) -> Trick {
    let shadow = random.pick(HostileBase.shadows)
    let step: DatabaseBuilder.Step =
      switch random.below(9) {
      case 0: DatabaseBuilder.Step("DELETE FROM sqlite_schema WHERE name = ?", [.text(shadow)])
      case 1:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET sql = replace(sql, ')', ', extra)') WHERE name = ?",
          [.text(shadow)])
      case 2:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET sql = replace(sql, 'c0', 'c9') WHERE name = ?", [.text(shadow)])
      case 3:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET sql = 'CREATE TABLE ' || name || ' (x CHECK (no_function(x)))' WHERE name = ?",
          [.text(shadow)])
      case 4:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET type = 'view', rootpage = 0, sql = 'CREATE VIEW ' || name || ' AS SELECT 1' WHERE name = ?",
          [.text(shadow)])
      case 5:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?",
          [.integer(Int64(HostileBase.root(of: name(&random)))), .text(shadow)])
      case 6: DatabaseBuilder.Step("DELETE FROM \"\(shadow)\"", [])
      case 7:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY KEY', 'TEXT') WHERE name = ?",
          [.text(shadow)])
      default:
        DatabaseBuilder.Step(
          "UPDATE sqlite_schema SET sql = ? WHERE name = ?",
          [.text(random.pick(HostileSQL.actions).replacingAll("{name}", shadow)), .text(shadow)])
      }
    var trick = Trick("shadow \(shadow): \(step.sql.prefix(100))")
    trick.steps = [step]
    return trick
  }

  /// A schema row that lies about a tree or a name.
  static func lie(_ random: inout SeededRandom) -> Trick {
    let name = name(&random)
    let (text, spares): (String, Bool) =
      switch random.below(7) {
      case 0:
        (
          "UPDATE sqlite_schema SET rootpage = \(HostileBase.root(of: "sound")) WHERE name = '\(name)'",
          false
        )
      case 1: ("UPDATE sqlite_schema SET rootpage = 1 WHERE name = '\(name)'", true)
      case 2: ("UPDATE sqlite_schema SET name = 'counted' || char(39) WHERE name = 'counted'", true)
      case 3: ("UPDATE sqlite_schema SET tbl_name = 'sound' WHERE name = '\(name)'", true)
      case 4: ("UPDATE sqlite_schema SET name = 'sqlite_sequence' WHERE name = '\(name)'", true)
      case 5: ("UPDATE sqlite_schema SET rootpage = rootpage + 1 WHERE name = 'sound_v'", true)
      default:
        ("INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = '\(name)'", true)
      }
    var trick = Trick("a lie: \(text)")
    trick.steps = [DatabaseBuilder.Step(text, [])]
    trick.sparesSound = spares
    return trick
  }
}
