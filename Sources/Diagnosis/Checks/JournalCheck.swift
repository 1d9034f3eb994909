// SPDX-License-Identifier: Apache-2.0
// The rollback journal: does a transaction have to be taken back, and can it be?

import SQLiteFormat

enum JournalCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let image = survey.image else { return [] }
    switch image.journal {
    case .absent: return []
    case .stale: return [Finding(.journalStale, "the -journal is not hot and is not applied")]
    case .otherPageSize(let journal):
      return [
        Finding(
          .journalForeign,
          "the pages of the -journal have \(journal.pageSize) bytes, those of the database "
            + "\(image.geometry.pageSize): SQLite writes them over it when it is opened")
      ]
    case .contradictory where image.isFirstTransaction:
      return [
        Finding(
          .sidecarDeleted,
          "the -journal is that of the first transaction, which was cut off: SQLite empties the file "
            + "when it is opened")
      ]
    case .contradictory where survey.lacksOwnJournal:
      return [
        Finding(
          .journalForeign,
          "the -journal is of a transaction that the file may have in part: it is left out, and SQLite "
            + "writes it over the database when it is opened", severity: .loss)
      ]
    case .contradictory where survey.isBehindJournal:
      return [
        Finding(
          .journalForeign,
          "the -journal is of a later state of the database, whose changes the file has not: it is left "
            + "out, and SQLite writes it over the database when it is opened")
      ]
    case .contradictory:
      return [
        Finding(
          .journalForeign,
          "the -journal did not begin from this state of the database, or contradicts it: it is left "
            + "out, and SQLite writes it over the database when it is opened")
      ] + (image.missesJournalRecords ? [cut] : [])
    case .applied(let journal):
      let hot = Finding(.hotJournal, "a transaction was cut off; \(pagesTaken(from: journal))")
      if journal.isCut { return [hot, cut] }
      return journal.isBroken ? [hot, continued(journal)] : [hot]
    }
  }

  /// How many pages count as a journal has them, in words.
  private static func pagesTaken(from journal: RollbackJournal) -> String {
    let count = Set(journal.allRecords.map(\.page)).count
    return "\(counted(count, "page is", "pages are")) taken from the -journal"
  }

  /// The finding of a transaction that a process may be in the midst of; nil where no journal counts.
  static func open(in survey: Survey, of writer: String) -> Finding? {
    guard case .applied(let journal) = survey.image?.journal else { return nil }
    return Finding(
      .hotJournal,
      "a transaction is open, and \(writer) has the database open and may be in its midst; "
        + pagesTaken(from: journal))
  }

  private static let cut = Finding(.journalDamaged, "the -journal breaks before its end")

  /// What SQLite would not play back of a journal that was damaged.
  private static func continued(_ journal: RollbackJournal) -> Finding {
    Finding(
      .journalDamaged,
      "the -journal is damaged: \(counted(journal.continued.count, "page")) of it belong to the same "
        + "transaction, as their checksums prove, and SQLite would not take them back",
      severity: .damage)
  }
}
