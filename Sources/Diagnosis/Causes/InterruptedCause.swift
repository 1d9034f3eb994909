// SPDX-License-Identifier: Apache-2.0
// Kills and power cuts: a transaction that has a beginning and no end.

import SQLiteFormat

enum InterruptedCause: Cause {
  static let kind = CauseKind.interrupted
  static let words = CauseWords(
    title:
      "a transaction was cut off: the program was killed, lost power, or was copied in its midst",
    now: "SQLite takes back what was not finished when the app opens the file, its -wal and its "
      + "-journal: keep the three together, and let the app do it.",
    differently:
      "Keep PRAGMA synchronous at FULL or NORMAL, and do not kill the app while it writes; "
      + "on devices that lose power, use WAL mode and a disk that tells the truth about writes.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let image = traces.survey.image else { return .silent }
    if image.isFirstTransaction {
      let writer = traces.examination.use.writerInWords
      return .fits(
        writer == nil ? .likely : .possible,
        "the first transaction of the file was cut off, such as that of a copy or import",
        [
          "the -journal beside it says that there were no pages before: \(counted(image.pageCount, "page")) "
            + "had arrived, and were never committed"
        ], against: writer.map { ["\($0) has the file open, and may be in its midst"] } ?? [],
        now:
          "Do not open it: SQLite empties it. Where it is a copy, take it again from the original; "
          + "else copy both files first, and salvage what has arrived.")
    }
    if traces.examination.verdict.isStructureSound { return unfinished(traces) }
    if traces.survey.transfer != nil { return .silent }
    if let fit = neverWritten(traces) ?? torn(traces) ?? lost(traces) { return fit }
    guard traces.looksMixed else { return .silent }
    return .fits(
      .possible, "some of the last writes never reached the disk",
      ["every page is whole, and they are of different moments"],
      against: ["a copy that is taken while a program writes looks the same"])
  }

  /// A transaction without an end in a file that is sound.
  private static func unfinished(_ traces: Traces) -> CauseJudgement {
    if let writer = traces.examination.use.writerInWords {
      return inUse(by: writer, traces) ?? .silent
    }
    if traces.hasHotJournal, traces.journalFits != false {
      let isNeeded = traces.around.needsJournal == true
      let isInDoubt = traces.survey.isJournalInDoubt
      return .fits(
        isNeeded ? .certain : .possible,
        isInDoubt
          ? "a transaction was cut off" : "a transaction was cut off, and nothing is lost by it",
        [
          "the -journal beside it is hot: it takes back all that had arrived of the transaction",
          isNeeded ? "without it, the file contradicts itself" : nil,
        ],
        against: isNeeded
          ? [] : ["the file is sound without it too: it may be left from before a restore"],
        now: isInDoubt
          ? "Copy the file and its -journal before anything opens them: SQLite takes back what the "
            + "journal does not have, and salvage sets it aside."
          : nil)
    }
    if traces.around.needsLog == true, let progress = traces.around.checkpoint, progress.isCutOff {
      return .fits(
        .likely,
        "the log was being copied into the file, and that was cut off: nothing is lost by it",
        [
          "\(counted(progress.copiedCount, "page")) of the -wal are in the file, and "
            + "\(grouped(progress.missingCount)) are not",
          "without the -wal, the file contradicts itself",
        ], against: ["files that are copied in that moment look like this too"])
    }
    guard traces.isLogOpen else { return .silent }
    // A program that is killed has written whole frames, and a log that was cut off seldom ends so.
    return .fits(
      traces.byteCountOfCutLog == nil ? .likely : .possible,
      "the last transaction was not finished, and does not count",
      ["the -wal ends in the middle of it"],
      against: ["files that are copied in the moment of a write end like this too"])
  }

  /// A transaction without an end in a file that a process has open: that process may go on with it.
  private static func inUse(by writer: String, _ traces: Traces) -> CauseJudgement? {
    let isCheckpoint = traces.around.needsLog == true && traces.around.checkpoint?.isCutOff == true
    guard traces.hasHotJournal && traces.journalFits != false || isCheckpoint || traces.isLogOpen
    else { return nil }
    return .fits(
      .possible, "\(writer) may be in the midst of a transaction, or one was cut off before",
      [
        traces.hasHotJournal
          ? "the -journal beside it is hot" : "the -wal holds more than has come to its end"
      ],
      against: [
        "\(writer) has the file open and can write to it: nothing says that it was cut off"
      ],
      now: "Leave the file, its -wal and its -journal as they are, and look again when the app has "
        + "ended its transaction or is closed: its last commit is whole until then.")
  }

  /// Pages of which nothing was written.
  private static func neverWritten(_ traces: Traces) -> CauseJudgement? {
    if traces.blankTail > 0 {
      return .fits(
        .possible, "\(counted(traces.blankTail, "page")) at the end were never written",
        ["they are zeros, and something should be on them: power failed before the disk had them"],
        against: ["a download that reserved its space and stopped leaves the same"])
    }
    let blank = traces.scars.filter { $0.look == .zeros && $0.isOwned }.map(\.page)
    guard !blank.isEmpty, traces.missing == nil else { return nil }
    return .fits(
      .possible, "\(pageList(blank, "was", "were")) never written",
      ["nothing but zeros is there: power can fail before the disk has a page"],
      against: ["a disk that lost what it had gives zeros too"])
  }

  /// Pages of which a part was written.
  private static func torn(_ traces: Traces) -> CauseJudgement? {
    if let end = traces.unfinishedEnd {
      return .fits(
        .likely, "\(pageList(end.pages)) at the end of the file were begun, and not finished",
        [
          "of each of them the first \(grouped(end.byteCount)) bytes are there and the rest is zeros: "
            + "power failed before the disk had it"
        ])
    }
    let proven = traces.tornPages
    if !proven.isEmpty, proven.count == traces.wounds.count {
      return .fits(
        .likely, "\(pageList(proven, "is", "are")) in part of one moment and in part of another",
        [
          "the beginning was written and the end was not: rows of before lie there whole, and the "
            + "beginning leads past them"
        ])
    }
    let torn = traces.wounds.filter { $0.look == .other }.map(\.page)
    guard !torn.isEmpty, torn.count == traces.wounds.count, torn.count <= 4 else { return nil }
    return .fits(
      .possible, "\(pageList(torn)) may be in part of one moment and in part of another",
      ["a page that is begun and not finished when power fails is torn like this"],
      against: ["bytes that somebody or something changed look the same"])
  }

  /// Single writes that did not arrive.
  private static func lost(_ traces: Traces) -> CauseJudgement? {
    if let missing = traces.missing, missing.isInsidePage, missing.present % Scar.sector == 0,
      let size = traces.header?.pageSize, missing.expected - missing.present < size
    {
      return .fits(
        .possible, "its last page was begun, and not finished",
        ["no other page is missing: power can fail while a file grows"],
        against: ["a copy that was cut off just there ends like this too"])
    }
    if let missing = traces.missing, !missing.isInsidePage, traces.isOnlyEndMissing,
      let size = traces.header?.pageSize, let count = traces.header?.pageCount,
      missing.expected - missing.present <= max(8, count / 10) * size
    {
      return .fits(
        .possible, "the last pages of a transaction were not written",
        ["whole pages are missing at its end: no room, or a quota, stops a file where it grows"],
        against: ["a copy that was cut off just there ends like this too"])
    }
    guard traces.indexDoubt == .possible else { return nil }
    return .fits(
      .possible, "a write to a table was lost, and not the one to its index",
      [
        "the two are whole, and do not fit one another",
        traces.isTableOlder
          ? "what differs lies on few pages of the table, and its entries on many pages of the index"
          : nil,
      ],
      against: traces.isTableOlder
        ? ["a program that writes rows without their indexes can leave the same"]
        : ["if the write to the index was lost, no row is gone"])
  }
}
