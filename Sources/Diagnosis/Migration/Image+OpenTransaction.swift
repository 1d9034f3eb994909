// SPDX-License-Identifier: Apache-2.0
// Whether something was begun and never committed: what SQLite takes back when it opens the database.

import SQLiteFormat

extension Image {
  /// Whether the journal or the log beside the file is in the middle of a transaction.
  ///
  /// What was only in the memory of whoever has begun it has left no trace.
  var hasOpenTransaction: Bool { hasOpenJournal || hasOpenLog }

  private var hasOpenJournal: Bool {
    switch journal {
    case .applied, .contradictory, .otherPageSize: return true
    case .absent: return false
    case .stale:
      // What was committed has no header any more, or names a journal of several databases that is gone.
      // As long as nothing was written to the database, it lacks the magic and the number of records
      // alone.
      guard let source = files.journal, let header = try? source.read(at: 0, count: 28),
        header.count == 28, (try? RollbackJournal.superJournal(of: source)) ?? nil == nil
      else { return false }
      let start = header.prefix(12)
      return start.starts(with: RollbackJournal.magic)
        || start.allSatisfy { $0 == 0 } && header.suffix(8).contains { $0 != 0 }
    }
  }

  private var hasOpenLog: Bool {
    switch wal {
    case .absent, .unusable, .foreign, .outdated, .contradictory: return false
    case .applied(let log): return !log.uncommitted.isEmpty
    case .empty:
      return files.wal.flatMap { try? WriteAheadLog($0) }.map { !$0.uncommitted.isEmpty } ?? false
    }
  }
}
