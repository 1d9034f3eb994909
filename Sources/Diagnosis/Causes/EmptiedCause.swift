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
        [
          "space was reserved and never written, the medium has lost what was there, or a cloud folder "
            + "has not fetched the file yet"
        ])
    case .erased:
      .fits(
        .certain, "every byte of the file is 255",
        ["flash memory that was erased and not written again reads like this"])
    default: traces.survey.image.map { onlyLog(traces, $0) } ?? .silent
    }
  }

  /// A database of which nothing but the log or journal is there.
  private static func onlyLog(_ traces: Traces, _ image: Image) -> CauseJudgement {
    guard let standIn = traces.survey.standIn, [.empty, .zeros, .erased].contains(standIn),
      traces.isDamaged
    else { return .silent }
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
    guard case .applied(let journal) = image.journal else { return .silent }
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
