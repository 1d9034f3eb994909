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
    guard let finding = traces.findings(.databaseOlder).first else { return ancestor(traces) }
    return .fits(.likely, finding.message, [])
  }

  /// A file in the place of which another one was, with nothing that its newest backup has not: an
  /// older state of the same, or the one that the app is installed with.
  ///
  /// An app that makes its database anew counts from the beginning, and has few of its rows. One that
  /// deletes rows, or writes the file anew from itself, counts on.
  private static func ancestor(_ traces: Traces) -> CauseJudgement {
    guard traces.examination.verdict.isStructureSound, let before = traces.around.before,
      let then = before.changeCounter, let now = traces.header?.changeCounter, now < then
    else { return .silent }
    guard let overlap = before.overlap, !overlap.hasOwn, overlap.mostSame >= 8,
      overlap.common > overlap.onlyBackup, overlap.onlyBackup + overlap.changed > 0
    else { return .silent }
    let isFar = now <= then / 2
    return .fits(
      isFar ? .possible : .likely, "the file is an older state of what its newest backup holds",
      [
        "its change counter is \(now), and that of backup \(before.backup) is \(then): what SQLite "
          + "writes to a file only raises it",
        "every row of it is in the backup, and the backup has newer ones",
      ],
      against: ["an app that fills a database anew from a server can leave the same"])
  }
}
