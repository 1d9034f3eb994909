// SPDX-License-Identifier: Apache-2.0
// Files that were sent or stored as if they were text.

import SQLiteFormat

enum TransferredAsTextCause: Cause {
  static let kind = CauseKind.transferredAsText
  static let words = CauseWords(
    title: "it was transferred as text",
    now: "Ask for the file again, as a binary file or in a zip: the original is most likely sound.",
    differently: "Transfer databases in binary mode: FTP 'binary', 'binary' in .gitattributes, bytes "
      + "and not text in programs.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    switch traces.survey.transfer {
    case .lineFeedsExpanded(let count):
      .fits(
        .certain, "every line feed in it became carriage return and line feed",
        ["\(counted(count, "line feed")), and a carriage return before each one"],
        now: "Every such change can be taken back, and salvage does it. Better still, ask for the "
          + "file again, as a binary file or in a zip.")
    case .carriageReturnsDropped:
      .fits(
        .likely, "carriage returns before line feeds were dropped from it",
        [
          "it is too short, and of many carriage returns and line feeds none stand side by side"
        ])
    case .reencoded:
      .fits(
        .certain, "every byte of it that is no ASCII was replaced",
        ["all of them are the character that stands for what is not UTF-8"])
    case nil:
      traces.survey.image == nil
        ? .silent : .ruledOut("its line ends and its bytes are as in a binary file")
    }
  }
}
