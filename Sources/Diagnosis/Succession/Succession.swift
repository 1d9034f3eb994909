// SPDX-License-Identifier: Apache-2.0
// Does a state of a database follow from the one that the newest backup holds, or did the database
// go back in time?
//
// SQLite lets the change counter of a file grow only, and so does it with AUTOINCREMENT counters.
// An app can delete rows, rebuild tables, set AUTOINCREMENT counters back, and make its database
// anew: that is told, and is nothing wrong. What it cannot do is let a file that was there before
// have a lower counter, or have the very counter and rows of an older backup; nor can it write with a
// rollback journal and leave the counter as it was.

package import SQLiteFormat

/// How a state of a database follows from the one that the newest good backup holds.
package struct Succession: Hashable, Sendable {
  /// A table that has fewer rows than before.
  package struct Loss: Hashable, Sendable, Codable {
    /// Its name.
    package var table: Name
    /// How many rows it had.
    package var before: Int
    /// How many it has; nil when there is no such table any more.
    package var after: Int?

    /// Notes what a table lost.
    package init(table: Name, before: Int, after: Int?) {
      self.table = table
      self.before = before
      self.after = after
    }

    /// How much of a hundred rows is gone.
    package var percent: Double { Double(before - (after ?? 0)) / Double(before) * 100 }
  }

  /// A backup that was made before, with what it holds.
  package struct Earlier: Hashable, Sendable {
    /// How people name it.
    package var name: String
    /// What it holds.
    package var mark: StateMark

    /// Names a backup.
    package init(_ name: String, _ mark: StateMark) {
      self.name = name
      self.mark = mark
    }
  }

  /// What else is known of the file and of its rows.
  package struct Evidence: Sendable {
    /// Whether the file was there when the newest backup was made.
    package var isOldFile: Bool
    /// Whether a table has pages in common with the newest backup.
    package var sharesPages: @Sendable (_ table: Name) -> Bool
    /// Whether a table of several pages has none in common with it: the database was made anew.
    package var isMadeAnew: @Sendable (_ table: Name) -> Bool = { _ in false }
    /// How many of a hundred rows a table may lose; nil for any number.
    package var lossMax: Int?
    /// The tables that may lose any number of rows.
    package var freeTables: Set<Name> = []
    /// New names that a contract has for tables, by their old ones.
    package var renamedTables: [Name: Name] = [:]

    /// Gathers the evidence.
    package init(
      isOldFile: Bool, lossMax: Int? = nil, freeTables: Set<Name> = [],
      renamedTables: [Name: Name] = [:],
      sharesPages: @escaping @Sendable (_ table: Name) -> Bool = { _ in false }
    ) {
      self.isOldFile = isOldFile
      self.lossMax = lossMax
      self.freeTables = freeTables
      self.renamedTables = renamedTables
      self.sharesPages = sharesPages
    }
  }

  /// The tables that have fewer rows than before.
  package let losses: [Loss]
  /// What there is to say; nothing when one state simply follows from the other.
  package let findings: [Finding]

  /// Judges a state of a database after the one that the newest good backup holds.
  ///
  /// `older` are the good backups before that one.
  package init(
    of now: StateMark, after newest: Earlier, older: [Earlier], evidence: Evidence
  ) {
    let then = newest.mark
    let tables = now.tablesByName
    let newNames = now.newNames(since: then, given: evidence.renamedTables)
    let taken = Set(newNames.values)
    losses = then.tables.compactMap { before in
      let name = newNames[before.name] ?? (taken.contains(before.name) ? nil : before.name)
      let after = name.flatMap { tables[$0]?.rows }
      guard before.rows > after ?? 0 else { return nil }
      return Loss(table: before.name, before: before.rows, after: after)
    }
    guard !now.holdsSameRows(as: then) else {
      findings = []
      return
    }
    let reason = Self.reason(now, newest, older, evidence)
    findings =
      [
        reason.map { Finding(.databaseOlder, $0) },
        evidence.isOldFile && now.hasChangedUncounted(since: then)
          && !now.tables.contains { evidence.isMadeAnew($0.name) }
          ? Finding(
            .changedUncounted,
            "tables have other rows than in backup \(newest.name), and its change counter is the same"
          )
          : nil,
        Self.lossFinding(losses, newNames, newest, evidence),
      ]
      .compactMap(\.self)
  }

  /// Why a state cannot follow from the newest backup; nil when it can.
  private static func reason(
    _ now: StateMark, _ newest: Earlier, _ older: [Earlier], _ evidence: Evidence
  ) -> String? {
    let then = newest.mark
    let isCounterLower = now.hasLowerCounter(than: then)
    let sequences = now.lowerSequences(than: then)
    let start = "the database is older than its backup \(newest.name)"
    if now.isWithoutPages, then.tables.contains(where: { $0.rows > 0 }) {
      return "\(start): there is no page in it any more"
    }
    let holdsRows = now.tables.contains { $0.rows > 0 }
    let twin = holdsRows ? older.first { now.holdsSameRows(as: $0.mark) } : nil
    if isCounterLower, evidence.isOldFile || twin?.mark.changeCounter == now.changeCounter {
      let counters =
        "its change counter fell from \(then.changeCounter ?? 0) to "
        + "\(now.changeCounter ?? 0), which no app can do"
      return "\(start): " + (twin.map { "it holds what backup \($0.name) holds, and " } ?? "")
        + counters
    }
    guard let table = sequences.first else { return nil }
    let counter =
      "the AUTOINCREMENT counter of '\(table)' fell from \(then.sequences[table] ?? 0) "
      + "to \(now.sequences[table] ?? 0)"
    if let twin { return "\(start): it holds what backup \(twin.name) holds, and \(counter)" }
    // A log that was lost takes the last transactions with it, and nothing counts them.
    let hasNothingNew = now.changeCounter == then.changeCounter && !now.hasMore(than: then)
    return hasNothingNew && sequences.contains(where: evidence.sharesPages)
      ? "\(start): no table has more rows or higher ids, and \(counter)" : nil
  }

  private static func lossFinding(
    _ losses: [Loss], _ newNames: [Name: Name], _ newest: Earlier, _ evidence: Evidence
  ) -> Finding? {
    guard !losses.isEmpty else { return nil }
    let refused = losses.filter { loss in
      evidence.lossMax.map { loss.percent > Double($0) } == true
        && ![loss.table, newNames[loss.table] ?? loss.table].contains(
          where: evidence.freeTables.contains)
    }
    let shown = (refused.isEmpty ? losses : refused).prefix(5).map { loss in
      let name = "'\(loss.table)'" + (newNames[loss.table].map { ", now '\($0)'," } ?? "")
      return loss.after.map { "\(name) has \($0) rows and had \(loss.before)" }
        ?? "'\(loss.table)' with \(counted(loss.before, "row")) is gone"
    }
    let more = (refused.isEmpty ? losses : refused).count - shown.count
    let text = shown.joined(separator: ", ") + (more > 0 ? ", and \(more) more" : "")
    let limit = refused.isEmpty ? "" : ", which is more than \(evidence.lossMax ?? 0) %"
    return Finding(
      .rowsFewer, "since backup \(newest.name), \(text)\(limit)",
      severity: refused.isEmpty ? .notice : .warning)
  }
}
