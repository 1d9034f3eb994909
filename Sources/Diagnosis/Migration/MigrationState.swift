// SPDX-License-Identifier: Apache-2.0
// A database before or after a migration: everything by which the two are compared, taken at the
// time. What is read later of the same file is another state.

package import SQLiteFormat

/// A database before or after a migration.
package struct MigrationState: Sendable {
  /// The version of its schema; nil where it has no header.
  package let userVersion: Int?
  /// Whose it is; nil where it has no header.
  let applicationID: Int32?
  /// Whether it is in WAL mode.
  package let isWAL: Bool
  /// Whether somebody has begun a transaction and not ended it.
  package let hasOpenTransaction: Bool
  /// Its tables with users' rows.
  package private(set) var tables: [Name: TableFigures]
  /// Where the texts are of full-text tables that do not keep them themselves.
  let contentTables: [Name: Name]
  /// The AUTOINCREMENT counters by table.
  package let sequences: [Name: Int64]
  /// Its schema.
  package let schema: SchemaDescription
  /// The tables in which frameworks note their migrations: rows go when one is taken back, when others
  /// take its place, and when branches come together.
  let books: Set<Name>
  /// Those and all others in which they note of which version the database is.
  let versionTables: Set<Name>
  /// Those of them in which they note where the branches stand.
  let headTables: Set<Name>

  /// How many rows refer to rows that are not there, by table; nil where that was not asked.
  package var danglingRows: [Name: Int]?
  /// How many words each text has of full-text tables that keep nothing but the words.
  let wordCounts: [Name: TableFigures]
  /// The views and triggers that cannot be used.
  package var unusable: [UnusableObject] = []

  /// Describes a database of which the figures were taken.
  package init(_ survey: Survey, figures: [Name: TableFigures]) {
    userVersion = survey.header.map { Int($0.userVersion) }
    applicationID = survey.header?.applicationID
    isWAL = survey.header?.isWAL ?? false
    hasOpenTransaction = survey.image?.hasOpenTransaction ?? false
    wordCounts = Self.wordCounts(in: survey)
    tables = figures.merging(wordCounts.mapValues { TableFigures(countOf: $0.rows) }) { own, _ in
      own
    }
    contentTables = Dictionary(
      survey.virtualTables.compactMap { table in
        table.hasOwnContent ? nil : table.contentTable.map { (table.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    sequences = survey.sequences
    schema = survey.schema?.parsed.description ?? SchemaDescription()
    let frameworks = Framework.detect(in: schema.tables.map { ($0.name, $0.columns.map(\.name)) })
      .map(\.framework)
    books = Set(frameworks.compactMap(\.migrationsTable))
    versionTables = Set(frameworks.compactMap(\.versionTable))
    headTables = Set(frameworks.compactMap(\.headTable))
  }

  /// How many words each text has of the full-text tables that keep nothing but these.
  private static func wordCounts(in survey: Survey) -> [Name: TableFigures] {
    Dictionary(
      survey.virtualTables.compactMap { table in
        guard table.isFullText, !table.hasTexts, let part = table.part("docsize"),
          let tree = survey.tree(named: part.name)
        else { return nil }
        return (table.name, TableFigures(of: part.name, tree, in: survey))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The same, where a full-text table that kept its texts before has them in another table: it has
  /// the rows of that.
  func findingTexts(of before: MigrationState) -> MigrationState {
    var copy = self
    for (name, content) in contentTables where before.tables[name] != nil {
      copy.tables[name] = copy.tables[name] ?? tables[content]
    }
    return copy
  }
}

/// A view, trigger or full-text table that cannot be used, although SQLite has accepted its statement.
package struct UnusableObject: Hashable, Sendable {
  /// What it is.
  let kind: SchemaEntry.Kind
  /// Its name.
  let name: Name
  /// The table of a trigger; nil for any other object.
  let table: Name?
  /// What is missing, in SQLite's words.
  let fault: String

  /// Makes an entry.
  package init(_ kind: SchemaEntry.Kind, _ name: Name, of table: Name?, _ fault: String) {
    (self.kind, self.name, self.table, self.fault) = (kind, name, table, fault)
  }

  /// What is wrong with it, in one line.
  var line: String {
    guard let table else {
      let noun = kind == .table ? "full-text table" : kind.rawValue
      return "\(noun) '\(name)' cannot be read: \(fault)"
    }
    return "trigger '\(name)' of '\(table)' cannot run: \(fault)"
  }

  /// The same, where tables have other names.
  func renaming(_ names: [Name: Name]) -> UnusableObject {
    UnusableObject(kind, name, of: table.map { names[$0] ?? $0 }, fault)
  }
}

extension SchemaDescription {
  /// A foreign key by its table and the one that it refers to.
  struct Reference: Hashable, Comparable {
    let table: Name
    let parent: Name

    static func < (a: Reference, b: Reference) -> Bool {
      (a.table, a.parent) < (b.table, b.parent)
    }
  }

  /// The foreign keys that refer to tables that are not there.
  var missingParents: Set<Reference> {
    let present = Set(tables.map(\.name))
    return Set(
      tables.flatMap { table in
        table.foreignKeys.map { Reference(table: table.name, parent: $0.table) }
      }.filter { !present.contains($0.parent) })
  }
}
