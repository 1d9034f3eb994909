// SPDX-License-Identifier: Apache-2.0
// Files with nothing in them.

import SQLiteFormat

enum EmptiedCause: Cause {
  static let kind = CauseKind.emptied
  static let words = CauseWords(
    title: "the file holds nothing",
    now:
      "Look on the device for a file of the same name that ends in -wal: it may hold everything. "
      + "Else only a backup has the data.",
    differently:
      "Write a copy to another name first, and give it the final one once it is complete: "
      + "then a copy that fails leaves no empty file behind.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    switch traces.survey.kind {
    case .empty:
      .fits(
        .certain, "the file has no content",
        [
          "a program that opens a database which is not there makes such a file, and so does a copy "
            + "that fails at its start"
        ])
    case .zeros:
      .fits(
        .certain, "every byte of the file is zero",
        ["space was reserved and never written, or the medium has lost what was there"])
    default: .silent
    }
  }
}
