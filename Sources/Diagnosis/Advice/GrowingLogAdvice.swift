// SPDX-License-Identifier: Apache-2.0
// A write-ahead log that is longer than its database: checkpoints do not come to their end.

import SQLiteFormat

enum GrowingLogAdvice: Adviser {
  static let kind = AdviceKind.growingLog
  static let words = AdviceWords(
    title: "the write-ahead log grows",
    costs:
      "Reads get slower with the length of the log, the next start has to go through all of it, "
      + "and a copy of the database without its log misses what is in it.",
    action: "Look for a reader that never ends, such as a statement that is not reset or a "
      + "transaction that stays open, and for an app that has turned automatic checkpoints off; then "
      + "have the log copied back and emptied, while no reader is at work.",
    unless:
      "Leave it where one large transaction, such as an import, has just been made: the log is "
      + "used again from its start after the next checkpoint.")

  /// By default SQLite copies a log back that has a thousand pages.
  private static let leastFrames = 4000

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    guard case .applied(let log) = basis.image.wal, let source = basis.image.files.wal else {
      return nil
    }
    let used = (basis.pageCount - basis.freePages) * basis.pageSize
    let frames = log.applied.count
    guard frames >= leastFrames, source.byteCount > used else { return nil }
    return AdviceTrait(
      found: "the log has \(grouped(source.byteCount)) bytes with \(grouped(frames)) pages that "
        + "were not copied back before it went on, and the database uses \(grouped(used))",
      figures: ["logBytes": source.byteCount, "logPages": frames, "usedBytes": used],
      sql: ["PRAGMA wal_checkpoint(TRUNCATE);"])
  }
}
