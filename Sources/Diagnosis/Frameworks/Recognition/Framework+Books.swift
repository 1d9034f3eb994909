// SPDX-License-Identifier: Apache-2.0
// Where frameworks note which migrations they have carried out, or of which schema a database is.

package import SQLiteFormat

/// What a framework has noted in a database.
package struct FrameworkBook: Hashable, Sendable, Codable {
  /// What Room knows a schema by.
  package var identityHash: String?
  /// The migrations that were carried out, sorted; or the one number that stands for them.
  package var migrations: [String]?
  /// The migrations that lead to those, where only the last of each branch are noted.
  package var ancestors: [String]?
  /// What tells the model of a store from others, by name.
  package var model: [String: String]?

  /// Makes a book.
  package init(
    identityHash: String? = nil, migrations: [String]? = nil, ancestors: [String]? = nil,
    model: [String: String]? = nil
  ) {
    self.identityHash = identityHash
    self.migrations = migrations
    self.ancestors = ancestors
    self.model = model
  }
}

extension Framework {
  /// Books by framework, of those by its name; what has a name that nobody knows is left out.
  package static func books(_ named: [String: FrameworkBook]) -> [Framework: FrameworkBook] {
    guard !named.isEmpty else { return [:] }
    let known = Dictionary(allCases.map { ($0.word, $0) }) { first, _ in first }
    return Dictionary(
      named.compactMap { name, book in known[name].map { ($0, book) } }
    ) { first, _ in first }
  }

  /// Whether only one number is noted, which grows.
  package var notesOnlyTheLast: Bool { [.last, .number].contains(sheet.book?.kind) }

  /// The query for the migrations that were carried out: their names, one in each row, NULL for one
  /// that has failed or was taken back; nil where the framework notes no such list.
  package var migrationsQuery: String? {
    sheet.book.flatMap { $0.kind == .number ? $0 : listOfMigrations }?.query
  }

  /// The query for the description of the model of a store, and the table that it is in; nil where the
  /// framework has none.
  package var modelQuery: (sql: String, table: Name)? {
    sheet.book.flatMap { $0.kind == .model ? ($0.query, $0.table) : nil }
  }

  /// The name of a migration as it is shown, where it is known or looks like one; nil otherwise.
  func shownMigration(_ name: String, known: Set<String>) -> String? {
    sheet.book.flatMap { $0.shown(name, known: known) }
  }

  /// The table in which the migrations that were carried out are noted; nil where none are.
  var migrationsTable: Name? { listOfMigrations?.table }

  /// The table in which nothing but the version is noted; nil where the app's own rows tell it.
  var versionTable: Name? {
    sheet.book.flatMap { book in
      switch book.kind {
      case .list, .set, .last, .heads, .mark, .model: book.table
      case .number: nil
      }
    }
  }

  private var listOfMigrations: MigrationBook? {
    sheet.book.flatMap { book in
      switch book.kind {
      case .list, .set, .last, .heads: book
      case .number, .mark, .model: nil
      }
    }
  }

  /// The table of the heads, where only those are noted: their names tell of no order, and so not
  /// which of two is the newer one.
  package var headTable: Name? {
    sheet.book.flatMap { $0.kind == .heads ? $0.table : nil }
  }

  /// The query for the identity hash of a database that Room has made.
  package static let identityQuery =
    #"SELECT "identity_hash" FROM "room_master_table" WHERE "id" = 42"#
}

extension MigrationBook {
  /// The query for the names of the rows that count; NULL for those that do not.
  fileprivate var query: String {
    let name = names.map(\.quotedIdentifier).joined(separator: " || '.' || ")
    var conditions = counts.map(\.sql)
    if let lastBy {
      let own = table.quotedIdentifier
      conditions.append(
        """
        \(lastBy.quotedIdentifier) = (SELECT max(\(lastBy.quotedIdentifier)) FROM
          \(own) AS "every" WHERE \(migration(in: #""every""#)) = \(migration(in: own)))
        """)
    }
    let shown =
      conditions.isEmpty
      ? name : "CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(name) END"
    return "SELECT \(shown) FROM \(table.quotedIdentifier)"
  }

  /// The expression for what the rows of one migration have in common, in a table of this name.
  private func migration(in table: String) -> String {
    let name = "\(table).\(names[0].quotedIdentifier)"
    guard let sharing else { return name }
    return "coalesce(\(table).\(sharing.quotedIdentifier), \(name))"
  }
}
