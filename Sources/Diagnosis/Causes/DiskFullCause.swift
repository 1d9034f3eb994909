// SPDX-License-Identifier: Apache-2.0
// Disks without room.

enum DiskFullCause: Cause {
  static let kind = CauseKind.diskFull
  static let words = CauseWords(
    title: "the disk is full",
    now:
      "Make room first: without it neither the app nor a repair can write, and what is tried then "
      + "can cost more.",
    differently: "Watch the free space, and have migrations look for room for a copy before they "
      + "begin.")

  /// Less than this, and SQLite cannot finish a transaction of any size.
  private static let leastBytes = 1 << 16

  static func judgement(of traces: Traces) -> CauseJudgement {
    // Room that is there now may have been made since, or be that of another disk.
    guard let free = traces.around.freeBytes, free < leastBytes else { return .silent }
    let mark = mark(of: traces)
    guard mark != nil || !traces.examination.verdict.isStructureSound else { return .silent }
    return .fits(
      mark == nil ? .possible : .likely, "its disk has no room",
      ["\(grouped(free)) bytes are free on it now", mark])
  }

  /// What a disk without room leaves of a file; nil where it shows nothing of that.
  private static func mark(of traces: Traces) -> String? {
    // A process that has the file open may go on with its transaction.
    let isCutOff =
      traces.hasHotJournal && traces.around.needsJournal == true || traces.isLogOpen
    if isCutOff, traces.examination.use.writers.isEmpty {
      return "a transaction was cut off"
    }
    if traces.survey.kind == .empty { return "the file was begun, and nothing could be written" }
    // A disk is full at the end of a block.
    guard let missing = traces.missing, missing.present % Scar.sector == 0, traces.isOnlyEndMissing
    else { return nil }
    return "the end of the file is missing from a block on"
  }
}
