// SPDX-License-Identifier: Apache-2.0
// A transaction that was cut off, and whose journal is gone.

import SQLiteFormat

enum JournalLostCause: Cause {
  static let kind = CauseKind.journalLost
  static let words = CauseWords(
    title: "the journal of a transaction that was cut off is gone",
    now:
      "Look on the device for a file of the same name that ends in -journal, also in the bin: with "
      + "it, everything may come back.",
    differently: "Never delete a -journal, and copy it together with its database.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.survey.image != nil, traces.header != nil else { return .silent }
    guard !traces.isWAL else { return .ruledOut("it keeps a write-ahead log, and no journal") }
    guard traces.hasNoJournal else { return .ruledOut("its journal is there") }
    if let name = traces.around.journalOfOtherName {
      return .fits(
        .likely, "the journal of a transaction that was cut off lies beside it under another name",
        ["'\(name)' belongs to no file there, and with it the database is sound"],
        now: "In a copy of the folder, give that journal the name of the database with -journal "
          + "behind it, and diagnose again: it takes back what was not finished.")
    }
    guard traces.looksMixed else { return .silent }
    return .fits(
      .possible, "a part of a transaction is in it, and the journal that takes it back is missing",
      ["every page is whole, they do not fit one another, and there is no -journal"])
  }
}
