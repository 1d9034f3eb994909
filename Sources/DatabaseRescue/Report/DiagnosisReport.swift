// SPDX-License-Identifier: Apache-2.0
// A diagnosis as a document for support: one value, from which text, JSON and HTML are rendered.
// The table below makes this file longer than others.

public import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A diagnosis as a document for support.
///
/// Its JSON has these members and no other. A type with a question mark says that the member is
/// absent where it is not known. New members do not change `schema`.
///
/// | member                           | type     | meaning |
/// |----------------------------------|----------|---|
/// | `type`                           | string   | `diagnosis` |
/// | `schema`                         | integer  | the version of this table: 1 |
/// | `tool`                           | string   | the program with its version |
/// | `libraries`                      | string   | the libraries in use, with their versions |
/// | `created`                        | date     | when the diagnosis was made, in UTC |
/// | `code`                           | string   | the support code |
/// | `file`                           | string   | the name of the database file |
/// | `inputs[].name`                  | string   | a file that was looked at; the database first |
/// | `inputs[].sha256`                | string?  | its digest, 64 hexadecimal digits |
/// | `inputs[].partialDigest`        | string?  | where there are large holes or unreadable bytes: the digest of the rest |
/// | `inputs[].unchanged`             | boolean? | whether the digest was the same after the run |
/// | `verdict`                        | string   | a raw value of `Verdict`: `damaged-lossy` |
/// | `meaning`                        | string   | what that means for the data |
/// | `exitStatus`                     | integer  | the exit status of a check with this verdict |
/// | `rows.readable`                  | integer  | rows that can be read and are in their place |
/// | `rows.doubtful`                  | integer  | rows that can be read, with something against them |
/// | `rows.unplaced`                  | integer  | rows that can be read, whose table nothing tells |
/// | `rows.lost`                      | loss     | rows that cannot be read |
/// | `tables[].name`                  | string   | a table |
/// | `tables[].readable`              | integer  | as in `rows`, and so the next two |
/// | `tables[].doubtful`              | integer  | |
/// | `tables[].lost`                  | loss     | |
/// | `tables[].lostAtMost`            | integer? | the most rows that can be lost |
/// | `tables[].pages`                 | integer  | the pages that belong to the table |
/// | `tablesOmitted`                  | integer  | how many tables are not listed |
/// | `versions.found`                 | integer? | the `user_version` |
/// | `versions.expected`              | integer? | the version that the app expects |
/// | `versions.relation`              | string   | `unknown`, `equal`, `older` or `newer` |
/// | `unsynced.state`                 | string   | `none`, `some` or `cannot-tell` |
/// | `unsynced.rows`                  | integer? | how many rows were not sent anywhere yet |
/// | `differences[]`                  | string   | a difference from the contract |
/// | `differencesOmitted`             | integer  | how many are not listed |
/// | `findings[].code`                | string   | a code of the catalogue, heaviest first |
/// | `findings[].severity`            | string   | `notice`, `warning`, `damage` or `loss` |
/// | `findings[].title`               | string   | the kind in a few words |
/// | `findings[].meaning`             | string   | what it means for the data |
/// | `findings[].count`               | integer  | how many findings there are of the kind |
/// | `findings[].places[].severity`   | string   | how much this one weighs |
/// | `findings[].places[].message`    | string   | what was found |
/// | `findings[].places[].object`     | string?  | the table, index, view or trigger |
/// | `findings[].places[].page`       | integer? | the page, from 1 |
/// | `findings[].places[].offset`     | integer? | the byte in the page, else in a file |
/// | `findings[].places[].fileOffset` | integer? | the byte in the database file |
/// | `findings[].placesOmitted`       | integer  | how many are not listed |
/// | `unchecked[].subject`            | string   | what kind of thing was not checked |
/// | `unchecked[].object`             | string?  | the table, index or process |
/// | `unchecked[].reason`             | string   | why it was not checked |
/// | `unchecked[].message`            | string   | both in a sentence |
/// | `uncheckedOmitted`               | integer  | how many are not listed |
/// | `options[].name`                 | string   | what `--choose` takes; least destructive first |
/// | `options[].summary`              | string   | what the option does |
/// | `options[].destructive`          | boolean  | whether rows of the current database may go |
/// | `options[].backup`               | string?  | the backup that a restore uses, by file name |
/// | `options[].estimated`            | string?  | why the figures are a first reading, and were not tried |
/// | `options[].kept`                 | integer  | rows that stay as they are, in all tables |
/// | `options[].changed`              | integer  | rows that stay with other values, in all tables |
/// | `options[].setAside`             | integer  | rows that go to the quarantine file, in all tables |
/// | `options[].unplaced`             | integer  | the same, of rows whose table nothing tells |
/// | `options[].lost`                 | loss     | rows that go, in all tables |
/// | `options[].regained`             | integer  | rows that come back, in all tables |
/// | `options[].tables[].table`       | string   | a table, and the same for it alone |
/// | `options[].tables[].kept`        | integer  | |
/// | `options[].tables[].changed`     | integer  | |
/// | `options[].tables[].setAside`    | integer  | |
/// | `options[].tables[].lost`        | loss     | |
/// | `options[].tables[].lostAtMost`  | integer? | the most rows that can be lost |
/// | `options[].tables[].regained`    | integer  | |
/// | `options[].tablesOmitted`        | integer  | how many tables are not listed |
/// | `options[].command`              | string?  | the command that carries it out |
/// | `hint`                           | string?  | what would bring back more |
/// | `next`                           | string?  | the command to run next |
/// | `undo`                           | string?  | the command that takes `next` back |
/// | `facts.kind`                     | string   | what the file is |
/// | `facts.byteCount`                | integer? | the bytes of the database file |
/// | `facts.pageSize`                 | integer? | the bytes of a page |
/// | `facts.reservedBytes`            | integer? | those at its end left to extensions |
/// | `facts.pageCount`                | integer? | the pages, those in journals included |
/// | `facts.pageSizeFrom`             | string?  | who says so: `header`, `pages` or `wal` |
/// | `facts.start`                    | integer? | where the database starts in the file |
/// | `facts.encoding`                 | string?  | `UTF-8`, `UTF-16le` or `UTF-16be` |
/// | `facts.autoVacuum`               | string?  | `none`, `full` or `incremental` |
/// | `facts.journalMode`              | string?  | `rollback` or `wal` |
/// | `facts.wal`                      | string?  | what became of the write-ahead log, in words |
/// | `facts.journal`                  | string?  | what became of the rollback journal, in words |
/// | `facts.freePages`                | integer? | the pages of the free list |
/// | `facts.schemaCookie`             | integer? | the number that changes with the schema |
/// | `facts.schemaFormat`             | integer? | the version of the schema's format |
/// | `facts.userVersion`              | integer? | the `user_version` |
/// | `facts.applicationID`            | integer? | the `application_id` |
/// | `facts.writtenBy`                | string?  | the SQLite version that last wrote |
/// | `facts.frameworks[].name`        | string   | who made the file, the surest first |
/// | `facts.frameworks[].confidence`  | string   | `certain` or `likely` |
/// | `pages.table`                    | integer  | how many pages belong to tables, and so on for |
/// | `pages.index`                    | integer  | indexes, |
/// | `pages.system`                   | integer  | the schema and SQLite's own books, |
/// | `pages.free`                     | integer  | the free list, |
/// | `pages.unowned`                  | integer  | nothing that is known; |
/// | `pages.missing`                  | integer  | pages beyond the end of a file that was cut, |
/// | `pages.damaged`                  | integer  | damaged ones; no `pages` without any |
/// | `loss.kind`                      | string   | `none`, `exactly`, `at-least` or `unknown` |
/// | `loss.rows`                      | integer? | the number; not with `unknown` |
public struct DiagnosisReport: Report, Hashable {
  /// What the document is.
  public let type = "diagnosis"
  /// The version of the document's JSON.
  public let schema = 1
  /// The program that made the diagnosis, with its version.
  public let tool: String
  /// The libraries in use, with their versions.
  public let libraries: String
  /// When the diagnosis was made.
  public let created: Date
  /// The support code of the run.
  public let code: SupportCode
  /// The name of the database file, without its folder.
  public let file: String
  /// The files that were looked at, the database first.
  public let inputs: [ReportedFile]
  /// The sum of the findings.
  public let verdict: Verdict
  /// What the verdict means for the data.
  public let meaning: String
  /// The exit status of a check that ends in this verdict.
  public let exitStatus: Int32
  /// All tables together.
  public let rows: RowSum
  /// The tables with their rows.
  public let tables: [TableRows]
  /// How many tables are not listed, because there are too many.
  public let tablesOmitted: Int
  /// The schema version found and the one expected.
  public let versions: RunRecord.Versions
  /// What is known of rows that were not sent anywhere yet.
  public let unsynced: Unsynced
  /// How the schema differs from the contract.
  public let differences: [String]
  /// How many differences are not listed, because there are too many.
  public let differencesOmitted: Int
  /// The findings by kind, heaviest first.
  public let findings: [FindingGroup]
  /// What was not checked.
  public let unchecked: [ReportedUnchecked]
  /// How many things are not listed, because there are too many.
  public let uncheckedOmitted: Int
  /// What can be done, least destructive first.
  public let options: [Option]
  /// What would bring back more; nil where nothing is known that would.
  public let hint: String?
  /// The command to run next; nil when no command helps.
  let next: ReportedCommand?
  /// The command that takes that one back; nil where that is not so simple.
  let undo: ReportedCommand?
  /// What else is known of the file.
  public let facts: Facts
  /// Which page belongs to what; nil when there are no pages.
  public let pages: PageMap?

  /// The most members of a list; a hostile schema can name hundreds of thousands of tables.
  static let listLimit = 1000

  /// Makes the report of an examination.
  ///
  /// `trial` is what copying the rows gave, where that was tried; `differences` are the differences
  /// from the contract as ready lines, without row values.
  public init(
    of examination: Examination, trial: SalvageTrial? = nil, options: [RecoveryOption] = [],
    differences: [String] = [], file: PlainName, inputs: [RunRecord.InputDigest] = [],
    code: SupportCode, created: Date
  ) {
    let survey = examination.survey
    let name = file.description.shownFile
    let all = TableRows.all(of: survey, trial)
    tool = "dbrescue \(Tool.version)"
    libraries = Tool.libraries
    self.created = created
    self.code = code
    self.file = name
    self.inputs = inputs.map { ReportedFile($0) }
    verdict = examination.verdict
    meaning = examination.meaning
    exitStatus = examination.verdict.exitStatus
    rows = RowSum(all, trial?.unplaced)
    // Where not all fit, those with a loss come first.
    let fitting =
      all.count > Self.listLimit ? all.filter(\.isHurt) + all.filter { !$0.isHurt } : all
    tables = Array(fitting.prefix(Self.listLimit))
    tablesOmitted = max(0, all.count - Self.listLimit)
    versions = RunRecord.Versions(
      found: examination.foundVersion, expected: examination.expectedVersion,
      relation: examination.relation)
    unsynced = Unsynced(examination.unsynced)
    self.differences = differences.prefix(Self.listLimit).map(\.shownMessage)
    differencesOmitted = max(0, differences.count - Self.listLimit)
    findings = FindingGroup.groups(of: examination.findings, in: survey.image)
    unchecked = ReportedUnchecked.list(examination.unchecked)
    uncheckedOmitted = max(0, examination.unchecked.count - Self.listLimit)
    self.options = options.map { Option($0, file: name) }
    let isSchemaWanted = rows.unplaced > 0 && examination.verification == nil
    hint = isSchemaWanted ? Self.schemaHint(rows.unplaced) : nil
    next =
      if let process = examination.use.process {
        ReportedCommand("backup", name, options: ["--from-process", "\(process)"])
      } else if examination.hasStrangeLog {
        ReportedCommand(movingLogOf: name)
      } else if isSchemaWanted {
        ReportedCommand("salvage", name, options: ["--schema", "SCHEMA", "--output", "NEW"])
      } else {
        Self.next(after: examination.verdict, options, file: name)
      }
    undo = next?.undone
    facts = Facts(of: examination)
    pages = PageMap(of: survey, examination.findings)
  }

  private static func schemaHint(_ unplaced: Int) -> String {
    "\(unplaced.of("row")) can be read and \(unplaced == 1 ? "has" : "have") lost the name of "
      + "their table: with the app's schema (a contract, an SQL script, or any healthy database of "
      + "the app) they can be put back"
  }

  private static func next(
    after verdict: Verdict, _ options: [RecoveryOption], file: String
  ) -> ReportedCommand? {
    switch verdict {
    case .healthy, .newer: nil
    case .outdated: ReportedCommand("backup", file)
    case .drifted, .damagedIntact, .damagedLossy, .unreadable:
      options.isEmpty ? nil : ReportedCommand("recover", file)
    }
  }
}

extension DiagnosisReport {
  /// The rows of all tables together.
  public struct RowSum: Hashable, Sendable, Encodable {
    /// Rows that can be read and are in their place.
    public let readable: Int
    /// Rows that can be read, and that something speaks against.
    public let doubtful: Int
    /// Rows that can be read, and whose table nothing tells.
    public let unplaced: Int
    /// Rows that cannot be read.
    public let lost: RowLoss

    /// Adds up tables, and what was found of unknown ones.
    init(_ tables: [TableRows], _ unknown: Balance?) {
      unplaced = unknown?.quarantined ?? 0
      readable = tables.reduce(0) { $0 + $1.readable }
      doubtful = tables.reduce(0) { $0 + $1.doubtful }
      lost = RowLoss(sum: tables.map(\.loss) + [unknown?.lost ?? .none])
    }
  }

  /// What is known of rows that were not sent anywhere yet.
  public struct Unsynced: Hashable, Sendable, Encodable {
    /// Whether there are any: `none`, `some` or `cannot-tell`.
    public let state: String
    /// How many there are; nil when nobody can tell.
    public let rows: Int?

    init(_ unsynced: UnsyncedRows) {
      switch unsynced {
      case .none: (state, rows) = ("none", 0)
      case .some(let count): (state, rows) = ("some", count)
      case .cannotTell: (state, rows) = ("cannot-tell", nil)
      }
    }

    /// The state in words.
    var words: String {
      switch rows {
      case nil: "cannot tell, which does not mean none"
      case 0?: "none"
      case let count?: "\(count.of("row", "waits", "wait")) to be sent"
      }
    }
  }
}
