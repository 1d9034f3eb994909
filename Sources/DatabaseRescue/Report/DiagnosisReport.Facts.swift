// SPDX-License-Identifier: Apache-2.0
// What a diagnosis knows of a file beside its health: kind, sizes, settings, versions.

import Diagnosis
import SQLiteFormat

extension DiagnosisReport {
  /// What else is known of the file; what is nil is not known.
  package struct Facts: Hashable, Sendable, Encodable {
    /// Who made the file, or keeps books in it.
    package struct Framework: Hashable, Sendable, Encodable {
      /// The name as its makers write it.
      package let name: String
      /// How sure that is: `certain` or `likely`.
      package let confidence: String
      /// Of which version the database is, as the framework notes it.
      package let version: String?
      /// How many migrations it has noted as carried out.
      package let migrations: Int?
    }

    /// What the file is.
    package let kind: String
    /// The bytes of the database file.
    package let byteCount: Int?
    /// The bytes of a page.
    package let pageSize: Int?
    /// The bytes at the end of each page that SQLite leaves to extensions.
    package let reservedBytes: Int?
    /// The pages of the database, those in its journals included.
    package let pageCount: Int?
    /// How the page size is known: `header`, `pages` or `wal`.
    package let pageSizeFrom: String?
    /// Where the database starts in the file.
    package let start: Int?
    /// The encoding of text.
    package let encoding: String?
    /// Whether free pages are given back: `none`, `full` or `incremental`.
    package let autoVacuum: String?
    /// How SQLite keeps transactions safe: `rollback` or `wal`.
    package let journalMode: String?
    /// What became of the write-ahead log.
    package let wal: String?
    /// What became of the rollback journal.
    package let journal: String?
    /// The pages of the free list, as far as it can be followed.
    package let freePages: Int?
    /// The number that changes with the schema.
    package let schemaCookie: Int?
    /// The version of the schema's format.
    package let schemaFormat: Int?
    /// The application's own version number.
    package let userVersion: Int?
    /// The application's own mark.
    package let applicationID: Int?
    /// The SQLite version that last wrote, such as `3.46.0`.
    package let writtenBy: String?
    /// Who made the file, the surest first.
    package let frameworks: [Framework]

    init(of examination: Examination) {
      let survey = examination.survey
      let decision = survey.geometry
      let header = survey.header
      kind = survey.kind.name.shownMessage
      byteCount = survey.image?.files.main.byteCount
      pageSize = decision?.geometry.pageSize
      reservedBytes = decision?.geometry.reserved
      pageCount = survey.image?.pageCount
      pageSizeFrom = decision.map { decision in
        switch decision.basis {
        case .header: "header"
        case .vote: "pages"
        case .log: "wal"
        }
      }
      start = decision?.start
      encoding = survey.schema == nil ? nil : survey.encoding.name
      autoVacuum = header.map { header in
        header.isAutoVacuum ? (header.incrementalVacuum ? "incremental" : "full") : "none"
      }
      journalMode = header.map { $0.isWAL ? "wal" : "rollback" }
      wal = survey.image.map { Self.words(for: $0.wal) }
      journal = survey.image.map { Self.words(for: $0.journal) }
      freePages = survey.freelist?.count
      schemaCookie = header.map { Int($0.schemaCookie) }
      schemaFormat = header.map { Int($0.schemaFormat) }
      userVersion = header.map { Int($0.userVersion) }
      applicationID = header.map { Int($0.applicationID) }
      writtenBy = header.flatMap(\.writer)
      let known = examination.comparison?.knownMigrations ?? []
      frameworks = examination.frameworks.map { match in
        let version = FrameworkVersion(of: match.framework, in: survey, known: known)
        return Framework(
          name: match.framework.title, confidence: match.confidence.rawValue,
          version: version?.words, migrations: version?.migrations)
      }
    }

    private static func words(for state: Image.WALState) -> String {
      switch state {
      case .absent: "none"
      case .empty: "there, without a commit"
      case .foreign: "there, not applied: it belongs to another database"
      case .outdated: "there, not applied: it is older than the database"
      case .contradictory: "there, not applied: the database contradicts itself with it"
      case .unusable: "there, not applied: its header does not hold"
      case .applied(let log):
        applied(log) + ending(log)
      }
    }

    private static func applied(_ log: WriteAheadLog) -> String {
      let commits = log.applied.count { $0.commitPageCount != nil }
      let behind = log.continued.isEmpty ? "" : ", some of them behind a break"
      return "applied: \(commits.of("transaction")) in \(log.applied.count.of("frame"))" + behind
    }

    private static func ending(_ log: WriteAheadLog) -> String {
      switch log.ending {
      case .complete: ""
      case .olderGeneration: "; older frames behind them do not count"
      case .saltsChanged(let offset): "; its salts change at byte \(offset)"
      case .checksumBroken(let offset): "; its checksum breaks at byte \(offset)"
      case .cutOff(let offset): "; it is cut off at byte \(offset)"
      }
    }

    private static func words(for state: Image.JournalState) -> String {
      switch state {
      case .absent: "none"
      case .stale: "there, not applied: it is not hot"
      case .otherPageSize: "there, not applied: its pages have another size"
      case .contradictory(let journal) where journal.pageCount == 0:
        "there, not applied: it takes back all that the file has"
      case .contradictory: "there, not applied: the file is sound, and the journal of another state"
      case .applied(let journal):
        "applied: \(journal.allRecords.count.of("page")) as they were before a transaction was cut off"
      }
    }
  }
}
