// SPDX-License-Identifier: Apache-2.0
// The bundled sample app: an offline fitness log that has shipped four versions of its schema.

package import DatabaseRescue
import SQLiteFormat

/// The sample app's database.
package enum FitnessLog {
  /// The versions of the schema that the app has shipped.
  package static let versions = 1...4
  /// What the app writes into `PRAGMA application_id`: "FITL".
  package static let applicationID: Int64 = 0x4649_544C

  /// How the app makes transactions safe.
  package enum Journal: String, Sendable {
    /// A write-ahead log.
    case wal
    /// A rollback journal.
    case delete
  }

  /// Makes a database of a version, with data that depend on nothing but the arguments.
  ///
  /// - Throws: ``AppError`` when there is a file already or no such version, or
  ///   SQLite's error.
  package static func create(
    _ path: FilePath, version: Int = 4, workouts: Int = 1200, seed: UInt64 = 1,
    journal: Journal = .delete, pageSize: Int = 4096
  ) throws {
    guard versions.contains(version) else {
      throw AppError("there is no schema version \(version)")
    }
    guard try SystemStorage().status(of: path) == nil else {
      throw AppError("'\(path)' exists already")
    }
    let connection = try Connection(path, mode: .app)
    // Nothing to lose yet: no need to wait for the disk. The cache holds the pages of all
    // trees that grow at the same time.
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize);
      PRAGMA auto_vacuum = NONE;
      PRAGMA secure_delete = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -65536;
      PRAGMA journal_mode = \(journal.rawValue);
      BEGIN;
      """)
    try defineSchema(version, on: connection)
    var data = TrainingData(seed: seed, version: version)
    try data.fill(connection, workouts: workouts)
    try connection.execute("COMMIT")
  }

  /// Opens a database as the app does.
  static func open(_ path: FilePath) throws(SQLiteError) -> Connection {
    let connection = try Connection(path, mode: .app)
    try connection.execute("PRAGMA foreign_keys = ON")
    return connection
  }

  /// The version that a database says it has.
  package static func version(of connection: borrowing Connection) throws(SQLiteError) -> Int {
    Int(try connection.value("PRAGMA user_version")?.integerValue ?? 0)
  }
}

/// Why the sample app refused to do something.
package struct AppError: Error, CustomStringConvertible {
  /// The reason.
  package let description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}
