// SPDX-License-Identifier: Apache-2.0
// Files whose end is missing: a transfer or a copy that did not come to its end.

import SQLiteFormat

enum CutOffCause: Cause {
  static let kind = CauseKind.cutOff
  static let words = CauseWords(
    title: "it was cut off",
    now: "Ask for the file again, and compare its size with the one on the device: the original is "
      + "most likely whole.",
    differently:
      "Compare the size or a digest after each transfer, and look for free space before a "
      + "copy.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if let count = traces.survey.cutHeaderCount {
      return .fits(
        .certain, "the file is cut off: it ends inside its header",
        [
          "\(counted(count, "byte")) are there, which begin as every database does; the header has "
            + "\(DatabaseHeader.byteCount)"
        ])
    }
    guard traces.isDamaged else { return cutLog(traces) ?? .silent }
    if traces.survey.image?.files.main.byteCount == 0 { return .silent }
    if traces.isOlderThanLog {
      return .ruledOut("it has all the pages that its own first page counts; its log counts more")
    }
    guard let missing = traces.missing, !traces.isConverted else { return noneMissing(traces) }
    return judgement(of: missing, in: traces)
  }

  /// What is said of a file that has all of its bytes.
  private static func noneMissing(_ traces: Traces) -> CauseJudgement {
    if traces.blankTail > 1 {
      return .fits(
        .possible, "the last \(traces.blankTail) pages were reserved and never written",
        ["they are zeros, and something should be on them: a download that stopped leaves this"])
    }
    let isWhole = traces.header?.isPageCountValid == true && !traces.codes.contains(.truncated)
    return isWhole && !traces.codes.contains(.partialLastPage)
      ? .ruledOut("it has all the pages that it counts") : .silent
  }

  /// What is said of bytes that are missing at the end.
  private static func judgement(
    of missing: Traces.Missing, in traces: Traces
  ) -> CauseJudgement {
    let happened =
      "the file is cut off: \(grouped(missing.present)) of \(grouped(missing.expected)) bytes are "
      + "there, \(missing.percent) % are missing at its end"
    let place =
      missing.isInsidePage
      ? "it ends inside a page, where SQLite ends no file that it could write to the end"
      : missing.present % 65536 == 0
        ? "it ends at a multiple of 65,536 bytes, as copies and transfers do" : nil
    guard traces.isOnlyEndMissing else {
      return .fits(
        .possible, happened, [place],
        against: ["something else is wrong in what is there"])
    }
    let rest = "what is there is sound"
    if traces.examination.use.packing?.damage != nil {
      return .fits(.certain, happened, ["the archive that it came in is not whole", rest])
    }
    // A file system loses whole blocks.
    if missing.isInsidePage, missing.present % 4096 != 0 {
      return .fits(
        .likely, happened, [place, rest],
        against: [
          "a quota that stopped a commit without a journal leaves the same, and then there is no whole "
            + "original"
        ])
    }
    // A checkpoint that grows the file writes the page first that counts the others.
    if traces.isWAL, traces.isLogAbsent {
      return .fits(
        .possible, happened, [place, rest],
        against: ["a copy that was taken without its -wal in a checkpoint ends like this too"])
    }
    guard traces.leadsBeyondEnd else {
      return .fits(
        .possible, happened, [place, rest],
        against: [
          "nothing that is there leads to what is missing: the number of pages may be wrong"
        ])
    }
    // Power that fails takes the last writes, and seldom a good part of the file.
    guard missing.percent >= 10, place != nil else {
      return .fits(
        .possible, happened, [place, rest],
        against: ["the last writes before a power cut can be missing like this"])
    }
    return .fits(.likely, happened, [place, rest])
  }

  /// A log that ends inside a frame, beside a file that is sound with what is there of it.
  private static func cutLog(_ traces: Traces) -> CauseJudgement? {
    guard let byteCount = traces.byteCountOfCutLog else { return nil }
    return .fits(
      .possible, "its -wal is cut off: what was committed behind its end, if anything, is missing",
      [
        byteCount % 65536 == 0
          ? "it ends at a multiple of 65,536 bytes, as copies and transfers do"
          : "it ends inside a frame, which SQLite writes whole"
      ],
      against: ["power that fails, or a disk without room, can leave a part of a frame as well"],
      now:
        "Ask for the -wal again, and compare its size with the one on the device. Until then, open "
        + "neither: SQLite goes on without what is missing.")
  }
}
