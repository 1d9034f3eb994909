// SPDX-License-Identifier: Apache-2.0
// Makes a real database file through SQLite: the geometry, then the statements, then what a
// crash would leave beside it.

package import DatabaseRescue
package import SQLiteFormat

/// A database as a value: how its file is laid out, and the statements that fill it.
package struct DatabaseBuilder: Sendable {
  /// How SQLite keeps track of free pages.
  package enum AutoVacuum: Int, Sendable {
    /// Free pages stay in the file.
    case none = 0
    /// Every commit moves pages so that the file shrinks.
    case full = 1
    /// Pages move when `PRAGMA incremental_vacuum` asks for it.
    case incremental = 2
  }

  /// How SQLite makes transactions safe.
  package enum JournalMode: String, Sendable {
    /// A journal file that is deleted at commit.
    case delete
    /// A journal file whose header is zeroed at commit.
    case persist
    /// A journal file that is cut to nothing at commit.
    case truncate
    /// A write-ahead log.
    case wal
  }

  /// One statement, or several without values, and the values bound to it.
  package struct Step: Sendable, ExpressibleByStringInterpolation {
    package let sql: String
    package let values: [Value]

    /// Makes a step of a statement and its values.
    package init(_ sql: String, _ values: [Value]) {
      self.sql = sql
      self.values = values
    }

    /// Makes a step of statements without values.
    package init(stringLiteral sql: String) {
      self.init(sql, [])
    }
  }

  /// The page size in bytes.
  package var pageSize: Int
  /// The text encoding.
  package var encoding: TextEncoding
  /// How free pages are kept track of.
  package var autoVacuum: AutoVacuum
  /// The bytes at the end of every page that stay unused.
  package var reservedBytes: Int
  /// The journal mode.
  package var journal: JournalMode
  /// What fills the database.
  package var steps: [Step]
  /// What a crash leaves behind at the end.
  package var leftover: Leftover

  /// Describes a database; what is not given is what SQLite does by default.
  package init(
    pageSize: Int = 4096, encoding: TextEncoding = .utf8, autoVacuum: AutoVacuum = .none,
    reservedBytes: Int = 0, journal: JournalMode = .delete, _ steps: [Step],
    leftover: Leftover = .nothing
  ) {
    self.pageSize = pageSize
    self.encoding = encoding
    self.autoVacuum = autoVacuum
    self.reservedBytes = reservedBytes
    self.journal = journal
    self.steps = steps
    self.leftover = leftover
  }

  /// Makes the file, which must not exist, with its sidecars.
  package func build(at path: FilePath) throws {
    try buildClosed(at: path)
    try leftover.leave(at: path)
  }

  private func buildClosed(at path: FilePath) throws {
    let connection = try Connection(path, mode: .app)
    // SQLITE_DBCONFIG_TRUSTED_SCHEMA: an app trusts its own.
    connection.configure(1017, true)
    // The reserve comes first: SQLite fixes it together with the page size. Deleted rows stay
    // in the file, as in most builds of SQLite but not in all.
    if reservedBytes > 0 { try connection.reserve(bytesPerPage: reservedBytes) }
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA encoding = '\(encoding.name)';
      PRAGMA auto_vacuum = \(autoVacuum.rawValue);
      PRAGMA synchronous = OFF;
      PRAGMA secure_delete = OFF;
      PRAGMA journal_mode = \(journal.rawValue);
      """)
    try connection.run(steps)
  }
}

extension Connection {
  /// Runs steps in order.
  func run(_ steps: [DatabaseBuilder.Step]) throws {
    for step in steps {
      if step.values.isEmpty {
        try execute(step.sql)
      } else {
        try prepare(step.sql).run(step.values)
      }
    }
  }
}
