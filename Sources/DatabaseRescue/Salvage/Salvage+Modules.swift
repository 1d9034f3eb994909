// SPDX-License-Identifier: Apache-2.0
// The virtual tables of a fresh database: what their modules say, and what is built anew.

import Diagnosis
import SQLiteFormat

extension Salvage {
  /// Has the modules say whether what was copied for them holds, and builds anew what does not.
  ///
  /// Of full-text tables that is the index: rows that are gone leave their words behind, and damage
  /// can look like words. Of R-trees it is what is noted of rows and nodes beside the nodes, or all of
  /// it, of the rows that the nodes hold which are there.
  ///
  /// - Returns: What they say.
  func reviewModules(in database: FilePath) throws -> ModuleFindings {
    let tables = try virtualTables(in: database)
    var findings = ModuleFindings(verdicts: try verdicts(on: tables, in: database))
    let damaged = tables.filter { table in
      findings.verdicts.contains(ModuleVerdict(table.name, .damaged))
    }
    guard !damaged.isEmpty else { return findings }
    let connection = try Connection(database, mode: .readWrite)
    for table in damaged {
      guard table.isFullText else {
        if let noted = try connection.noteRegions(of: table) {
          findings.notes.append(
            "what is noted of the rows and nodes of '\(table.name)' was made anew of its nodes"
              + (noted > 0 ? ": \(counted(noted, "row")) were in them alone" : ""))
          findings.regions.append((table, noted, 0))
        } else if table.isRegions {
          let made = try connection.remakeRegions(of: table)
          findings.notes.append(
            "'\(table.name)' was made anew of \(counted(made.added + made.kept, "row")) in its nodes"
          )
          findings.regions.append((table, made.added, made.lost))
        }
        continue
      }
      do throws(SQLiteError) {
        try connection.rebuildFullText(table.name)
        findings.notes.append("the full-text index '\(table.name)' was built anew from its rows")
      } catch {
        findings.notes.append(
          "the full-text index '\(table.name)' could not be built anew: \(error.message)")
      }
    }
    let again = try self.verdicts(on: damaged, in: database)
    findings.verdicts.removeAll { verdict in again.contains { $0.table == verdict.table } }
    findings.verdicts += again
    return findings
  }

  private func verdicts(
    on tables: [VirtualTable], in database: FilePath
  ) throws -> [ModuleVerdict] {
    let verdicts = try ModuleReview.verdicts(
      on: tables, in: database, byteCount: inputByteCount, isCancelled: world.isCancelled)
    try world.requireGoingOn()
    return verdicts
  }

  /// The virtual tables of the fresh schema that are there.
  private func virtualTables(in database: FilePath) throws -> [VirtualTable] {
    let tables = schema.declared.virtualTables.filter(\.canBeAsked)
    guard !tables.isEmpty else { return [] }
    let rows = try Connection(database, mode: .readOnly).rows("SELECT name FROM sqlite_schema")
    let names = Set(rows.compactMap { $0.first?.utf8String }.map { Name($0) })
    return tables.filter { names.contains($0.name) }
  }

  /// Notes what virtual tables have lost with the tables and nodes that held it: in the account of
  /// the part with their rows, where that was copied.
  func noteVirtualRowsLost(in balances: inout [Balance]) {
    for table in survey.virtualTables {
      let lost = survey.rowsLost(of: table)
      guard lost != .none else { continue }
      let part = table.rowPart?.name
      if let part, let place = balances.firstIndex(where: { $0.table == part }) {
        balances[place].lost = RowLoss(sum: [balances[place].lost, lost]).loss
      } else {
        var balance = Balance(table: table.name)
        balance.lost = lost
        balances.append(balance)
      }
    }
  }

  /// What is wrong with the virtual tables of the fresh database.
  func problems(with modules: [ModuleVerdict]) -> [String] {
    let unreadable = schema.declared.virtualTables.filter { table in
      !table.misshapen.isEmpty && !(table.isFullText && table.hasTexts)
    }
    return modules.compactMap(\.problem)
      + unreadable.map {
        "SQLite cannot read '\($0.name)': '\($0.misshapen[0])' has other columns than it looks for"
      }
  }

  /// What of the input was not checked, and of the virtual tables of the fresh database.
  func unchecked(_ modules: [ModuleVerdict]) -> [Unchecked] {
    // Indexes are made anew, and modules were asked of what is new.
    survey.unchecked.filter { ![.keys, .words, .regions].contains($0.subject) }
      + modules.compactMap { verdict in
        schema.declared.virtualTables.first { $0.name == verdict.table }
          .flatMap(verdict.unchecked)
      }
  }
}

/// What modules say of a fresh database, and what was made anew for them.
struct ModuleFindings {
  /// What they say.
  var verdicts: [ModuleVerdict]
  /// What should be known of it.
  var notes: [String] = []
  /// The R-trees that were made anew, with how many rows are noted now that were not, and how many were
  /// that lie in none of the nodes.
  var regions: [(table: VirtualTable, added: Int, lost: Int)] = []

  /// Sets accounts right by what became of R-trees.
  func correct(_ balances: inout [Balance]) {
    for region in regions {
      guard let part = region.table.rowPart?.name,
        let place = balances.firstIndex(where: { $0.table == part })
      else { continue }
      let change = region.added - region.lost
      balances[place].seen += change
      balances[place].written += change
      if region.lost > 0 {
        balances[place].lost =
          RowLoss(sum: [balances[place].lost, .atLeast(region.lost)]).loss
      }
    }
  }
}

extension ModuleVerdict {
  /// What is wrong with a virtual table of a fresh database; nil where nothing is.
  var problem: String? {
    guard outcome == .damaged else { return nil }
    return "what is kept of '\(table)' is malformed, and cannot be made of anything else"
  }
}
