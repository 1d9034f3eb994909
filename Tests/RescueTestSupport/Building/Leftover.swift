// SPDX-License-Identifier: Apache-2.0
// What a crash leaves beside a database: the files are copied while a connection has them open.

package import DatabaseRescue
import SQLiteFormat

/// What lies beside a database that was not closed.
package enum Leftover: Sendable {
  /// Nothing: the database was closed.
  case nothing
  /// A write-ahead log with these committed changes, none of them in the database file.
  case wal([DatabaseBuilder.Step])
  /// A write-ahead log whose last transaction was cut off inside its commit frame.
  case tornWAL(committed: [DatabaseBuilder.Step], torn: [DatabaseBuilder.Step])
  /// A hot rollback journal: the changes have reached the database file and were never committed.
  case hotJournal([DatabaseBuilder.Step])

  /// Crashes on a closed database: the file stays as it was at the crash, with its sidecar.
  ///
  /// - Throws: ``UnfitFixture`` when the changes are too small to leave anything.
  package func leave(at path: FilePath) throws {
    switch self {
    case .nothing: return
    case .wal(let steps): try leaveWAL(at: path, committed: steps, torn: [])
    case .tornWAL(let committed, let torn):
      try leaveWAL(at: path, committed: committed, torn: torn)
    case .hotJournal(let steps): try leaveJournal(at: path, steps)
    }
  }

  private func leaveWAL(
    at path: FilePath, committed: [DatabaseBuilder.Step], torn: [DatabaseBuilder.Step]
  ) throws {
    let wal = path.adding(suffix: "-wal")
    let (main, log) = try {
      let connection = try Connection(path, mode: .app)
      try connection.execute("PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0")
      try connection.run(committed)
      let whole = try wal.contents()
      guard !whole.isEmpty else { throw UnfitFixture("nothing was committed to the WAL") }
      guard !torn.isEmpty else { return (try path.contents(), whole) }
      try connection.execute("BEGIN")
      try connection.run(torn)
      try connection.execute("COMMIT")
      let longer = try wal.contents()
      let frame = 24 + Int(try connection.value("PRAGMA page_size")?.integerValue ?? 0)
      guard longer.count >= whole.count + frame else {
        throw UnfitFixture("the torn transaction wrote nothing")
      }
      return (try path.contents(), Bytes(longer.dropLast(frame / 2)))
    }()
    // Closing has written the log into the file: put both back as they were before.
    try path.replaceContents(with: main)
    try wal.replaceContents(with: log)
  }

  private func leaveJournal(at path: FilePath, _ steps: [DatabaseBuilder.Step]) throws {
    let journal = path.adding(suffix: "-journal")
    let before = try path.contents()
    let (main, log) = try {
      let connection = try Connection(path, mode: .app)
      // A cache of one page spills changes into the file before the commit.
      try connection.execute("PRAGMA journal_mode = delete; PRAGMA cache_size = 1; BEGIN IMMEDIATE")
      try connection.run(steps)
      let files = (try path.contents(), try journal.contents())
      try connection.execute("ROLLBACK")
      return files
    }()
    guard main != before, !log.isEmpty else {
      throw UnfitFixture("the transaction is too small to reach the file before its commit")
    }
    try path.replaceContents(with: main)
    try journal.replaceContents(with: log)
  }
}

/// A fixture that would not show what it is meant to show.
package struct UnfitFixture: Error, CustomStringConvertible {
  /// Why not.
  package let description: String

  /// Makes an error.
  package init(_ description: String) {
    self.description = description
  }
}
