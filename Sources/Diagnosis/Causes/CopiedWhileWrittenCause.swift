// SPDX-License-Identifier: Apache-2.0
// Copies that are taken page by page while a program writes.

import SQLiteFormat

enum CopiedWhileWrittenCause: Cause {
  static let kind = CauseKind.copiedWhileWritten
  static let words = CauseWords(
    title: "it was copied while a program wrote to it",
    now:
      "If this is a copy, ask for another one, taken with dbrescue backup or with the app closed: "
      + "the original may be sound.",
    differently:
      "Back up with SQLite's backup call, VACUUM INTO or dbrescue backup, and never with cp, "
      + "rsync or a snapshot of the file alone.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if traces.isDamaged, traces.isOlderThanLog {
      return .fits(
        .possible, "the file was copied before a checkpoint, and its log after one",
        [
          "the file has all the pages that its own first page counts, and its log goes on from a later "
            + "state: what was written between the two is missing"
        ], against: ["an older file that was put beside a newer log looks the same"])
    }
    guard traces.looksMixed, traces.hasNoJournal else { return .silent }
    if let fit = readFromBeginning(traces) { return fit }
    let isHeadOlder = traces.wrong.contains(.pageCountMismatch)
    return .fits(
      .possible, "its pages are of two moments",
      [
        "every page is whole, and they do not fit one another",
        isHeadOlder ? "its beginning is older than its end, as in a copy that takes time" : nil,
      ], against: ["writes that never reached the disk leave the same"])
  }

  /// A file whose beginning is of an earlier moment than its end.
  ///
  /// Who copies reads from beginning to end, so that what comes later in the file is newer. SQLite
  /// writes in that order too, in a commit and in a checkpoint, and page 1 first: there, what comes
  /// first is newer. The number of pages in page 1 tells the two apart.
  private static func readFromBeginning(_ traces: Traces) -> CauseJudgement? {
    guard let image = traces.survey.image, let header = traces.header, header.isPageCountValid,
      header.pageCount < image.pageCount || !traces.isWAL && traces.missing?.isInsidePage == false,
      let seam = PagePairs(in: traces.survey)?.seam
    else { return nil }
    let isLonger = header.pageCount < image.pageCount
    return .fits(
      .likely,
      "its pages up to \(seam.before) are of one moment, and those from \(seam.behind) on of a "
        + "later one",
      [
        "\(grouped(seam.pairCount)) pairs of pages contradict each other, and each has one of its two "
          + "on either side of one place: a copy that is read from beginning to end looks like this",
        "its first page counts \(grouped(header.pageCount)) pages, and the file has "
          + (isLonger ? "more" : "fewer") + ": it was read when the file had another length",
      ])
  }
}
