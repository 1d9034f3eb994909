// SPDX-License-Identifier: Apache-2.0
// By what one state of a database is told from a later or an earlier one.

package import SQLiteFormat

/// By what one state of a database is told from another.
package struct StateMark: Hashable, Sendable {
  /// A table with users' rows.
  package struct Table: Hashable, Sendable {
    /// Its name.
    package var name: Name
    /// How many rows it has.
    package var rows: Int
    /// A digest of all rows; nil where they could not all be read.
    package var contentHash: String?

    /// Marks a table.
    package init(name: Name, rows: Int, contentHash: String?) {
      self.name = name
      self.rows = rows
      self.contentHash = contentHash
    }
  }

  /// The change counter of the file header, which only grows; nil when it is not known.
  package var changeCounter: UInt32?
  /// Whether each commit raises that counter, and it was read while nobody wrote.
  ///
  /// With a rollback journal it does, and not with a log. File format, section 1.3.6.
  package var countsCommits = false
  /// The AUTOINCREMENT counters by table, which only grow unless an app sets them back.
  package var sequences: [Name: Int64]
  /// The tables with users' rows.
  package var tables: [Table]

  /// Marks a state.
  package init(changeCounter: UInt32?, sequences: [Name: Int64], tables: [Table]) {
    self.changeCounter = changeCounter
    self.sequences = sequences
    self.tables = tables
  }
}

extension StateMark {
  /// The tables by name.
  var tablesByName: [Name: Table] {
    Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether every table has the same rows, as far as is known of both.
  func holdsSameRows(as other: StateMark) -> Bool {
    guard tables.count == other.tables.count else { return false }
    let others = other.tablesByName
    return tables.allSatisfy { $0.contentHash != nil && others[$0.name] == $0 }
  }

  /// Whether a table has other rows than before, although no commit was counted since.
  package func hasChangedUncounted(since other: StateMark) -> Bool {
    guard countsCommits, other.countsCommits, changeCounter != nil,
      changeCounter == other.changeCounter
    else { return false }
    let others = other.tablesByName
    return tables.contains { table in
      guard let other = others[table.name] else { return true }
      guard let then = other.contentHash, let now = table.contentHash else { return false }
      return then != now
    }
  }

  /// Whether there is not one page: the first commit counts to 1, and the schema table has a page.
  var isWithoutPages: Bool { changeCounter == 0 && tables.isEmpty }

  /// Whether the change counter is lower than before; it starts again after 4,294,967,295.
  func hasLowerCounter(than other: StateMark) -> Bool {
    guard let now = changeCounter, let then = other.changeCounter else { return false }
    return now < then && then - now < 1 << 31
  }

  /// The tables that still have rows and whose AUTOINCREMENT counter is lower than before.
  func lowerSequences(than other: StateMark) -> [Name] {
    let tables = tablesByName
    return sequences.filter { name, value in
      other.sequences[name].map { value < $0 } == true && (tables[name]?.rows ?? 0) > 0
    }.keys.sorted()
  }

  /// New names of tables by their old ones: as they are given, and where the table of a name that is
  /// gone, or has gone to another one, has all its rows under a name that had not the same ones.
  func newNames(since other: StateMark, given: [Name: Name]) -> [Name: Name] {
    let (now, then) = (tablesByName, other.tablesByName)
    var names = given.pending(from: Set(then.keys), to: Set(now.keys))
    var pending = then.keys.filter { now[$0] == nil && names[$0] == nil }.sorted()
    let candidates = now.keys.sorted()
    while let old = pending.popLast() {
      guard let table = then[old], table.rows > 0, table.contentHash != nil else { continue }
      let new = candidates.first { name in
        now[name]?.contentHash == table.contentHash && now[name]?.rows == table.rows
          && then[name]?.contentHash != table.contentHash && !names.values.contains(name)
      }
      guard let new else { continue }
      names[old] = new
      if then[new] != nil, names[new] == nil { pending.append(new) }
    }
    return names
  }

  /// Whether a table may have another name than before, which digests of the rows would tell.
  package func mayHaveRenamed(since other: StateMark) -> Bool {
    let (now, then) = (tablesByName, other.tablesByName)
    let added = Set(now.values.filter { then[$0.name] == nil }.map(\.rows))
    return then.values.contains { now[$0.name] == nil && $0.rows > 0 && added.contains($0.rows) }
  }

  /// Whether something counts less than before that only grows.
  package func isBehind(_ other: StateMark) -> Bool {
    hasLowerCounter(than: other) || !lowerSequences(than: other).isEmpty
  }

  /// Whether any table has more than before: more rows, or a higher AUTOINCREMENT counter.
  func hasMore(than other: StateMark) -> Bool {
    let others = other.tablesByName
    return tables.contains { $0.rows > others[$0.name]?.rows ?? 0 }
      || sequences.contains { $0.value > other.sequences[$0.key] ?? 0 }
  }
}
