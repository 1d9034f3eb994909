// SPDX-License-Identifier: Apache-2.0
// A log of another database beside this one.

import SQLiteFormat

enum ForeignLogCause: Cause {
  static let kind = CauseKind.foreignLog
  static let words = CauseWords(
    title: "the log of another database lies beside it",
    now:
      "Do not open it: SQLite would write that log over it. Move the -wal away first, and keep it; "
      + "the file alone can be read.",
    differently:
      "Move, copy and restore a database together with its -wal and -journal, and delete "
      + "those that belong to a file which is replaced.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let image = traces.survey.image else { return .silent }
    if traces.lostGeneration?.isProof == true {
      return .ruledOut("the file has pages that its log held before")
    }
    return journalJudgement(traces.survey, image) ?? logJudgement(traces.survey, image)
  }

  /// What speaks for the journal of another database; nil where there is none to judge.
  private static func journalJudgement(_ survey: Survey, _ image: Image) -> CauseJudgement? {
    let now = words.now.replacing("-wal", with: "-journal").replacing("log", with: "journal")
    if case .otherPageSize(let journal) = image.journal {
      return .fits(
        .likely, "the -journal beside the file is that of another database, or of an earlier one",
        [
          "its pages have \(grouped(journal.pageSize)) bytes, those of the database "
            + grouped(image.geometry.pageSize)
        ], now: now)
    }
    if case .contradictory = image.journal, !image.isFirstTransaction {
      return isJournalOfOthers(in: survey)
        ? .fits(
          .likely, "the -journal beside the file is that of another database",
          ["no table of this database is in the schema that it holds"], now: now)
        : .fits(
          .possible, "the -journal beside the file may be that of another database",
          ["the file is sound without it"], now: now)
    }
    return nil
  }

  /// What speaks for the log of another database, and against it.
  private static func logJudgement(_ survey: Survey, _ image: Image) -> CauseJudgement {
    if hasLogOfOthers(survey) {
      return .fits(
        .likely, "the -wal beside the file was written for another database",
        ["no table of this database is in the schema that it holds"])
    }
    switch image.wal {
    case .foreign(let log) where log.pageSize != image.geometry.pageSize:
      return .fits(
        .likely, "the -wal beside the file was not written for it",
        [
          "its pages have \(grouped(log.pageSize)) bytes, those of the database "
            + grouped(image.geometry.pageSize)
        ])
    case .foreign(let log):
      switch namesTables(of: survey, log, in: image) {
      case false?:
        return .fits(
          .likely, "the -wal beside the file was written for another database",
          ["no table of this database is in the schema that it holds"])
      case true?:
        return .fits(
          .possible, "the -wal beside the file may be that of another database of the same app",
          ["it has the tables of this app, and no state of this file leads to it"])
      case nil:
        guard let bytes = image.files.wal,
          LogDescent(
            bare: image, log: log, bytes: bytes,
            roots: { Set(survey.trees.compactMap(\.entry.root)) }
          ).testimony == .ofAnother
        else { return .silent }
        return .fits(
          .likely, "the -wal beside the file is that of another database of the same app",
          ["nothing that its pages hold is on the same pages of the file"])
      }
    case .absent: return .ruledOut("no log lies beside it")
    // One page alone says little of what it is that goes on from it.
    case .applied where image.isLogProven && image.files.main.byteCount > image.geometry.pageSize:
      return .ruledOut("its log goes on from this very file")
    default: return .silent
    }
  }

  /// Whether a log that is left out for what it says of this database has a schema with none of its
  /// tables.
  static func hasLogOfOthers(_ survey: Survey) -> Bool {
    guard let image = survey.image else { return false }
    switch image.wal {
    case .outdated(let log), .contradictory(let log):
      return log.pageSize == image.geometry.pageSize
        && namesTables(of: survey, log, in: image) == false
    case .absent, .empty, .applied, .foreign, .unusable: return false
    }
  }

  /// Whether the schema page in a journal that is left out names no table of the database.
  static func isJournalOfOthers(in survey: Survey) -> Bool {
    guard let image = survey.image, case .contradictory(let journal) = image.journal,
      let first = journal.records.first(where: { $0.page == .first }),
      let page = try? image.files.journal?.read(at: first.offset, count: journal.pageSize)
    else { return false }
    return namesTables(of: survey, page) == false
  }

  /// Whether the schema page in a log names tables of this database; nil where it has none.
  static func namesTables(
    of survey: Survey, _ log: WriteAheadLog, in image: Image
  ) -> Bool? {
    guard let frame = log.committed.first(where: { $0.page == .first }),
      let page = try? image.files.wal?.read(at: frame.offset, count: log.pageSize)
    else { return nil }
    return namesTables(of: survey, page)
  }

  /// The same of a first page.
  private static func namesTables(of survey: Survey, _ page: Bytes) -> Bool? {
    guard survey.encoding == .utf8,
      // A schema of many tables has its names on other pages.
      page.count > DatabaseHeader.byteCount, page[DatabaseHeader.byteCount] == 0x0D,
      // One without any is that of a database that is being made.
      page.big16(at: DatabaseHeader.byteCount + 3) ?? 0 > 0
    else { return nil }
    let names = survey.userTables.keys.map { Array($0.text.utf8) }.filter { $0.count > 2 }
    guard !names.isEmpty else { return nil }
    return names.contains { name in
      page.indices.contains { page[$0] == name[0] && page.matches(name, at: $0) }
    }
  }
}
