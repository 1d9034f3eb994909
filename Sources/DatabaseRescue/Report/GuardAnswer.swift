// SPDX-License-Identifier: Apache-2.0
// What became of a migration under guard.

package import Diagnosis
import SQLiteFormat

/// What became of a migration under guard.
package struct GuardAnswer: CommandAnswer {
  private let report: GuardReport
  private let code: SupportCode
  private let file: FilePath
  private let vault: FilePath?
  private let kept: StyledText
  private let rescue: Rescue

  /// Makes the answer of a run; `kept` is said of a migration that is kept.
  package init(
    _ report: GuardReport, _ code: SupportCode, of file: FilePath, in vault: FilePath?,
    kept: StyledText, by rescue: Rescue
  ) {
    self.report = report
    self.code = code
    self.file = file
    self.vault = vault
    self.kept = kept
    self.rescue = rescue
  }

  package var exitStatus: Int32 { report.exitStatus }

  package var document: JSON {
    get throws(RescueError) { .document("guard", exit: exitStatus, try members) }
  }

  /// What is said of every migration under guard.
  var members: [String: JSON?] {
    get throws(RescueError) {
      let own: [String: JSON?] = [
        "code": .string(code.description), "kept": .bool(report.isKept),
        "result": .string(report.result.rawValue),
        "backups": [report.backup.stored], "remedy": remedy,
        "remainders": .array(report.remainders.map { .string($0) }),
        "blockingMessage": report.isKept ? nil : .array(message.map { .string($0) }),
      ]
      return own.merging(try report.judgement.members) { $1 }
    }
  }

  private var remedy: JSON? {
    switch report.remedy {
    case .restore: "restore"
    case .stop: "stop"
    case nil: nil
    }
  }

  private var message: [String] { BlockingMessage(report, code: code).lines }

  package var lines: [AnswerLine] {
    guard report.isKept else {
      // Whoever was asked what to do was told why.
      return (!report.isDecided ? report.judgement.refusalText.map { .said($0) } : []) + end
        + [.result("")] + message.map { .result("  \($0)") }
    }
    let unchanged: StyledText =
      "\(file.name): the migration has changed nothing, and the database is \("verified", .good)"
    return [.result(report.isUnchanged ? unchanged : kept)]
      + report.judgement.noticeText.map { .note($0) } + lostBefore
      + [.note("the backup before it: \(report.backup.path)")]
      + ExaminationText.lines(for: report.examination.unchecked).map { .note($0) }
  }

  /// What the database had lost already before the migration, as one that was refused and left loses it.
  private var lostBefore: [AnswerLine] {
    guard let lineage = report.backup.manifest?.lineage, !lineage.isAccepted,
      !lineage.losses.isEmpty
    else { return [] }
    return lineage.findings.map { .note("already before it: \($0.message)") } + [
      .note(
        "to get back what is missing: dbrescue restore \(file.shellQuoted) --from \(lineage.after)"
          + (vault.map { " --vault \($0.shellQuoted)" } ?? ""))
    ]
  }

  /// What became of a database whose migration is refused.
  private var end: [AnswerLine] {
    switch report.result {
    case .kept, .unchanged:
      return [
        .result(
          report.leavesJournal
            ? "\(file.name): unchanged once the journal beside it is played back, which whatever "
              + "opens it next does: do not move it without that"
            : "\(file.name): unchanged; it is page for page what it was before the migration")
      ]
    case .restored:
      let back: [AnswerLine] = [
        .result("\(file.name): \("restored", .good) from \(report.backup.path.name)")
      ]
      // Where the migration left no file, there is nothing to see.
      guard (try? rescue.displaced(by: code, of: file)) != nil else { return back }
      return back + [
        .said("to see what the migration left: dbrescue undo \(code) \(file.shellQuoted)")
      ]
    case .left:
      let way = report.wayBack(of: file, in: vault)
      return [
        .result(
          "\(file.name): left as the migration left it"
            + (report.leavesJournal
              ? "; half a transaction is undone by the journal beside it, which whatever opens it next "
                + "plays back: do not move it without that" : "")),
        .said("\(way.purpose): \(way.command)"),
      ]
    }
  }

  package var warnings: [StyledText] {
    let remainders = report.remainders.map { StyledText(verbatim: $0) }
    guard !report.isBackupWhole else { return remainders }
    let isThere = ((try? rescue.world.storage.status(of: report.backup.path)) ?? nil) != nil
    return [
      isThere
        ? "the backup before it does not hold any more: the migration has written to it"
        : "the backup before it is gone: the migration has removed it"
    ] + remainders
  }
}

extension MigrationJudgement {
  /// Why a migration is refused, in lines.
  package var refusalText: [StyledText] {
    let what = end.succeeded ? "verification failed" : "the migration failed"
    return ["\(what, .bad):"] + (problems + examination.diff).map { "  \($0)" }
      + (allowance.map { ["\($0)"] } ?? []) + ExaminationText.lines(for: examination.unchecked)
  }

  /// What is another than before and is kept, in a few lines.
  var noticeText: [StyledText] { Self.text(ofNotices: notices) }

  /// The same of notices that were collected.
  static func text(ofNotices notices: [String]) -> [StyledText] {
    let rest = notices.count - noticesMax
    return notices.prefix(noticesMax).map { "unless it was meant: \($0)" }
      + (rest > 0 ? ["and \(rest) more such changes"] : [])
  }

  private static let noticesMax = 10

  /// What is judged of every migration.
  var members: [String: JSON?] {
    get throws(RescueError) {
      [
        "program": .string(program.description),
        "command": .string(end.description), "end": end.json,
        "verdict": .string(examination.verdict.word),
        "losesRows": .bool(losesRows), "losesData": .bool(losesData),
        "reasons": .array(problems.map { .string($0) }),
        "notices": .array(notices.map { .string($0) }),
        "differences": try .list(
          (examination.comparison?.differences ?? []).map { ReportedDifference($0) }),
        "schemaChanges": .array(schemaChanges.map { .string($0) }),
        "unchecked": try .list(ReportedUnchecked.list(examination.unchecked)),
        "tables": .array(rowCounts.map(\.json)),
      ]
    }
  }
}

extension ProcessEnd {
  fileprivate var json: JSON {
    .members([
      "kind": .string(word), "status": status.map { .integer(Int($0)) },
      "signal": signal.map { .integer(Int($0)) },
    ])
  }
}
