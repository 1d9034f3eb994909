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
    if traces.examination.verdict.isStructureSound {
      if traces.hasHotJournal, traces.journalFits != false {
        let isNeeded = traces.around.needsJournal == true
        return .fits(
          isNeeded ? .certain : .possible,
          "a transaction was cut off, and nothing is lost by it",
          [
            "the -journal beside it is hot: it takes back all that had arrived of the transaction",
            isNeeded ? "without it, the file contradicts itself" : nil,
          ],
          against: isNeeded
            ? [] : ["the file is sound without it too: it may be left from before a restore"])
      }
      if case .applied(let log) = image.wal, endsOpen(log) {
        return .fits(
          .likely, "the last transaction was not finished, and does not count",
          ["the -wal ends in the middle of it"],
          against: ["files that are copied in the moment of a write end like this too"])
      }
      return .silent
    }
    if traces.survey.transfer != nil { return .silent }
    let blank = traces.scars.filter { $0.look == .zeros }.map(\.page)
    if traces.blankTail == 0, !blank.isEmpty, traces.missing == nil {
      return .fits(
        .possible, "\(pageList(blank, "was", "were")) never written",
        ["nothing but zeros is there: power can fail before the disk has a page"],
        against: ["a disk that lost what it had gives zeros too"])
    }
    if traces.blankTail > 0 {
      return .fits(
        .possible, "\(counted(traces.blankTail, "page")) at the end were never written",
        ["they are zeros, and something should be on them: power failed before the disk had them"],
        against: ["a download that reserved its space and stopped leaves the same"])
    }
    let torn = traces.wounds.filter { $0.look == .other }.map(\.page)
    if !torn.isEmpty, torn.count == traces.wounds.count, torn.count <= 4 {
      return .fits(
        .possible, "\(pageList(torn)) may be in part of one moment and in part of another",
        ["a page that is begun and not finished when power fails is torn like this"],
        against: ["bytes that somebody or something changed look the same"])
    }
    guard traces.looksMixed else { return .silent }
    return .fits(
      .possible, "some of the last writes never reached the disk",
      ["every page is whole, and they are of different moments"],
      against: ["a copy that is taken while a program writes looks the same"])
  }
}

/// Whether a log ends inside a transaction, with nothing behind it.
private func endsOpen(_ log: WriteAheadLog) -> Bool {
  guard log.commitsAfterBreak == 0, log.continued.isEmpty else { return false }
  switch log.ending {
  case .cutOff, .checksumBroken: return true
  case .complete: return !log.uncommitted.isEmpty
  case .olderGeneration, .saltsChanged: return !log.uncommitted.isEmpty
  }
}
