// SPDX-License-Identifier: Apache-2.0
// What the commands answer that make, list, prove, remove and extract backups.

package import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A backup that was made.
package struct BackupAnswer: CommandAnswer {
  private let backup: Backup
  private let code: SupportCode

  /// Makes the answer of a run.
  package init(_ result: RunResult<Backup>) {
    backup = result.value
    code = result.code
  }

  package var exitStatus: Int32 { backup.exitStatus }

  package var document: JSON {
    .document(
      "backup", exit: exitStatus,
      ["code": .string(code.description), "backups": [backup.stored]])
  }

  package var lines: [AnswerLine] {
    let size = backup.manifest.map { Quantity.bytes($0.image.byteCount) } ?? "unknown size"
    var lines: [AnswerLine] = [
      .result("\(backup.path)"),
      .note("\(size) in \(Quantity.bytes(backup.byteCount)), version \(backup.name.userVersion)"),
    ]
    for check in backup.manifest?.checks ?? [] where check.name != ImageChecks.notChecked {
      let word: StyledText = check.passed ? "\("passed", .good)" : "\("failed", .bad)"
      lines.append(.note("  \(check.name): \(word), \(check.detail)"))
    }
    if !backup.unchecked.isEmpty {
      let count = backup.unchecked.count
      lines.append(.note("  \(count) \(count == 1 ? "thing was" : "things were") not checked:"))
      lines += backup.unchecked.prefix(40).map { .note("    \($0)") }
    }
    return lines
  }
}

/// The backups of a vault.
package struct VaultAnswer: CommandAnswer {
  private let vault: Vault
  private let backups: [Backup]

  /// Lists the backups of a vault.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be listed.
  package init(_ vault: Vault) throws(RescueError) {
    self.vault = vault
    backups = try vault.list()
  }

  package var document: JSON {
    .document("vault-list", ["backups": .array(backups.map(\.stored))])
  }

  package var lines: [AnswerLine] {
    guard !backups.isEmpty else { return [.note("no backups in '\(vault.folder)'")] }
    var table = TextTable([
      .text("id"), .text("made"), .number("version"), .number("size"), .text("state"),
      .text("proven"), .prose("file"),
    ])
    for backup in backups {
      table.add([
        "\(backup.name.id)", "\(backup.created.formatted(.iso8601))",
        "\(backup.name.userVersion)", "\(Quantity.bytes(backup.byteCount))",
        backup.isGood ? "\("good", .good)" : "\(backup.word, .warning)",
        backup.proof.map { "\($0.date.formatted(.iso8601))" }
          ?? (backup.manifest == nil ? "never" : "when made"),
        "\(backup.path.name)",
      ])
    }
    return [.table(table)]
  }
}

extension Backup {
  /// What a backup is that is not good.
  fileprivate var word: String {
    if readError != nil { return "cannot be read" }
    if manifest?.raw == true { return "raw" }
    if proof?.passed == false { return "damaged" }
    return state == .complete ? "findings" : state.rawValue
  }
}

/// What proving backups showed.
package struct VerificationAnswer: CommandAnswer {
  private let vault: Vault
  private let results: [BackupVerification]
  package let exitStatus: Int32
  private let code: SupportCode

  /// Makes the answer of a run.
  package init(_ result: RunResult<VaultVerification>, of vault: Vault) {
    self.vault = vault
    results = result.value.results
    exitStatus = result.value.exitStatus
    code = result.code
  }

  package var document: JSON {
    .document(
      "vault-verify", exit: exitStatus,
      ["code": .string(code.description), "backups": .array(results.map(Self.json))])
  }

  private static func json(_ result: BackupVerification) -> JSON {
    [
      "path": .string(result.path.description), "passed": .bool(result.passed),
      "state": .string(result.state.rawValue), "checks": .array(result.checks.map(\.json)),
      "damage": .array((result.damage.map(\.reason) + otherFlaws(of: result)).map { .string($0) }),
    ]
  }

  /// What is wrong with a file all of whose members hold what was stored.
  private static func otherFlaws(of result: BackupVerification) -> [String] {
    result.damage.isEmpty ? result.flaws : []
  }

  package var lines: [AnswerLine] {
    results.isEmpty
      ? [.note("no backups in '\(vault.folder)'")] : results.flatMap(Self.lines)
  }

  private static func lines(_ result: BackupVerification) -> [AnswerLine] {
    let word: StyledText =
      result.passed
      ? result.state == .foreign
        ? "\("can be read", .warning), and compared with nothing" : "\("holds", .good)"
      : result.isUnread ? "\("cannot be read", .bad)" : "\("does not hold", .bad)"
    var lines: [AnswerLine] = [.result("\(result.path.name): \(word)")]
    for check in result.checks {
      let word = check.passed ? "passed" : "failed"
      let line: StyledText = "  \(check.name): \(word), \(check.detail)"
      lines.append(check.passed ? .detail(line) : .result(line))
    }
    for damage in result.damage {
      let pages = damage.pages.map { ", pages \($0.lowerBound)–\($0.upperBound)" } ?? ""
      lines.append(.result("  \(damage.reason)\(pages)"))
    }
    return lines + otherFlaws(of: result).map { .result("  \($0)") }
  }
}

/// Which backups a policy removes, and why each other one stays.
package struct PruneAnswer: CommandAnswer {
  private let plan: PrunePlan
  private let vault: Vault
  private let database: FilePath?
  private let code: SupportCode?

  /// Makes the answer of a run with this code; nil for the plan.
  ///
  /// `database` is what the backups are of, where that is known.
  package init(
    _ plan: PrunePlan, of vault: Vault, _ database: FilePath?, code: SupportCode? = nil
  ) {
    self.plan = plan
    self.vault = vault
    self.database = database
    self.code = code
  }

  package var exitStatus: Int32 { plan.isHeldUp ? RescueError.Kind.invalidInput.rawValue : 0 }

  package var document: JSON {
    .document(
      code == nil ? "prune-plan" : "vault-prune", exit: exitStatus,
      [
        "code": code.map { .string($0.description) },
        "backups": .array(
          plan.decisions.map { decision in
            [
              "path": .string(vault.folder.appending(decision.entry.name.path).description),
              "id": .string(decision.entry.name.id.description),
              "keep": .bool(decision.isKept), "reason": .string(decision.reason.rawValue),
            ]
          }),
      ])
  }

  /// What becomes of each backup.
  package var decisions: [StyledText] {
    var table = TextTable([
      .text("id"), .text("made"), .number("version"), .text(""), .prose("why"),
    ])
    for decision in plan.decisions {
      let name = decision.entry.name
      table.add([
        "\(name.id)", "\(decision.entry.created.formatted(.iso8601))", "\(name.userVersion)",
        decision.isKept ? "keep" : "\("remove", .warning)", "\(decision.reason.text)",
      ])
    }
    return table.lines(width: nil)
  }

  package var lines: [AnswerLine] {
    let lines: [AnswerLine] =
      code == nil
      ? decisions.map { .result($0) }
      : [.result("removed \(Quantity.count(plan.removals.count, "backup")) of \(vault.folder)")]
    return lines + heldUp.map { .said($0) }
  }

  /// Why older backups stay, and the next command, ready to paste.
  package var heldUp: [StyledText] {
    guard plan.isHeldUp else { return [] }
    let isDatabase = plan.decisions.contains { $0.reason == .databaseHasFindings }
    let folder = vault.folder.shellQuoted
    let next = database.map { database in
      let place = vault.liveDatabase == database ? "" : " --vault \(folder)"
      return "\(isDatabase ? "diagnose" : "backup") \(database.shellQuoted)\(place)"
    }
    return [
      "\("older backups stay", .warning): "
        + "\(isDatabase ? "the database has findings" : "the newest backup is not good"), and "
        + "they may be all that is left of some rows",
      "next: dbrescue \(next ?? "vault verify \(folder)")",
    ]
  }
}

/// What was got out of a backup.
package struct ExtractionAnswer: CommandAnswer {
  private let output: FilePath
  private let extraction: BackupExtraction
  private let code: SupportCode

  /// Makes the answer of a run that made a file.
  package init(_ result: RunResult<BackupExtraction>, to output: FilePath) {
    self.output = output
    extraction = result.value
    code = result.code
  }

  package var exitStatus: Int32 { extraction.isWhole ? 0 : Verdict.damagedLossy.exitStatus }

  package var document: JSON {
    .document(
      "vault-extract", exit: exitStatus,
      [
        "code": .string(code.description), "output": .string(output.description),
        "byteCount": .integer(extraction.byteCount), "whole": .bool(extraction.isWhole),
        "files": .array(extraction.sidecars.map { .string($0.description) }),
        "missing": .array(extraction.missing.map(json)),
        "endedBy": extraction.endedBy.map { .string($0.message) },
      ])
  }

  private func json(_ bytes: Range<Int>) -> JSON {
    let pages = extraction.pages(of: bytes)
    return .members([
      "firstByte": .integer(bytes.lowerBound), "byteCount": .integer(bytes.count),
      "firstPage": pages.map { .integer($0.lowerBound.number) },
      "lastPage": pages.map { .integer($0.upperBound.number) },
    ])
  }

  package var lines: [AnswerLine] {
    var lines: [AnswerLine] = ([output] + extraction.sidecars).map { .result("\($0)") }
    lines += extraction.missing.map { .result("\("missing", .warning): \(place($0))") }
    if let end = extraction.endedBy { lines.append(.warning("\(end.message)")) }
    if !extraction.isWhole {
      lines.append(
        .note(
          """
          zeros stand for what is missing; to get the rows that are left: \
          dbrescue salvage \(output.shellQuoted) --output NEW
          """))
    }
    return lines
  }

  private func place(_ bytes: Range<Int>) -> String {
    let place = "bytes \(bytes.lowerBound) to \(bytes.upperBound)"
    guard let pages = extraction.pages(of: bytes) else { return place }
    return "pages \(pages.lowerBound)–\(pages.upperBound), \(place)"
  }
}
