// SPDX-License-Identifier: Apache-2.0
// Examinations and salvages to make reports of, and what is asked of every rendering.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What reports are made of in these tests: fixed codes, times and digests.
enum ReportFixture {
  static let code = SupportCode(
    .init(operation: .diagnose, stage: .diagnose, outcome: .findings, day: 400), random: 99)
  static let created = Date(timeIntervalSince1970: 1_770_000_000)
  static let backup = "app.20261121T020000Z.v4.k3f9.db.gz"

  /// The databases among the samples, by path.
  static let samples: [String] = {
    let names = (try? SystemStorage().names(in: Checkout.samples)) ?? []
    let files = names.map(\.description).filter {
      $0.hasSuffix(".db") || $0.hasSuffix(".jpg") || $0.hasSuffix("-wal")
    }
    return files.sorted() + ["wal/fitness.db", "wal-torn/fitness.db", "hot-journal/fitness.db"]
  }()

  static func survey(_ path: FilePath) throws -> Survey {
    let input = try InputFiles(path, storage: SystemStorage())
    return try Survey(input.open(in: World()), parser: SandboxParser())
  }

  static func survey(sample name: String) throws -> Survey {
    try survey(Checkout.samples.appending(FilePath(name)))
  }

  /// The report of a survey, with a backup of the healthy sample to restore.
  static func report(of survey: Survey, file: PlainName) throws -> DiagnosisReport {
    var examination = try Examination(Reconstruction(survey), expectedVersion: 4)
    var trials = SalvageTrials()
    if examination.wantsTrial {
      let report = try salvageReport(of: survey)
      let trial = SalvageTrial(balances: report.balances, isComplete: report.isComplete)
      trials.salvage = trial
      examination = examination.refined(by: trial)
    }
    let offer = BackupOffer(
      name: backup, age: "2 hours ago", made: "2026-11-21 02:00:00 UTC (k3f9)", userVersion: 4,
      comparison: try Reconstruction(survey).compare(
        with: Reconstruction(Self.survey(sample: "healthy-v4.db"))))
    let digest = PlainName(String(repeating: "5f2c", count: 16))
    return DiagnosisReport(
      of: examination, trial: trials.salvage,
      options: examination.options(backups: [offer], hasFreshSchema: true, trials: trials),
      differences: [photo], file: FilePath(file.description),
      inputs: [.init(name: file, before: digest, after: digest)], code: code, created: created)
  }

  /// A column of another type than the contract expects.
  private static var photo: ContractDifference {
    var mend = ContractDifference.Mend.statement("UPDATE it")
    mend.losses = ["it is gone"]
    return ContractDifference(
      .changed, .column, "notes.photo", expected: "BLOB", found: "TEXT", mend: mend)
  }

  static func report(sample name: String) throws -> DiagnosisReport {
    try report(of: survey(sample: name), file: PlainName(name))
  }

  /// What salvaging a survey into a file gives that is gone afterwards.
  private static func salvageReport(of survey: Survey) throws -> SalvageReport {
    try ScratchFolder.with { folder in
      var files = RunFiles()
      let output = try SalvageOutput(
        folder["rescued.db"], replacing: false, in: &files, storage: SystemStorage())
      return try Salvage(Reconstruction(survey), world: World()).run(to: output, code: "test")
    }
  }

  /// The account of salvaging a survey.
  static func account(of survey: Survey, file: PlainName) throws -> SalvageAccount {
    SalvageAccount(of: try salvageReport(of: survey), file: file, code: code, created: created)
  }

  static func account(sample name: String) throws -> SalvageAccount {
    try account(of: survey(sample: name), file: PlainName(name))
  }

  /// Every report that a database gives rise to.
  static func reports(of survey: Survey, file: PlainName) throws -> [any WrittenReport] {
    let report = try report(of: survey, file: file)
    return survey.image == nil ? [report] : [report, try account(of: survey, file: file)]
  }
}

extension WrittenReport {
  /// The report in every form.
  func renderings() throws -> [String] {
    let json = try #require(JSON(reading: json().utf8))
    #expect(PublishedFormat.problems(of: json) == [])
    return try ReportFormat.allCases.map { try rendered(as: $0) }
  }
}

extension JSON {
  /// The paths of all members that hold a scalar, such as `findings[].code`; those of a loss
  /// begin with `loss`, wherever it stands.
  func paths(_ path: String = "") -> Set<String> {
    switch self {
    case .array(let elements): Set(elements.flatMap { $0.paths(path + "[]") })
    case .object(let members):
      Set(
        members.flatMap { name, value in
          let inner = path.isEmpty ? name : "\(path).\(name)"
          return name == "lost" ? value.paths("loss").union([inner]) : value.paths(inner)
        })
    default: [path]
    }
  }

  /// The members that the schema of reports describes for one of its definitions, by their paths.
  static func published(_ name: String) throws -> Set<String> {
    let schema = try #require(JSON(reading: PublishedFormat.report.schemaText.utf8))
    func paths(_ shape: JSON, _ path: String) -> Set<String> {
      if let name = shape["$ref"]?.text?.split(separator: "/").last {
        return paths(schema["$defs"]?[String(name)] ?? [:], path)
      }
      if let items = shape["items"] { return paths(items, path + "[]") }
      guard let members = shape["properties"]?.members else { return [path] }
      return Set(
        members.flatMap { name, value in
          let inner = path.isEmpty ? name : "\(path).\(name)"
          return name == "lost" ? paths(value, "loss").union([inner]) : paths(value, inner)
        })
    }
    return paths(try #require(schema["$defs"]?[name]), "")
  }
}

/// A check that every element is closed, in order, and that nothing stray looks like markup.
enum Markup {
  /// What is wrong with a page; nil when nothing is.
  static func fault(in html: String) -> String? {
    var rest = html[...]
    var open: [Substring] = []
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" || $0 == ">" }) {
      let tail = rest[start...]
      guard let end = tail.firstIndex(of: rest[start] == "&" ? ";" : ">") else {
        return "cut off: \(tail.prefix(40))"
      }
      let token = tail[...end]
      rest = tail[tail.index(after: end)...]
      switch token.first {
      case "&":
        guard ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].contains(token) else {
          return "no entity: \(token.prefix(40))"
        }
      case ">": return "a stray >"
      default:
        let inner = token.dropFirst().dropLast()
        if inner.hasPrefix("!DOCTYPE") || inner.hasSuffix("/") { continue }
        let name = inner.drop { $0 == "/" }.prefix { $0 != " " }
        if inner.hasPrefix("/") {
          guard open.popLast() == name else { return "closes another: \(token)" }
        } else {
          guard inner.count(where: { $0 == "\"" }).isMultiple(of: 2), !inner.contains("<") else {
            return "a broken tag: \(token.prefix(60))"
          }
          open.append(name)
        }
        // What stands in a style sheet is no markup.
        if inner == "style", let close = rest.firstRange(of: "</style>") {
          rest = rest[close.lowerBound...]
        }
      }
    }
    return open.isEmpty ? nil : "never closed: \(open.joined(separator: ", "))"
  }
}
