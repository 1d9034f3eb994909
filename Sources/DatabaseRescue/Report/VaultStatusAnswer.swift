// SPDX-License-Identifier: Apache-2.0
// How databases stand with their backups, as text and as JSON.

internal import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// How databases stand with their backups.
package struct VaultStatusAnswer: CommandAnswer {
  private let statuses: [VaultStatus]
  private let code: SupportCode
  private let moment: Date
  private let ageMax: Double
  package let exitStatus: Int32

  /// Makes the answer of a run that ends in a status.
  package init(_ result: RunResult<[VaultStatus]>, ageMax: Double, exitStatus: Int32) {
    statuses = result.value
    code = result.code
    moment = result.started
    self.ageMax = ageMax
    self.exitStatus = exitStatus
  }

  package var document: JSON {
    .document(
      "vault-status", exit: exitStatus,
      [
        "code": .string(code.description), "at": .date(moment), "maxAgeSeconds": .number(ageMax),
        "databases": .array(statuses.map(json)),
      ])
  }

  private func json(_ status: VaultStatus) -> JSON {
    .members([
      "database": .string(status.database.description), "vault": .string(status.vault.description),
      "exit": .integer(Int(status.exitStatus)),
      "verdict": status.verdict.map { .string($0.word) },
      "losesRows": status.verdict.map { .bool($0.losesRows) },
      "byteCount": status.byteCount.map { .integer($0) },
      "problems": .array(
        status.problems.map {
          [
            "kind": .string($0.kind.rawValue), "message": .string($0.message),
            "advice": .string($0.advice), "exit": .integer(Int($0.exitStatus)),
          ]
        }),
      "remarks": .array(status.remarks.map { .string($0) }),
      "lastGood": status.lastGood.map(\.stored),
      "ageSeconds": status.lastGood.map { .integer(max(0, Int(age(of: $0.created)))) },
      "lastProven": status.lastProven.map { .date($0) },
      "proofs": .array(status.proofs.map { .string($0) }),
      "growthBytes": status.growth.map { .integer($0) },
      "backupCount": status.backups.map { .integer($0.count) },
      "vaultByteCount": status.vaultByteCount.map { .integer($0) },
    ])
  }

  private func age(of date: Date) -> Double { moment.timeIntervalSince(date) }

  package var lines: [AnswerLine] { statuses.flatMap(lines) }

  private func lines(_ status: VaultStatus) -> [AnswerLine] {
    let word: StyledText =
      status.problems.first.map { "\($0.kind.rawValue, .bad)" } ?? "\("fine", .good)"
    var lines: [AnswerLine] = [.result("\(status.database): \(word)")]
    for problem in status.problems {
      lines.append(.result("  \(problem.message)"))
      if !problem.advice.isEmpty { lines.append(.note("    try: \(problem.advice)")) }
    }
    lines += status.remarks.map { .result("  \($0)") }
    let database = [status.verdict?.word, status.byteCount.map(Quantity.bytes)]
      .compactMap(\.self).joined(separator: ", ")
    lines.append(.note("  database: \(database.isEmpty ? "not looked at" : database)"))
    if let last = status.lastGood { lines += self.lines(last, of: status) }
    if let backups = status.backups, let byteCount = status.vaultByteCount {
      lines.append(
        .note(
          "  vault: \(Quantity.count(backups.count, "backup")) in \(Quantity.bytes(byteCount))"))
    }
    return lines
  }

  private func lines(_ last: Backup, of status: VaultStatus) -> [AnswerLine] {
    let image = last.manifest.map { " of \(Quantity.bytes($0.image.byteCount))" } ?? ""
    let growth = status.growth.map {
      $0 == 0
        ? ", as large as the one before"
        : ", \(Quantity.bytes(abs($0))) \($0 > 0 ? "more" : "less") than the one before"
    }
    let proven = status.lastProven.map { "\(shown($0))" } ?? "never"
    let lines: [AnswerLine] = [
      .note(
        """
          last good backup: \(shown(last.created)), \(Quantity.bytes(last.byteCount))\(image)\
        \(growth ?? "")
        """),
      .note("  proven: \(proven)\(status.lastProven == nil ? "" : ", and not read again now")"),
    ]
    return lines + (status.proofs.isEmpty ? [] : [.note("  proofs: \(status.proofs.listed)")])
  }

  /// A moment, with how long ago it was.
  private func shown(_ date: Date) -> String {
    let age = age(of: date)
    return date.formatted(.iso8601)
      + (age < 0 ? " (in the future)" : " (\(Quantity.duration(seconds: age)) ago)")
  }
}

extension [String] {
  fileprivate var listed: String { joined(separator: ", ") }
}
