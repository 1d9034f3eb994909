// SPDX-License-Identifier: Apache-2.0
// A damaged database given to the program, and its output held against the truth row by row.

package import DatabaseRescue
import SQLiteFormat

extension DamageCase {
  /// What a salvage of a damaged database gave, and what it must not give.
  package struct Result: Sendable {
    /// The rows, counted.
    package var score = DamageScore()
    /// What is wrong with the runs themselves.
    package var violations: [Violation] = []
    /// The rows that are wrong, each in a line; of a database that was made for this.
    package var wrongRows: [String] = []
  }

  /// The statuses in which a salvage may end: all rows, all rows and damage, some rows, no database.
  private static let statuses: Set<Int32> = [0, 13, 14, 15]

  /// Salvages without a schema and with the app's, and counts.
  package func result() throws -> Result {
    try ScratchFolder.with { scratch in
      for name in ["in", "tmp"] as [FilePath] { try SystemStorage().createFolder(scratch[name]) }
      try save(in: scratch["in"])
      let before = try FolderContents(of: scratch["in"])
      var result = Result()
      result.score.cases = 1
      result.score.intact = intact.count
      result.score.named = intact.count { named.contains($0.table) }
      result.score.bare = try run("salvage", [], in: scratch, &result)
      let schema = ["--schema", scratch["in/app.sql"].description]
      result.score.informed = try run("salvage --schema", schema, in: scratch, &result)
      let changes = before.changes(until: try FolderContents(of: scratch["in"]))
      result.violations += changes.filter { $0 != "added app.db-shm" }.map {
        Violation("input changed", $0)
      }
      return result
    }
  }

  /// Writes the damaged database and the app's schema into a folder.
  package func save(in folder: FilePath) throws {
    try SystemStorage().createFolder(folder)
    try files.write(to: folder.appending("app.db"))
    try folder.appending("app.sql").replaceContents(with: Bytes(source.script.utf8))
  }

  private func run(
    _ name: String, _ arguments: [String], in scratch: ScratchFolder, _ result: inout Result
  ) throws -> DamageScore.Run {
    let output = scratch[FilePath("\(name).db")]
    let outcome = try Command(
      TestedProgram.path,
      ["salvage", scratch["in/app.db"].description, "--output", output.description] + arguments,
      environment: [
        "TMPDIR": scratch["tmp"].description, "DBRESCUE_LOG": scratch["runs.jsonl"].description,
      ]
    ).run(limit: .seconds(20 * TestedProgram.patience))
    if !Self.statuses.contains(outcome.status ?? -1) {
      result.violations.append(Violation("\(name): \(outcome.end.shown)", outcome.errorText))
    }
    guard try output.exists else {
      if outcome.status != 15 { result.violations.append(Violation("\(name): no output")) }
      return DamageScore.Run()
    }
    let run = try judge(output, &result.wrongRows)
    if run.unsound > 0 { result.violations.append(Violation("\(name): unsound output")) }
    return run
  }

  // MARK: Rows

  /// Counts the rows of an output and of the quarantine beside it, and names those that are wrong.
  package func judge(_ output: FilePath, _ wrong: inout [String]) throws -> DamageScore.Run {
    let oracle = try Oracle(output)
    var run = DamageScore.Run()
    run.unsound = try oracle.integrityErrors.isEmpty ? 0 : 1
    let (intact, harmed) = (intact.byTable, Dictionary(grouping: harmed) { $0.table })
    var present: [String: Set<ExactRow>] = [:]
    for table in try oracle.tables where !source.inner.contains(table) {
      let rows = try oracle.rows(of: table)
      present[table] = Set(rows)
      let own = harmed[table] ?? []
      let left = (intact[table] ?? []).union(own.map(\.row))
      for row in rows where !left.contains(row) {
        let kind: String
        if putBack[table]?.contains(row) == true {
          (kind, run.older) = ("older", run.older + 1)
        } else if gone[table]?.contains(row) == true {
          (kind, run.revived) = ("revived", run.revived + 1)
        } else if own.contains(where: { row.isAltered($0.row) }) {
          (kind, run.altered) = ("altered", run.altered + 1)
        } else if source.now.rows.contains(where: { $0.table != table && row.isEqual($0.row) }) {
          (kind, run.misfiled) = ("misfiled", run.misfiled + 1)
        } else {
          (kind, run.invented) = ("invented", run.invented + 1)
        }
        let text = "\(kind) in \(table): \(row)"
        wrong.append(String(text.map { $0.isASCII && !("\u{20}"..."~").contains($0) ? "·" : $0 }))
      }
    }
    var missing: [PlacedRow] = []
    for row in self.intact {
      if present[row.table]?.contains(row.row) != true {
        missing.append(row)
      } else {
        run.found += 1
        run.foundNamed += named.contains(row.table) ? 1 : 0
      }
    }
    run.aside = try Self.count(missing, in: output.adding(suffix: ".quarantine.db"))
    return run
  }

  /// How many of some rows are in a quarantine, each with the values of its record.
  private static func count(_ rows: [PlacedRow], in quarantine: FilePath) throws -> Int {
    guard !rows.isEmpty, try quarantine.exists else { return 0 }
    let oracle = try Oracle(quarantine)
    var kept: [ExactRow: Int] = [:]
    for table in ["rows", "conflicts"] {
      let columns = try oracle.columns(of: table)
      guard let first = columns.firstIndex(of: "c0"), let id = columns.firstIndex(of: "rowid"),
        let count = columns.firstIndex(of: "nfield")
      else { continue }
      for row in try oracle.rows(of: table) {
        let fields = row.values[first...].prefix(Int(row.values[count].integerValue ?? 0))
        kept[ExactRow(rowID: row.values[id].integerValue, Array(fields)), default: 0] += 1
      }
    }
    return rows.count { row in
      let key = ExactRow(rowID: row.row.rowID, row.record)
      guard let left = kept[key], left > 0 else { return false }
      kept[key] = left - 1
      return true
    }
  }
}

extension ExactRow {
  /// Whether this is another row as columns of other types keep it: 5 as 5.0 or '5', and NULL in
  /// those that it has not.
  fileprivate func isEqual(_ other: ExactRow) -> Bool {
    rowID == other.rowID && values.dropFirst(other.values.count).allSatisfy { $0 == .null }
      && zip(values, other.values).allSatisfy { $0.asText.isIdentical(to: $1.asText) }
  }

  /// Whether this is what damage has made of another row: the same key, or half of the values.
  fileprivate func isAltered(_ other: ExactRow) -> Bool {
    if let rowID, rowID == other.rowID { return true }
    let same = zip(values, other.values).count { $0.isIdentical(to: $1) }
    return 2 * same >= values.count
  }
}

extension Value {
  /// The value, as text where it is a whole number.
  fileprivate var asText: Value {
    switch self {
    case .integer(let number): .text("\(number)")
    case .real(let number): Int64(exactly: number).map { .text("\($0)") } ?? self
    default: self
    }
  }
}
