// SPDX-License-Identifier: Apache-2.0
// A log of another state of this database: of before it was restored, or of after it was copied.

import SQLiteFormat

enum OldLogCause: Cause {
  static let kind = CauseKind.oldLog
  static let words = CauseWords(
    title:
      "the file and its log or journal are of different moments: one was put back, or copied later",
    now:
      "Do not open it: SQLite would write that log over it. Move the -wal away first, and keep it; "
      + "the file alone can be read. If the two were copied one after the other, ask for copies of one "
      + "moment: rows from between are in neither.",
    differently:
      "Delete or move away the -wal, -shm and -journal together with the file that a backup "
      + "replaces; dbrescue restore does so.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if traces.lostGeneration?.isProof == true {
      return .ruledOut("the file has pages that its log held before")
    }
    // What is left of an earlier generation may be in the file for that the log is its own.
    guard traces.lostGeneration != nil, case .fits(let fit) = relation(traces) else {
      return relation(traces)
    }
    return .fits(
      .possible, fit.happened, fit.evidence,
      against: fit.against + ["the file has pages that the log held before"], now: fit.now)
  }

  /// How log and journal relate to the file.
  private static func relation(_ traces: Traces) -> CauseJudgement {
    guard let image = traces.survey.image else { return .silent }
    if ForeignLogCause.hasLogOfOthers(traces.survey)
      || ForeignLogCause.isJournalOfOthers(in: traces.survey)
    {
      return .silent
    }
    if let judgement = logRelation(traces, image) ?? journalRelation(traces, image) {
      return judgement
    }
    return traces.hasNoLog && traces.hasNoJournal
      ? .ruledOut("neither log nor journal beside it") : .silent
  }

  /// How the log relates to the file; nil where nothing is said of it.
  private static func logRelation(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    switch image.wal {
    case .outdated:
      return .fits(
        .likely, "the -wal beside the file is of an earlier state of it",
        ["it ends before a state that the file is already in"])
    case .contradictory(let log):
      let isOwn = isOwn(log, image)
      let isSoundAlone = traces.wrong.subtracting([.walForeign]).isEmpty
      return .fits(
        isOwn && isSoundAlone ? .likely : .possible,
        "the -wal beside the file is of another state of it",
        [
          isSoundAlone
            ? "the file is sound alone, and contradicts itself with the log"
            : "the file has more alone than with the log",
          isOwn ? alike : nil,
        ], against: isOwn ? [] : [mayBeForeign])
    case .foreign(let log)
    where log.pageSize == image.geometry.pageSize
      && ForeignLogCause.namesTables(of: traces.survey, log, in: image) != false:
      let isOwn = isOwn(log, image)
      return .fits(
        isOwn ? .likely : .possible, "the -wal beside the file does not go on from it",
        [
          "no state of this file leads to the log, and the file alone is sound",
          isOwn ? alike : nil,
        ], against: isOwn ? [] : [mayBeForeign])
    case .applied where traces.survey.isLogBehind:
      return .fits(
        .possible, "the -wal beside the file may be of an earlier state of it",
        ["the header of the file has gone on from the last one in the log"])
    case .applied where traces.survey.isLogInDoubt:
      return .fits(
        .possible, "the -wal beside the file may be of another state of it",
        ["the file is sound with it and without it, and nothing ties the two together"])
    default: return nil
    }
  }

  /// How the journal relates to the file; nil where nothing is said of it.
  private static func journalRelation(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    if image.isFirstTransaction { return .silent }
    if case .contradictory(let journal) = image.journal {
      let isOwn =
        image.files.journal.map {
          LogKinship(of: journal, $0, beside: image).isProven
        } ?? false
      return .fits(
        isOwn ? .likely : .possible,
        "the -journal beside the file \(isOwn ? "is" : "may be") of an earlier state of it",
        [
          traces.journalFits == false
            ? otherBeginning : "the file is sound without it, and contradicts itself with it",
          isOwn ? alike : nil,
        ], now: journalNow)
    }
    if traces.journalFits == false {
      // Neither with the journal nor without it is the file of one moment: a file that was put back
      // is sound alone.
      return .fits(
        .possible, "the -journal beside the file is of another state of it", [otherBeginning],
        against: [
          "the file is not sound without it either: a file that is copied while a program writes, and "
            + "its journal after it, look the same"
        ],
        now:
          "Keep the file and its -journal as they are, and do not open them: SQLite would write the "
          + "one over the other. Salvage reads the two together, and sets aside what does not fit; ask "
          + "for a copy that was taken with the app closed.")
    }
    if traces.hasHotJournal, traces.isMixture {
      return .fits(
        .possible, "the -journal beside the file is of an earlier state of it",
        ["the journal counts as one of a transaction that was cut off, and its pages do not fit"])
    }
    return nil
  }

  private static let otherBeginning =
    "the file has not the change counter, or not the number of pages, with which the journal began"
  private static let alike = "its pages hold much of what the file holds"
  private static let mayBeForeign = "it may be the log of another database with the same tables"

  private static let journalNow =
    "Do not open it: SQLite would write that journal over it. Move the -journal away first, and "
    + "keep it; then look at the file again."

  /// Whether a log has what this database has, on the same pages or on others.
  private static func isOwn(_ log: WriteAheadLog, _ image: Image) -> Bool {
    guard let bytes = image.files.wal else { return false }
    return resembles(log, image) || LogKinship(of: log, bytes, beside: image).isProven
  }

  /// The most pages of a log that are compared.
  private static let comparedMax = 64

  /// Whether the pages of a log were once those of the file: most of what some of them hold stands
  /// at the same places in the file.
  private static func resembles(_ log: WriteAheadLog, _ image: Image) -> Bool {
    let frames = log.committed.filter { $0.page != .first && $0.page.number <= image.pageCount }
    var (alike, all) = (0, 0)
    for frame in frames.prefix(comparedMax) {
      guard let old = try? image.files.wal?.read(at: frame.offset, count: log.pageSize),
        let now = try? image.bytes(of: frame.page), old.count == now.count,
        // Who adds rows one by one makes interior pages that are all alike.
        let kind = BTreePage.Kind(rawValue: now[0]), kind.isLeaf
      else { continue }
      all += 1
      if KeptJournal.areAlike(old, now) { alike += 1 }
    }
    return alike * 4 >= all && alike > 0
  }
}
