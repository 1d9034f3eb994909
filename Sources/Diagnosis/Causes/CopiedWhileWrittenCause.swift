// SPDX-License-Identifier: Apache-2.0
// Copies that are taken page by page while a program writes.

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
    guard traces.looksMixed, traces.hasNoJournal else { return .silent }
    let isHeadOlder = traces.wrong.contains(.pageCountMismatch)
    return .fits(
      .possible, "its pages are of two moments",
      [
        "every page is whole, and they do not fit one another",
        isHeadOlder ? "its beginning is older than its end, as in a copy that takes time" : nil,
      ], against: ["writes that never reached the disk leave the same"])
  }
}
