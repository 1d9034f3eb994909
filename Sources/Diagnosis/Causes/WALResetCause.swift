// SPDX-License-Identifier: Apache-2.0
// The fault of SQLite in beginning a log anew.

import SQLiteFormat

enum WALResetCause: Cause {
  static let kind = CauseKind.walReset
  static let words = CauseWords(
    title: "a fault of SQLite lost pages of its log",
    now: "Salvage it, and have the app use a version of SQLite without that fault.",
    differently: "Use SQLite 3.51.3 or later, or 3.50.7 or 3.44.6.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.survey.image != nil, traces.header != nil else { return .silent }
    guard traces.isWAL else { return .ruledOut("it keeps no write-ahead log") }
    if let fit = skipped(traces) ?? lost(traces) { return fit }
    let rare = "it needs a second connection at the very moment, and is rare"
    if let finding = traces.findings(.walResetPossible).first, traces.isMixture {
      return .fits(
        .possible, "SQLite can have lost pages when its log began anew", [finding.message],
        against: [rare])
    }
    guard let blank = blankPages(traces) else { return .silent }
    return .fits(
      .possible, "SQLite can have lost \(pageList(blank)) when its log began anew",
      ["nothing but zeros is there, and pages behind them were written later"],
      against: [rare, "power that fails before the disk has a page leaves the same"])
  }

  /// The pages that nothing was ever written to, though pages behind them were; nil where other pages
  /// have something wrong, or the SQLite that wrote last has not the fault.
  ///
  /// A checkpoint that ends gives the file its length, also where it left out pages.
  private static func blankPages(_ traces: Traces) -> [PageNumber]? {
    guard traces.isDamaged, traces.hasNoLog, traces.missing == nil, traces.blankTail == 0,
      let header = traces.header, WriterCheck.hasWALReset(header.writerVersion),
      !traces.wounds.isEmpty, traces.wounds.allSatisfy({ $0.look == .zeros })
    else { return nil }
    return traces.wounds.map(\.page)
  }

  /// Commits of the generation before that are neither in the file nor in the log.
  private static func lost(_ traces: Traces) -> CauseJudgement? {
    guard let lost = traces.lostGeneration, let header = traces.header,
      WriterCheck.hasWALReset(header.writerVersion)
    else { return nil }
    return .fits(
      lost.isProof ? .likely : .possible,
      "SQLite has lost \(counted(lost.missing.count, "page")) of its log when that began anew",
      [
        "behind the frames of the -wal lie those of before, and the file has the pages of the later "
          + "ones of them, and not those of the earlier ones: a log begins anew only when all of "
          + "it was copied",
        "SQLite \(header.writer ?? "of that time") wrote last, which has the fault",
      ],
      against: lost.isProof
        ? [] : ["a copy that was taken while the log was copied into the file can look like this"],
      now:
        "Copy the file and its -wal now, before the app writes again: the pages that are lost may "
        + "still lie in the -wal, and the next writes go over them. Then salvage.")
  }

  /// Frames that the index of the log counts as copied, and that were left out.
  ///
  /// A checkpoint that does not see that another connection began the log anew leaves the count of
  /// the log before. The next one begins at that frame, and the frames before it never arrive.
  private static func skipped(_ traces: Traces) -> CauseJudgement? {
    guard let progress = traces.around.checkpoint, progress.isBegunLate, let header = traces.header,
      WriterCheck.hasWALReset(header.writerVersion), let image = traces.survey.image,
      case .applied(let log) = image.wal
    else { return nil }
    let index = image.files.index.flatMap { LogIndex($0) }
    let isCounted =
      progress.isScattered
      && index.map {
        $0.isProven && $0.salts == log.salts && $0.copiedCount >= progress.lastMissing
      } == true
    let isInTurns = progress.turns >= 4
    let count = counted(progress.missingCount, "page")
    return .fits(
      isCounted || isInTurns ? .likely : .possible,
      "SQLite has left out \(count) of its log: they are in the -wal only",
      [
        "the pages of the first \(grouped(progress.lastMissing)) frames of the -wal are not in the "
          + "file, and those of all later ones are: a checkpoint copies all up to one frame",
        isCounted ? "the -shm counts them as copied" : nil,
        isInTurns
          ? "pages that are in the file and pages that are not take turns \(progress.turns) times by "
            + "their numbers: a checkpoint or a copy that was cut off leaves no such order" : nil,
        "SQLite \(header.writer ?? "of that time") wrote last, which has the fault",
      ],
      against: isCounted || isInTurns
        ? [] : ["a copy that was taken while the log was copied into the file can look like this"],
      now: "Copy the file and its -wal now, before the app writes again: together they hold "
        + "everything. Then close the app, remove the -shm, and let SQLite read the log from its "
        + "beginning.")
  }
}
