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
    guard let free = traces.around.freeBytes else { return .silent }
    guard free < leastBytes else {
      return .ruledOut("there is room on its disk now")
    }
    let isCutOff = traces.hasHotJournal && traces.around.needsJournal == true
    let isHurt = !traces.examination.verdict.isStructureSound || isCutOff
    guard isHurt else { return .silent }
    return .fits(
      isCutOff ? .likely : .possible, "its disk has no room",
      [
        "\(grouped(free)) bytes are free on it now",
        isCutOff ? "a transaction was cut off" : nil,
      ])
  }
}
