// SPDX-License-Identifier: Apache-2.0
// Where rows wait to be sent: what the contract says, and what is known of frameworks and habits.

package import SQLiteFormat

extension Contract.UnsyncedEntry {
  /// Entries that a contract of this schema may want: the marks of frameworks and of common
  /// habits, and tables that look like an outbox.
  ///
  /// They are suggestions to be read and corrected. A mark of which nobody can tell
  /// which rows wait has no entry.
  package static func suggestions(for schema: SchemaDescription) -> [Contract.UnsyncedEntry] {
    var entries: [Contract.UnsyncedEntry] = []
    for mark in UnsyncedMark.marks(of: schema) {
      guard case .rows(let predicate) = mark.rule else { continue }
      let name = mark.framework == .none ? mark.table.text : "\(mark.framework.title) \(mark.table)"
      let isTaken = entries.contains { $0.name == name }
      entries.append(
        Contract.UnsyncedEntry(
          name: isTaken ? "\(name) where \(predicate)" : name, table: mark.table,
          predicate: predicate))
    }
    for table in schema.tables where table.looksLikeOutbox {
      guard !entries.contains(where: { $0.table == table.name }) else { continue }
      entries.append(
        Contract.UnsyncedEntry(
          name: table.name.text, table: table.name, predicate: #""status" IS NOT 'done'"#))
    }
    return entries
  }
}

extension UnsyncedMark {
  /// The marks in a schema.
  package static func marks(of schema: SchemaDescription) -> [UnsyncedMark] {
    let tables = schema.tables.filter { $0.kind == .ordinary }
      .map { (name: $0.name, columns: $0.columns.map(\.name)) }
    return marks(in: tables, of: Framework.detect(in: tables))
  }
}

extension TableDescription {
  fileprivate var looksLikeOutbox: Bool {
    kind == .ordinary && columns.contains { $0.name == "status" }
      && (["outbox", "sync_queue"].contains(name) || name.hasPrefix("pending_"))
  }
}

extension Contract {
  /// A place to look for rows that wait, or one of which nobody can tell.
  package struct UnsyncedPlace: Hashable, Sendable {
    /// Its name.
    package let name: String
    /// The table.
    package let table: Name
    /// The expression that is true for a row that waits; nil when nobody can tell.
    package var predicate: String?
  }

  /// Where to look for rows that wait: the contract's entries and what frameworks keep beside
  /// them; habits of apps count only where the contract has no entries.
  package func unsyncedPlaces(in schema: SchemaDescription) -> [UnsyncedPlace] {
    let own = unsynced.map { entry in
      UnsyncedPlace(name: entry.name, table: entry.table, predicate: entry.predicate)
    }
    let named = Set(own.map(\.table))
    let known = UnsyncedMark.marks(of: schema).filter { mark in
      (own.isEmpty || mark.framework != .none) && !named.contains(mark.table)
    }
    return own
      + known.map { mark in
        let predicate: String? = if case .rows(let sql) = mark.rule { sql } else { nil }
        return UnsyncedPlace(name: mark.table.text, table: mark.table, predicate: predicate)
      }
  }
}
