// SPDX-License-Identifier: Apache-2.0
// Databases that went back in time.

import SQLiteFormat

enum PutBackCause: Cause {
  static let kind = CauseKind.putBack
  static let words = CauseWords(
    title: "an older copy was put in its place, or its log was lost",
    now:
      "Do not let the app go on with it: what came since is in the backup only. Compare the two, "
      + "and restore the backup.",
    differently: "Find out what put it back: a restored volume, a synchronised folder, a container "
      + "without its own storage. dbrescue backup refuses such a state where the file itself proves it."
  )

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let finding = traces.findings(.databaseOlder).first else {
      return olderThanJournal(traces) ?? ancestor(traces)
    }
    return .fits(.likely, finding.message, [])
  }

  /// A file that is older than the pages in the journal that is kept beside it.
  ///
  /// They are as they were before the last transaction, which only raises the counter.
  private static func olderThanJournal(_ traces: Traces) -> CauseJudgement? {
    guard traces.examination.verdict.isStructureSound, let image = traces.survey.image,
      let now = traces.header?.changeCounter, let journal = KeptJournal(beside: image),
      Int32(bitPattern: journal.changeCounter &- now) > 0
    else { return nil }
    return .fits(
      journal.isKin ? .likely : .possible,
      "the file is an older state than the journal that is kept beside it",
      [
        "its change counter is \(now), and in the -journal it is \(journal.changeCounter), from "
          + "before the last transaction",
        journal.isKin ? "pages in it hold much of what the file holds" : nil,
      ], against: journal.isKin ? [] : ["the journal may be that of another database"],
      now:
        "Do not let the app go on with it before somebody has looked for the newer file: what was "
        + "written since is in no file that is here. Keep the -journal, which has some of it.")
  }

  /// A file in the place of which another one was, with nothing that its newest backup has not: an
  /// older state of the same, or the one that the app is installed with.
  ///
  /// An app that makes its database anew counts from the beginning, and has few of its rows. One that
  /// deletes rows, or writes the file anew from itself, counts on.
  private static func ancestor(_ traces: Traces) -> CauseJudgement {
    guard traces.examination.verdict.isStructureSound, let now = traces.header?.changeCounter else {
      return .silent
    }
    if let before = traces.around.before, let then = before.changeCounter,
      let overlap = before.overlap, now < then, isAncestor(by: overlap)
    {
      let isFar = now <= then / 2
      return .fits(
        isFar ? .possible : .likely, "the file is an older state of what its newest backup holds",
        evidence(now, then, "backup \(before.backup)"),
        against: ["an app that fills a database anew from a server can leave the same"])
    }
    guard let copy = traces.around.copy, !copy.isOfConflict, now < copy.changeCounter,
      isAncestor(by: copy.overlap)
    else { return .silent }
    return .fits(
      copy.sharesPages ? .likely : .possible,
      "the file is an older state of what '\(copy.name)' beside it holds",
      evidence(now, copy.changeCounter, "'\(copy.name)'")
        + (copy.sharesPages ? ["most of its pages are the same in both"] : []),
      against: ["somebody may have put it back on purpose, and kept the newer one"],
      now:
        "Do not let the app go on with it: what came since is in '\(copy.name)'. Compare the two, "
        + "and put the newer one back.")
  }

  private static func evidence(_ now: UInt32, _ then: UInt32, _ other: String) -> [String] {
    [
      "its change counter is \(now), and that of \(other) is \(then): what SQLite writes to a file "
        + "only raises it",
      "every row of it is in \(other), which has newer ones",
    ]
  }

  /// Whether a file has nothing that another one has not, and that has more.
  private static func isAncestor(by overlap: Circumstances.Overlap) -> Bool {
    !overlap.hasOwn && overlap.mostSame >= 8 && overlap.common > overlap.onlyBackup
      && overlap.onlyBackup + overlap.changed > 0
  }
}
