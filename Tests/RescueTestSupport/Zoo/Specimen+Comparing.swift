// SPDX-License-Identifier: Apache-2.0
// Whether another database holds what a specimen holds, as SQLite tells it.

package import DatabaseRescue
import SQLiteFormat

extension Specimen {
  /// What another database has otherwise than this one, in a line or two; empty when nothing.
  ///
  /// Both are judged on private copies, with SQLite's own names in place of the app's.
  package func differences(expected: FilePath, actual: FilePath) throws -> [Violation] {
    try ScratchFolder.with { scratch in
      let copies = (scratch["expected.db"], scratch["actual.db"])
      try expected.copyFileSet(to: copies.0)
      try actual.copyFileSet(to: copies.1)
      var violations = try objectDifferences(Oracle(copies.0), Oracle(copies.1))
      do {
        try makeJudgeable(copies.0)
        try makeJudgeable(copies.1)
      } catch { return violations + [Violation("output cannot be judged", "\(error)")] }
      let oracles = (try Oracle(copies.0), try Oracle(copies.1))
      if let error = try oracles.0.integrityErrors.first, !isBeyondSQLite(error) {
        throw UnfitFixture("\(self) is not healthy: \(error)")
      }
      if let error = try oracles.1.integrityErrors.first, !isBeyondSQLite(error) {
        violations.append(Violation("output not sound", error))
      }
      violations += try rowDifferences(oracles.0, oracles.1)
      return violations + (try virtualDifferences(copies.0, copies.1))
    }
  }

  private func isBeyondSQLite(_ error: String) -> Bool {
    appNames.contains { error.contains($0.app) }
  }

  // MARK: Objects

  private func objectDifferences(_ expected: Oracle, _ actual: Oracle) throws -> [Violation] {
    var violations: [Violation] = []
    let (ours, theirs) = (try expected.objects, try actual.objects)
    for (object, sql) in ours {
      let text = object.shown
      switch theirs[object] {
      case nil: violations.append(Violation("object lost", text))
      case .some(let found) where found != sql:
        violations.append(
          Violation("object changed", "\(text): \(sql.shown) became \(found.shown)"))
      default: break
      }
    }
    for object in theirs.keys where ours[object] == nil {
      violations.append(Violation("object added", object.shown))
    }
    for mark in ["user_version", "application_id", "encoding"] {
      let query = "SELECT \(mark) FROM pragma_\(mark)"
      if try expected.value(query) != actual.value(query) {
        violations.append(Violation("\(mark) changed"))
      }
    }
    return violations
  }

  // MARK: Rows

  private func rowDifferences(_ expected: Oracle, _ actual: Oracle) throws -> [Violation] {
    var violations: [Violation] = []
    let tables = try expected.tables
    let shadows = try expected.shadowTables
    let present = try Set(actual.tables.map { Bytes($0.utf8) })
    for table in tables where !shadows.contains(Bytes(table.utf8)) {
      guard present.contains(Bytes(table.utf8)) else {
        violations.append(Violation("table lost", table))
        continue
      }
      if let difference = RescueTestSupport.firstDifference(
        expected: try expected.rows(of: table), actual: try actual.rows(of: table))
      {
        violations.append(Violation("rows differ", "\(table): \(difference)"))
      }
    }
    for table in ["sqlite_sequence", "sqlite_stat1"] {
      let isThere = "SELECT 1 FROM sqlite_schema WHERE name = '\(table)'"
      guard try expected.value(isThere) != nil else { continue }
      guard try actual.value(isThere) != nil else { continue }
      let (ours, theirs) = (try expected.rows(of: table), try actual.rows(of: table))
      let difference = RescueTestSupport.firstDifference(
        expected: ours.map { ExactRow($0.values) }, actual: theirs.map { ExactRow($0.values) })
      if let difference { violations.append(Violation("\(table) differs", difference)) }
    }
    return violations
  }

  // MARK: Virtual tables

  /// Words that the documents of the specimens hold, and some that they do not.
  private static let words = ["common", "word3", "naive", "second", "changed", "running", "one"]

  private func virtualDifferences(_ expected: FilePath, _ actual: FilePath) throws -> [Violation] {
    guard
      try Oracle(expected).value("SELECT 1 FROM pragma_table_list WHERE type = 'virtual'") != nil
    else { return [] }
    let ours = try Connection.unguarded(expected)
    let theirs = try Connection.unguarded(actual)
    let tables = try ours.rows(
      """
      SELECT l.name, lower(s.sql) FROM pragma_table_list l JOIN sqlite_schema s ON l.name = s.name
      WHERE l.schema = 'main' AND l.type = 'virtual'
      """)
    var violations: [Violation] = []
    for table in tables {
      guard let name = table[0].utf8String, let sql = table[1].utf8String else { continue }
      let quoted = Oracle.quoted(name)
      var queries = ["SELECT rowid, * FROM \(quoted)"]
      if sql.contains("fts") {
        queries += Self.words.map { "SELECT rowid FROM \(quoted) WHERE \(quoted) MATCH '\($0)'" }
      }
      for query in queries {
        let answers = (answer(ours, query), answer(theirs, query))
        if answers.0 != answers.1 {
          violations.append(
            Violation(
              "virtual table differs",
              "\(query): \(answers.0.prefix(90)) became \(answers.1.prefix(90))"))
          break
        }
      }
    }
    return violations
  }

  private func answer(_ connection: borrowing Connection, _ query: String) -> String {
    do {
      let rows = try connection.rows(query)
      return "\(rows.count) rows " + rows.map { "\($0)" }.sorted().joined(separator: ";")
    } catch {
      return "error \(error.message)"
    }
  }
}

extension Oracle {
  /// The statement of every object, by type, name and table.
  fileprivate var objects: [[Value]: Value] {
    get throws {
      let rows = try rows(query: "SELECT type, name, tbl_name, sql FROM sqlite_schema")
      return Dictionary(rows.map { (Array($0.prefix(3)), $0[3]) }) { first, _ in first }
    }
  }

  /// The tables in which virtual tables keep their content, by their bytes.
  fileprivate var shadowTables: Set<Bytes> {
    get throws {
      let rows = try rows(
        query: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
      return Set(
        rows.compactMap { row in
          guard case .text(let bytes) = row[0] else { return nil }
          return bytes
        })
    }
  }
}

extension Value {
  /// The value for a person.
  fileprivate var shown: String { utf8String.map { String($0.prefix(80)) } ?? "no text" }
}

extension [Value] {
  /// The values for a person.
  fileprivate var shown: String { map { $0.utf8String ?? "?" }.joined(separator: " ") }
}
