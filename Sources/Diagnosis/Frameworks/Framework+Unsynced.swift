// SPDX-License-Identifier: Apache-2.0
// Where frameworks, and common habits, keep rows that were not sent anywhere yet.

package import SQLiteFormat

/// A place in which rows wait to be sent, or of which nobody can tell.
package struct UnsyncedMark: Hashable, Sendable {
  /// What can be said of the rows there.
  package enum Rule: Hashable, Sendable {
    /// The rows for which this SQL expression is true are waiting.
    ///
    /// The text is this program's own, never the file's; column names in it are quoted.
    case rows(predicate: String)
    /// Rows may wait, but nothing in the file tells which. Never read as none.
    case cannotTell
  }

  /// Whose mark it is; `none` for a habit of many apps.
  package let framework: Framework
  /// The table, as it is named in the file; to be quoted in SQL.
  package let table: Name
  /// What can be said of its rows.
  package let rule: Rule

  /// Makes a mark.
  package init(framework: Framework, table: Name, rule: Rule) {
    self.framework = framework
    self.table = table
    self.rule = rule
  }

  /// The marks in a file with these tables, in the order of the file for each kind.
  ///
  /// An empty list means that nothing says where unsynced rows would be, not that
  /// there are none. Marks of frameworks count only where the framework was
  /// recognised; habits count everywhere but in the frameworks' own tables.
  package static func marks(
    in tables: [(name: Name, columns: [Name])], of matches: [FrameworkMatch]
  ) -> [UnsyncedMark] {
    let catalogue = TableCatalogue(tables)
    let recognised = Set(matches.map(\.framework))
    let books = Set(matches.filter { $0.framework != .watermelonDB }.flatMap(\.tables))
    return kinds.flatMap { kind -> [UnsyncedMark] in
      guard kind.framework == .none || recognised.contains(kind.framework) else { return [] }
      return catalogue.tables(matching: kind.shape)
        .filter { kind.framework != .none || !books.contains($0.name) }
        .map { UnsyncedMark(framework: kind.framework, table: $0.name, rule: kind.rule) }
    }
  }
}

extension UnsyncedMark {
  /// Every kind of mark that is known of a framework; the names are patterns of its tables.
  private struct Kind {
    let framework: Framework
    let shape: TableShape
    let rule: Rule

    init(_ framework: Framework, _ shape: TableShape, _ rule: Rule) {
      self.framework = framework
      self.shape = shape
      self.rule = rule
    }

    init(_ framework: Framework, _ shape: TableShape, where predicate: String) {
      self.init(framework, shape, .rows(predicate: predicate))
    }
  }

  private static let kinds: [Kind] = [
    // A status that was never set counts as not synced, here and below: IS NOT and ifnull.
    Kind(
      .watermelonDB, TableShape(name: .any, ["id", "_changed", "_status"]),
      where: #""_status" IS NOT 'synced'"#),
    Kind(.powerSync, TableShape("ps_crud", ["id", "data"]), where: "1"),
    Kind(.anki, TableShape("notes", ["guid", "usn"]), where: #""usn" = -1"#),
    Kind(.anki, TableShape("cards", ["nid", "usn"]), where: #""usn" = -1"#),
    Kind(.anki, TableShape("graves", ["oid", "usn"]), where: #""usn" = -1"#),
    Kind(.anki, TableShape("revlog", ["cid", "usn"]), where: #""usn" = -1"#),
    Kind(
      .sqliteData,
      TableShape("sqlitedata_icloud_pendingrecordzonechanges", ["pendingrecordzonechange"]),
      where: "1"),
    Kind(
      .sqliteData,
      TableShape("sqlitedata_icloud_unsyncedrecordids", ["recordname", "zonename", "ownername"]),
      where: "1"),
    // The mirror of Core Data to CloudKit keeps its state in blobs.
    Kind(.coreData, TableShape(name: .prefix("ansck"), []), .cannotTell),

    Kind(.none, TableShape("outbox", ["status"]), where: #""status" IS NOT 'done'"#),
    Kind(.none, TableShape("sync_queue", []), where: "1"),
    Kind(.none, TableShape(name: .any, ["is_synced"]), where: #"ifnull("is_synced", 0) = 0"#),
    Kind(.none, TableShape(name: .any, ["synced"]), where: #"ifnull("synced", 0) = 0"#),
    Kind(.none, TableShape(name: .any, ["dirty"]), where: #"ifnull("dirty", 0) <> 0"#),
    Kind(.none, TableShape(name: .any, ["needs_sync"]), where: #"ifnull("needs_sync", 0) <> 0"#),
    // Deleted here, and perhaps not yet elsewhere: when the last sync was, is nowhere written.
    Kind(.none, TableShape(name: .any, ["deleted_at"]), .cannotTell),
  ]
}
