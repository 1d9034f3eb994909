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
    let index = traces.survey.image?.missingLog ?? traces.around.logIndex
    if let index, index.lackingCount > 0 {
      return .fits(
        .likely,
        "its log is missing, with \(counted(index.lackingCount, "page")) that are "
          + "not in the file yet",
        ["the -shm that lies beside it counts the frames of the log that were not copied"])
    }
    if let fit = inCheckpoint(traces) { return fit }
    if traces.survey.isBareWAL {
      return .fits(
        .possible, "its log is missing, and all that was ever written to it lies there",
        [
          "it is in WAL mode, has one page and no table: the first tables of such a file are in its log "
            + "until a checkpoint"
        ],
        against: ["a program that made the file and wrote nothing leaves the same"])
    }
    guard traces.looksMixed || traces.missing != nil else {
      return .silent
    }
    return .fits(
      .possible, "it was copied while its log held newer pages, or the log was deleted",
      ["it is in WAL mode, there is no -wal, and its pages are of different moments"],
      against: ["a database that was closed as it should has no -wal either"])
  }

  /// Whether an index and its table lack each other's rows on leaves that are there.
  private static func areOfTwoMoments(_ survey: Survey) -> Bool {
    survey.trees.contains { tree in
      tree.entry.kind == .index && MissingPartners(of: tree, in: survey)?.isProof == true
    }
  }

  /// A file in which a checkpoint has not come to its end.
  ///
  /// A checkpoint writes page 1 first, and gives the file the length that page 1 counts at its end.
  /// Until then the log is neither deleted nor begun anew: it was there. A file that was only cut off
  /// contradicts itself nowhere in what is left.
  private static func inCheckpoint(_ traces: Traces) -> CauseJudgement? {
    guard traces.isLogAbsent, let missing = traces.missing, !missing.isInsidePage,
      traces.wounds.isEmpty,
      traces.survey.transfer == nil,
      traces.survey.firstMovedPage == nil, traces.survey.geometry?.start == 0,
      traces.wrong.isDisjoint(with: [.cellDamaged, .bytesNotRead, .headOfAnother]),
      !traces.isOnlyEndMissing || areOfTwoMoments(traces.survey)
    else { return nil }
    return .fits(
      .likely, "its log is missing, which was being copied into it",
      [
        "the file is shorter than its first page counts, and what is there is of different moments: "
          + "a checkpoint that ends sets the length",
        "there is no -wal, which is deleted only after that",
      ],
      against: [
        "power that fails just after the app was closed leaves the same on a disk that tells of writes "
          + "before they are done"
      ])
  }
}
