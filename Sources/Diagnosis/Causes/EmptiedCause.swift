// SPDX-License-Identifier: Apache-2.0
// Files with nothing in them, or nothing any more.

import SQLiteFormat

enum EmptiedCause: Cause {
  static let kind = CauseKind.emptied
  static let words = CauseWords(
    title: "the file holds nothing, or was made anew",
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
        [
          "space was reserved and never written, the medium has lost what was there, or a cloud folder "
            + "has not fetched the file yet"
        ])
    case .erased:
      .fits(
        .certain, "every byte of the file is 255",
        ["flash memory that was erased and not written again reads like this"])
    default: traces.survey.image.flatMap { onlyLog(traces, $0) ?? madeAnew(traces) } ?? .silent
    }
  }

  /// A database that was made anew in the place of the one that its newest backup holds.
  ///
  /// What SQLite writes to a file only raises its change counter, also VACUUM and the deletion of all
  /// rows: a lower one is that of another file, and one with few rows was not copied there.
  private static func madeAnew(_ traces: Traces) -> CauseJudgement? {
    guard traces.examination.lacksMostOfBackup, let before = traces.around.before,
      let then = before.changeCounter, let now = traces.header?.changeCounter, now < then
    else { return nil }
    let (had, has) = (
      before.rows.values.reduce(0, +),
      traces.survey.userTables.values.reduce(0) { $0 + $1.records }
    )
    return .fits(
      .likely, "the database was made anew, and lacks most rows of its newest backup",
      [
        "its change counter is \(now), and that of backup \(before.backup) is \(then): what SQLite "
          + "writes to a file only raises it",
        "it has \(counted(has, "row")), and the backup \(grouped(had))",
      ],
      against: ["an app that is reset or signed out on purpose leaves the same"],
      now:
        "Nothing is damaged. If nobody meant to begin anew, do not let the app go on with it: compare "
        + "the two, and restore the backup; what came since is kept aside.",
      differently:
        "Have the app ask before it begins with a new database where one was, and keep the old file."
    )
  }

  /// A database of which nothing but the log or journal is there.
  private static func onlyLog(_ traces: Traces, _ image: Image) -> CauseJudgement? {
    guard let standIn = traces.survey.standIn, [.empty, .zeros, .erased].contains(standIn),
      traces.isDamaged
    else { return nil }
    if case .applied(let log) = image.wal {
      return .fits(
        .certain, "the file has no content, and its log lies beside it",
        [
          "the -wal holds \(counted(Set(log.committed.map(\.page)).count, "page")) of "
            + "\(grouped(image.pageCount)): the file was emptied or deleted without it"
        ],
        now: "Do not open it, and keep the -wal: SQLite may delete it. Salvage reads what the log "
          + "holds; look for a copy of the file as well.")
    }
    guard case .applied(let journal) = image.journal else { return nil }
    return .fits(
      .certain, "the file has no content, and a journal lies beside it",
      [
        "the -journal holds \(counted(Set(journal.allRecords.map(\.page)).count, "page")) of "
          + "\(grouped(journal.pageCount)) as they were before a transaction: the file was emptied or "
          + "deleted without it"
      ],
      now:
        "Do not open it, and keep the -journal: SQLite may delete it. Salvage reads what the journal "
        + "holds; look for a copy of the file as well.")
  }
}
