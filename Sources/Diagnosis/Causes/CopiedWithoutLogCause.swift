// SPDX-License-Identifier: Apache-2.0
// Copies without the log that holds the newest rows.

import SQLiteFormat

enum CopiedWithoutLogCause: Cause {
  static let kind = CauseKind.copiedWithoutLog
  static let words = CauseWords(
    title: "it was copied without its log, or the log was deleted",
    now: "Ask for the -wal file of the same name and moment: it holds what was written last. Until "
      + "then, change nothing.",
    differently: "Back up with SQLite's backup call, VACUUM INTO or dbrescue backup; a copy of the "
      + "files needs app.db and app.db-wal of one moment. Never delete a -wal.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.survey.image != nil, traces.header != nil else { return .silent }
    guard traces.isWAL else { return .ruledOut("it keeps no write-ahead log") }
    guard traces.hasNoLog else { return .ruledOut("its log is there") }
    if traces.codes.contains(.fileHeldApart) { return .silent }
    if let index = traces.around.logIndex, index.frameCount > index.copiedCount,
      traces.isLogAbsent
    {
      return .fits(
        .likely,
        "its log is missing, with \(counted(index.frameCount - index.copiedCount, "page")) that are "
          + "not in the file yet",
        ["the -shm that lies beside it counts the frames of the log that were not copied"])
    }
    guard traces.looksMixed || traces.missing != nil else {
      return .silent
    }
    return .fits(
      .possible, "it was copied while its log held newer pages, or the log was deleted",
      ["it is in WAL mode, there is no -wal, and its pages are of different moments"],
      against: ["a database that was closed as it should has no -wal either"])
  }
}
