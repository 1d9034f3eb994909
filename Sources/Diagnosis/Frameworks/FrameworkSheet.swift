// SPDX-License-Identifier: Apache-2.0
// What is known of one framework, tool or app: a sheet each, in a file of its own under `Sheets`.

import SQLiteFormat

/// What is known of one framework, tool or app.
struct FrameworkSheet: Sendable {
  /// The name as its makers write it.
  let title: String
  /// The application ids that are its own, in the header of a database.
  var applicationIDs: [Int32] = []
  /// What it writes as `user_version` into each database, to be known by.
  var userVersionMark: Int32?
  /// What gives it away; each is enough, the surest come first.
  var signatures: [FrameworkSignature] = []
  /// Where it notes of which version a database is.
  var book: MigrationBook?
  /// How it looks when a migration has no good end.
  var unfinished: [UnfinishedMark] = []
  /// How it names a table that is to take the place of another one.
  var rebuilds: [RebuildName] = []
  /// Where it keeps rows that were not sent anywhere yet.
  var unsynced: [UnsyncedTables] = []
  /// How far it is from the app: what others use underneath or beside comes last.
  var distance = 0
}

/// Tables that together give a framework away.
struct FrameworkSignature: Sendable {
  let confidence: FrameworkMatch.Certainty
  let shapes: [TableShape]

  init(_ confidence: FrameworkMatch.Certainty, _ shapes: [TableShape]) {
    self.confidence = confidence
    self.shapes = shapes
  }
}

/// Where a framework notes of which version a database is: mostly a table in which each migration
/// that was carried out has a row.
struct MigrationBook: Sendable {
  /// What the rows are.
  enum Kind: Sendable {
    /// Migrations that come one after the other.
    case list
    /// Migrations whose names tell of no order.
    case set
    /// The last migration, by a number that grows.
    case last
    /// Where each branch of the migrations stands.
    case heads
    /// No migrations: the number of the version, in a table of the app.
    case number
    /// No migrations: the one version of the schema.
    case mark
    /// No migrations: a property list that describes the model.
    case model
  }

  /// The table.
  let table: Name
  /// The columns that name a migration, joined by points.
  let names: [Name]
  /// What its rows are.
  let kind: Kind
  /// The column by which they come one after the other; nil where the name tells.
  let order: Name?
  /// The column that tells whose migrations they are, where several have some.
  let group: Name?
  /// What is true of a row that counts.
  let counts: [RowCondition]
  /// The column by which of the rows of one migration only the last counts.
  let lastBy: Name?
  /// The column whose value such rows have in common, where it has one; nil where the name tells.
  let sharing: Name?
  /// Whether its rows stand in the order in which the migrations were carried out, whatever their names.
  let isInOrder: Bool
  /// Whether people name its migrations in words, with spaces between them.
  let isInWords: Bool
  /// Whether its migrations are known by hashes, of which the beginning is enough.
  let isOfHashes: Bool

  init(
    _ table: Name, _ names: [Name], _ kind: Kind = .list, order: Name? = nil, group: Name? = nil,
    counts: [RowCondition] = [], lastBy: Name? = nil, sharing: Name? = nil,
    isInOrder: Bool = false, isInWords: Bool = false, isOfHashes: Bool = false
  ) {
    self.table = table
    self.names = names
    self.kind = kind
    self.order = order
    self.group = group
    self.counts = counts
    self.lastBy = lastBy
    self.sharing = sharing
    self.isInOrder = isInOrder
    self.isInWords = isInWords
    self.isOfHashes = isOfHashes
  }
}

/// A row by which a framework tells of a migration that has no good end.
struct UnfinishedMark: Sendable {
  let table: Name
  /// What is true of such a row.
  let conditions: [RowCondition]
  /// What it says of the migration.
  let says: String
  /// How sure it is that the migration has no end.
  let confidence: Confidence

  init(
    _ table: Name, _ conditions: [RowCondition], says: String, _ confidence: Confidence = .certain
  ) {
    self.table = table
    self.conditions = conditions
    self.says = says
    self.confidence = confidence
  }
}

/// Tables in which rows wait to be sent.
struct UnsyncedTables: Sendable {
  let shape: TableShape
  let rule: UnsyncedMark.Rule
  /// What is true of a row that waits, where that can be told without SQLite.
  let condition: RowCondition?

  init(_ shape: TableShape, _ rule: UnsyncedMark.Rule) {
    self.shape = shape
    self.rule = rule
    condition = nil
  }

  /// A place of which the rows are counted for which something is true.
  init(_ shape: TableShape, where column: Name, _ test: RowCondition.Test) {
    let condition = RowCondition(column, test)
    self.shape = shape
    self.condition = condition
    rule = .rows(predicate: condition.sql)
  }
}
