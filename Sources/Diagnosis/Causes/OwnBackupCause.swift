// SPDX-License-Identifier: Apache-2.0
// A backup of this program, given in place of a database.

enum OwnBackupCause: Cause {
  static let kind = CauseKind.ownBackup
  static let words = CauseWords(
    title: "this is a dbrescue backup, and not the database",
    now:
      "Nothing is wrong with it as far as this tells. Get the database out of it with dbrescue vault "
      + "extract BACKUP --output NEW, which proves every byte, or put it back with dbrescue restore "
      + "DATABASE --from BACKUP.",
    differently: "Give dbrescue diagnose the database itself, and its backups to dbrescue vault.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.survey.kind == .backup else { return .silent }
    guard let backup = traces.around.ownBackup else {
      return .fits(.certain, "the file is a backup that dbrescue has made", [])
    }
    let size = backup.byteCount.map { ", \(grouped($0)) bytes" } ?? ""
    return .fits(
      .certain,
      "the file is a backup of '\(backup.database)' that dbrescue made on \(backup.made) "
        + "(version \(backup.userVersion)\(size))",
      [backup.isComplete ? nil : "its end mark is missing: the backup is not complete"],
      now: backup.isGood
        ? "Put it back with dbrescue restore DATABASE --from BACKUP, where DATABASE is the "
          + "'\(backup.database)' that the app opens, or get it out with dbrescue vault extract "
          + "BACKUP --output NEW, which proves every byte."
        : nil)
  }
}
