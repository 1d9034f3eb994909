// SPDX-License-Identifier: Apache-2.0
// Which tables keep rows that were not sent anywhere yet: by the sheets, and by the habits of apps.

package import SQLiteFormat

extension UnsyncedMark {
  /// The marks in a file with these tables, in the order of the file for each kind.
  ///
  /// An empty list means that nothing says where unsynced rows would be, not that
  /// there are none. Marks of frameworks count only where the framework was
  /// recognised; habits count everywhere but in the frameworks' own tables.
  package static func marks(
    in tables: [(name: Name, columns: [Name])], of matches: [FrameworkMatch]
  ) -> [UnsyncedMark] {
    let catalogue = TableCatalogue(tables)
    let books = Set(matches.filter { $0.framework != .watermelonDB }.flatMap(\.tables))
    let own = Framework.allCases.filter { framework in
      matches.contains { $0.framework == framework }
    }.flatMap { framework in
      framework.sheet.unsynced.flatMap { place in
        catalogue.tables(matching: place.shape).map {
          UnsyncedMark(framework: framework, table: $0.name, rule: place.rule)
        }
      }
    }
    return own
      + habits.flatMap { habit in
        catalogue.tables(matching: habit.shape).filter { !books.contains($0.name) }
          .map { UnsyncedMark(framework: .none, table: $0.name, rule: habit.rule) }
      }
  }

  /// What many apps do, whoever made their database.
  private static let habits = [
    UnsyncedTables(TableShape("outbox", ["status"]), .rows(predicate: #""status" IS NOT 'done'"#)),
    UnsyncedTables(TableShape("sync_queue", []), .rows(predicate: "1")),
    UnsyncedTables(
      TableShape(name: .any, ["is_synced"]), .rows(predicate: #"ifnull("is_synced", 0) = 0"#)),
    UnsyncedTables(
      TableShape(name: .any, ["synced"]), .rows(predicate: #"ifnull("synced", 0) = 0"#)),
    UnsyncedTables(
      TableShape(name: .any, ["dirty"]), .rows(predicate: #"ifnull("dirty", 0) <> 0"#)),
    UnsyncedTables(
      TableShape(name: .any, ["needs_sync"]), .rows(predicate: #"ifnull("needs_sync", 0) <> 0"#)),
    // Deleted here, and perhaps not yet elsewhere: when the last sync was, is nowhere written.
    UnsyncedTables(TableShape(name: .any, ["deleted_at"]), .cannotTell),
  ]
}
