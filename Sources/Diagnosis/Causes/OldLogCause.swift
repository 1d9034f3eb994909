// SPDX-License-Identifier: Apache-2.0
// A log of another state of this database: of before it was restored, or of after it was copied.

import SQLiteFormat

enum OldLogCause: Cause {
  static let kind = CauseKind.oldLog
  static let words = CauseWords(
    title: "an old log lies beside a file that was put back",
    now: "Do not open it: SQLite would write that log over it. Move the -wal away first, and keep it; "
      + "the file alone can be read.",
    differently: "Delete or move away the -wal, -shm and -journal together with the file that a backup "
      + "replaces; dbrescue restore does so.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let image = traces.survey.image else { return .silent }
    switch image.wal {
    case .outdated:
      return .fits(
        .likely, "the -wal beside the file is of an earlier state of it",
        ["it ends before a state that the file is already in"])
    case .contradictory:
      return .fits(
        .likely, "the -wal beside the file is of another state of it",
        ["the file is sound alone, and contradicts itself with the log"])
    case .foreign(let log)
    where log.pageSize == image.geometry.pageSize
      && ForeignLogCause.namesTables(of: traces.survey, log, in: image) != false:
      return .fits(
        .likely, "the -wal beside the file does not go on from it",
        [
          "no state of this file leads to the log, and the file alone is sound",
          ForeignLogCause.namesTables(of: traces.survey, log, in: image) == true
            ? "the log has the tables of this app" : nil,
        ], against: ["the log of another database with the same tables looks the same"])
    case .applied where traces.survey.isLogInDoubt:
      return .fits(
        .possible, "the -wal beside the file may be of another state of it",
        ["the file is sound with it and without it, and nothing ties the two together"])
    default: break
    }
    if traces.hasHotJournal, traces.isMixture {
      return .fits(
        .possible, "the -journal beside the file is of an earlier state of it",
        ["the journal counts as one of a transaction that was cut off, and its pages do not fit"])
    }
    if traces.hasNoLog, traces.hasNoJournal { return .ruledOut("neither log nor journal beside it") }
    return .silent
  }
}
