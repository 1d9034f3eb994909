// SPDX-License-Identifier: Apache-2.0
// Files of a database that were deleted or moved away under a process that has them open.

import SQLiteFormat

enum HeldApartCause: Cause {
  static let kind = CauseKind.heldApart
  static let words = CauseWords(
    title: "a process goes on with files that were deleted or moved away",
    now: "Let that process run: what it has committed is in no other file. Copy it with dbrescue "
      + "backup DATABASE --from-process NUMBER, and only then end the process.",
    differently:
      "Close a database before its files are replaced, moved or deleted, its -wal and -shm "
      + "included.")

  private static let journalNow =
    "Let that process end what it does: as long as it runs, it can finish its transaction or take it "
    + "back. Where it is killed first, nothing takes back what has arrived of it."

  static func judgement(of traces: Traces) -> CauseJudgement {
    let findings = traces.findings(.fileHeldApart)
    if let first = findings.first {
      let isJournal = traces.examination.use.heldApart.allSatisfy { $0.role == .journal }
      return .fits(
        .certain, first.message, findings.dropFirst().map(\.message),
        now: isJournal ? journalNow : nil)
    }
    return .silent
  }
}
