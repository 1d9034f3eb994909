// SPDX-License-Identifier: Apache-2.0
// One run as one line of JSON: what happened, in names, counts, sizes and versions only.

package import Diagnosis

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// One run, as the run log keeps it.
///
/// It holds no row values and no folders: every text in it is a ``PlainName``.
/// The JSON only grows; a reader takes what it knows and ignores the rest.
package struct RunRecord: Hashable, Sendable, Codable {
  /// The version of the JSON.
  package let version: Int
  /// The support code of the run.
  package let code: SupportCode
  /// The code under which it began to replace a database, where it ended with another one.
  package var began: SupportCode?
  /// When it started, to the second.
  package let started: Date
  /// How long it took.
  package let seconds: Double
  /// What was run, such as `vault-verify`.
  package let operation: PlainName
  /// How far it came.
  package let stage: PlainName
  /// How it ended.
  package let outcome: PlainName
  /// The exit status of the command.
  package internal(set) var exitStatus: Int32
  /// The program with its version.
  package let tool: PlainName
  /// The libraries in use, with their versions; nil in the records of versions that did not say.
  package let libraries: PlainName?
  /// The verdict in one word, such as `damaged`; nil when there was none.
  package let verdict: PlainName?
  /// Whether the database found had rows that are lost or doubtful; nil without a verdict.
  package let losesRows: Bool?
  /// Who made the file; nil when nobody who is known.
  package let framework: PlainName?
  /// What else is true of the run.
  package let flags: Flags
  /// How many findings there were of which kind.
  package var findings: [FindingCount] = []
  /// The schema versions.
  package var versions: Versions
  /// The name of the database file.
  package var file: PlainName?
  /// The size of the database file.
  package var byteCount: Int?
  /// The digests of the files that were looked at.
  package var inputs: [InputDigest] = []
  /// The backup that was used.
  package var backupUsed: PlainName?
  /// The backup that was made.
  package var backupMade: PlainName?
  /// What became of the rows, per table.
  package var tables: [TableCount] = []
  /// How many tables are not listed, because there are too many.
  package private(set) var tablesOmitted: Int?
  /// What a command did to the database, where one was run under guard.
  package var migration: Migration?
  /// What was done, in order.
  package var steps: [Step] = []
  /// How many steps are not listed, because there are too many.
  package private(set) var stepsOmitted: Int?

  private enum CodingKeys: String, CodingKey {
    case version, code, began, started, seconds, operation, stage, outcome, tool, libraries
    case verdict, losesRows, framework, flags, findings, versions, file, byteCount, inputs
    case backupUsed, backupMade, tables, tablesOmitted, migration, steps, stepsOmitted
    case exitStatus = "exit"
  }

  /// Makes the record of a run; what the code says in short is taken from it.
  package init(
    code: SupportCode, started: Date, seconds: Double, exitStatus: Int32, tool: PlainName,
    libraries: PlainName? = nil, unsyncedRows: UnsyncedRows? = nil
  ) {
    version = PublishedFormat.log.version
    self.code = code
    self.started = Self.wholeSeconds(started)
    self.seconds = Self.milliseconds(seconds)
    self.exitStatus = exitStatus
    self.tool = tool
    self.libraries = libraries
    let content = code.content
    operation = PlainName(content?.operation.text(\.name) ?? "unknown")
    stage = PlainName(content?.stage.text(\.name) ?? "unknown")
    outcome = PlainName(content?.outcome.text(\.name) ?? "unknown")
    verdict = (content?.verdict).map { PlainName($0.word) }
    losesRows = content?.verdict?.losesRows
    framework = (content?.framework).flatMap { framework in
      framework.value == Framework.none ? nil : PlainName(framework.text(\.title))
    }
    versions = Versions(
      found: content?.found.value, expected: content?.expected.value,
      relation: content?.relation ?? .unknown)
    flags = Flags(content, unsyncedRows)
  }

  /// The most members of a list; a hostile schema can name hundreds of thousands of tables.
  static let listLimit = 1000

  /// This record with no list longer than ``listLimit``.
  var shortened: RunRecord {
    var record = self
    if tables.count > Self.listLimit {
      record.tables = Array(tables.prefix(Self.listLimit))
      record.tablesOmitted = (tablesOmitted ?? 0) + tables.count - Self.listLimit
    }
    if steps.count > Self.listLimit {
      record.steps = Array(steps.prefix(Self.listLimit))
      record.stepsOmitted = (stepsOmitted ?? 0) + steps.count - Self.listLimit
    }
    return record
  }

  /// Whole seconds, which is what ISO 8601 holds here, within the years that it can write.
  static func wholeSeconds(_ date: Date) -> Date {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard seconds.isFinite else { return Date(timeIntervalSince1970: 0) }
    return Date(timeIntervalSince1970: min(max(seconds, 0), 253_402_300_799))
  }

  /// Seconds to three places; JSON knows neither infinity nor NaN.
  fileprivate static func milliseconds(_ seconds: Double) -> Double {
    guard seconds.isFinite else { return 0 }
    return (min(max(seconds, 0), 1e9) * 1000).rounded() / 1000
  }
}

extension RunRecord {
  /// How many findings of one kind there were.
  package struct FindingCount: Hashable, Sendable, Codable {
    /// The code of the catalogue, such as `DBR-F060`.
    package let code: PlainName
    /// How many.
    package let count: Int

    /// Makes a count.
    package init(_ code: FindingCode, count: Int) {
      self.code = PlainName(code.name)
      self.count = count
    }

    /// Counts findings by kind, in the order of the catalogue.
    package static func counting(_ findings: [Finding]) -> [FindingCount] {
      Dictionary(grouping: findings, by: \.code)
        .sorted { $0.key.rawValue < $1.key.rawValue }
        .map { FindingCount($0.key, count: $0.value.reduce(0) { $0 + $1.count }) }
    }
  }

  /// The schema version found and the one expected.
  package struct Versions: Hashable, Sendable, Codable {
    /// The version in the file.
    package var found: Int?
    /// The version that was expected.
    package var expected: Int?
    /// How they relate.
    package var relation: PlainName

    /// Makes a pair of versions.
    package init(found: Int?, expected: Int?, relation: VersionRelation) {
      self.found = found
      self.expected = expected
      self.relation = PlainName(relation.rawValue)
    }
  }

  /// What is either so or not.
  package struct Flags: Hashable, Sendable, Codable {
    /// Whether a `-wal` file with content lay beside the database.
    package let wal: Bool
    /// What is known of rows that wait to be sent.
    package let unsynced: ReportedUnsynced
    /// Whether a backup exists that was read back and compared.
    package let verifiedBackup: Bool
    /// Whether the database was restored from a backup.
    package let restored: Bool
    /// Whether rows were lost.
    package let rowsLost: Bool
    /// Whether nobody was there to ask.
    package let unattended: Bool

    fileprivate init(_ content: SupportCode.Content?, _ rows: UnsyncedRows?) {
      wal = content?.hasWAL ?? false
      let state = PlainName((content?.unsynced ?? .notLookedFor).name)
      unsynced = rows.map { ReportedUnsynced($0) } ?? ReportedUnsynced(state: state)
      verifiedBackup = content?.hasVerifiedBackup ?? false
      restored = content?.restored ?? false
      rowsLost = content?.rowsLost ?? false
      unattended = content?.unattended ?? false
    }
  }

  /// The SHA-256 of a file before and after the run, in hexadecimal.
  package struct InputDigest: Hashable, Sendable {
    /// The name of the file.
    package let name: PlainName
    /// The digest before the run; nil when it was not taken.
    package let before: PlainName?
    /// The digest after the run; nil when it was not taken.
    package let after: PlainName?

    /// Makes a pair of digests.
    package init(name: PlainName, before: PlainName?, after: PlainName?) {
      self.name = name
      self.before = before
      self.after = after
    }
  }

  /// What became of the rows of a table.
  package struct TableCount: Hashable, Sendable, Codable {
    /// The table.
    package let table: PlainName
    /// Rows that were seen.
    package let seen: Int
    /// Rows that were written.
    package let written: Int
    /// Rows that were set aside.
    package let quarantined: Int
    /// Rows that were identical copies of others.
    package let duplicates: Int
    /// Rows that are missing.
    package let lost: RowLoss
  }

  /// One step of a run.
  package struct Step: Hashable, Sendable, Codable {
    /// What was done.
    package let name: PlainName
    /// How it ended.
    package let outcome: PlainName
    /// How long it took.
    package let seconds: Double

    /// Makes a step.
    package init(name: PlainName, outcome: PlainName, seconds: Double) {
      self.name = name
      self.outcome = outcome
      self.seconds = RunRecord.milliseconds(seconds)
    }
  }
}

extension World {
  /// Today as support codes count days.
  package var today: Int {
    SupportCode.Content.day(secondsSince1970: now().timeIntervalSince1970)
  }
}
