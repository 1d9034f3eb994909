// SPDX-License-Identifier: Apache-2.0
// The rollback journal where SQLite would find it, and whether that is a reason to keep SQLite away.

import SQLiteFormat

/// What the rollback journal is that lies beside a database.
enum JournalInPlace: Hashable {
  /// There is none, or nothing in it.
  case absent
  /// It is kept from one transaction to the next, and nothing of it counts.
  case idle
  /// It is that of a transaction that somebody is in the middle of.
  case inUse
  /// A transaction was cut off, or the journal was put there: SQLite would do what it says.
  ///
  /// Only our own reader looks into it, and changes nothing.
  case hot

  /// How often the journal of somebody at work is looked at.
  private static let looksMax = 50

  /// Looks at the journal beside a database, which a link may lead to.
  ///
  /// - Throws: ``RescueError`` when it cannot be read.
  init(beside database: FilePath, in storage: any Storage) throws(RescueError) {
    do {
      let resolved = try storage.resolve(database)
      let path = resolved.adding(suffix: "-journal")
      for _ in 0..<Self.looksMax {
        let before = try storage.status(of: path)
        let found = try Self(at: path, before, beside: resolved, in: storage)
        // Between the look at the journal and that at the lock its transaction may have ended.
        guard found == .hot, try storage.status(of: path) != before else {
          self = found
          return
        }
      }
      self = .inUse
    } catch {
      throw RescueError(error, doing: "read the journal of '\(database)'")
    }
  }

  private init(
    at path: FilePath, _ status: FileStatus?, beside database: FilePath, in storage: any Storage
  ) throws {
    guard status?.kind == .file else {
      self = .absent
      return
    }
    do {
      let journal = try storage.open(path, .read)
      guard journal.byteCount > 0 else {
        self = .absent
        return
      }
      // A journal that is kept between transactions has a zeroed header. What its end says, SQLite
      // carries out all the same when it takes a transaction back.
      let isRetired = try journal.read(at: 0, count: 1) == [0]
      if try isRetired && RollbackJournal.superJournal(of: journal) == nil {
        self = .idle
      } else {
        self = try OnlineBackup.hasWriter(database) ? .inUse : .hot
      }
    } catch let error as StorageError where error.cause == .missing {
      self = .absent  // Its writer has just committed.
    }
  }

  /// Refuses to have SQLite open a database whose journal it would play back.
  ///
  /// - Throws: ``RescueError`` of the kind `.invalidInput` for one that is hot.
  static func requireNotHot(
    beside database: FilePath, in storage: any Storage = SystemStorage()
  ) throws(RescueError) {
    guard try Self(beside: database, in: storage) == .hot else { return }
    throw RescueError(
      .invalidInput, "beside '\(database)' lies the journal of a transaction that was cut off",
      meaning: "SQLite would change the database, and files that the journal names; nothing was "
        + "changed",
      advice: "close what uses the database, then: dbrescue recover FILE")
  }
}
