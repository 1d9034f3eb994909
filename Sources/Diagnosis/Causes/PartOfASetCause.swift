// SPDX-License-Identifier: Apache-2.0
// A log or a journal that came without its database.

import SQLiteFormat

enum PartOfASetCause: Cause {
  static let kind = CauseKind.partOfASet
  static let words = CauseWords(
    title: "this is a part of a database, and not the database",
    now:
      "Ask for the file of the same name without that ending, and keep this one beside it: it may "
      + "hold the newest rows.",
    differently: "Send a database with its -wal and -journal, all taken at one moment.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    switch traces.survey.kind {
    case .writeAheadLog:
      .fits(.certain, "the file is the -wal of a database", ["it begins as a write-ahead log does"])
    case .rollbackJournal:
      .fits(.certain, "the file is the -journal of a database", ["it begins as a journal does"])
    case .other(FileKind.logIndex):
      .fits(
        .certain, "the file is the -shm of a database",
        ["it begins as the index of a write-ahead log does, which holds no row"])
    default: .silent
    }
  }
}
