// SPDX-License-Identifier: Apache-2.0
// A support code in plain English: all that a support engineer can know without the run log.

extension SupportCode {
  /// One fact of an explanation.
  package struct Line: Hashable, Sendable, Codable {
    /// What it is about, such as `verdict`.
    package let label: String
    /// What is to be said.
    package let text: String

    init(_ label: String, _ text: String) {
      self.label = label
      self.text = text
    }
  }

  /// What the code tells about its run; the last line says what to do next.
  package var explanation: [Line] {
    guard let content else {
      return [
        Line("code", "made by another version of dbrescue, with layout \(layout)"),
        Line("next", "explain it with the newest version: dbrescue explain \(self)"),
      ]
    }
    return content.explanation + [Line("next", content.nextStep(after: self))]
  }
}

extension SupportCode.Content {
  /// The day as a date, such as `2026-11-20`.
  package var date: String {
    var year = 2025
    var rest = day
    while rest >= Self.dayCount(of: year) {
      rest -= Self.dayCount(of: year)
      year += 1
    }
    var month = 0
    let february = Self.dayCount(of: year) - 337
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    while rest >= lengths[month] {
      rest -= lengths[month]
      month += 1
    }
    return "\(year)-\(Self.twoDigits(month + 1))-\(Self.twoDigits(rest + 1))"
  }

  private static func dayCount(of year: Int) -> Int {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
  }

  private static func twoDigits(_ number: Int) -> String {
    (number < 10 ? "0" : "") + String(number)
  }

  fileprivate var explanation: [SupportCode.Line] {
    var lines = [
      SupportCode.Line("date", date + (day == Self.lastDay ? " or later" : "")),
      SupportCode.Line("run", operation.text { "\($0.name): \($0.meaning)" } + attendance),
      SupportCode.Line("outcome", outcomeText),
      SupportCode.Line("verdict", verdictText),
    ]
    if let finding {
      lines.append(
        SupportCode.Line(
          "finding", finding.text { "\($0.name), \($0.title): \($0.meaning)" }))
    }
    lines += [
      SupportCode.Line("made by", framework.text(\.title)),
      SupportCode.Line("version", versionText),
      SupportCode.Line("wal", hasWAL ? "a -wal file was present" : "no -wal file was present"),
      SupportCode.Line("unsynced", unsyncedText),
      SupportCode.Line(
        "backup", hasVerifiedBackup ? "a verified backup exists" : "no verified backup is known"),
    ]
    if restored { lines.append(SupportCode.Line("restored", "the database came from a backup")) }
    lines.append(
      SupportCode.Line("loss", rowsLost ? "rows were lost" : "no loss of rows was established"))
    return lines
  }

  private var attendance: String { unattended ? ", with nobody there to ask" : "" }

  private var outcomeText: String {
    let ending = outcome.text(\.meaning)
    if stage.value == .done { return ending }
    return "\(ending); it came as far as: \(stage.text(\.meaning))"
  }

  /// The verdict and what it means: where a code has both versions and not how they relate, the
  /// framework's book tells of another one.
  private var verdictText: String {
    guard let verdict else { return "none was reached" }
    let isOther = verdict == .drifted && relation == .unknown && expected.value != nil
    if isPacked { return "\(verdict.word): the database is sound, and lies in an archive" }
    return "\(verdict.word): "
      + (isOther
        ? "sound, but not of the version that the app expects"
        : verdict == .drifted ? relation.meaningOfDrift ?? verdict.meaning : verdict.meaning)
  }

  /// Whether an archive lies where the database should.
  fileprivate var isPacked: Bool { verdict == .drifted && finding?.value == .packed }

  private var versionText: String {
    let relationText =
      switch relation {
      case .unknown, .diverged, .other: "how they relate is not known"
      case .equal: "the file has the version that was expected"
      case .older: "the file is older than expected"
      case .newer: "the file is newer than expected"
      }
    return "found \(found), expected \(expected); \(relationText)"
  }

  private var unsyncedText: String {
    switch unsynced {
    case .notLookedFor: "nobody looked for rows that wait to be sent; do not read this as none"
    case .none: "no rows wait to be sent"
    case .some: "rows wait to be sent and exist nowhere else"
    case .cannotTell: "cannot tell whether rows wait to be sent; do not read this as none"
    }
  }
}

extension SupportCode.Content {
  /// The one thing to do next, as a rule with the command to run.
  fileprivate func nextStep(after code: SupportCode) -> String {
    switch outcome.value {
    case nil:
      "explain it with the newest version: dbrescue explain \(code)"
    case .interrupted:
      "run the same command again: it finishes or undoes what was begun"
    case .needsDecision:
      "see the options and choose one: dbrescue recover FILE"
    case .declined:
      "nothing was decided; see the options again: dbrescue recover FILE"
    case .failed:
      failureStep(after: code)
    case .succeededWithLoss:
      "keep the original file; see what was lost: dbrescue log show \(code)"
    case .succeeded, .nothingToDo, .findings:
      verdictStep(after: code)
    }
  }

  private func failureStep(after code: SupportCode) -> String {
    switch stage.value {
    case .done where isMigration && restored:
      "the database is what it was before; see why the migration failed: dbrescue log show \(code)"
    case .done where isMigration:
      "see what became of the database: dbrescue log show \(code); to go back: dbrescue restore "
        + "FILE --from \(code)"
    case .act, .install:
      "run the same command again, which finishes or undoes what was begun; the old files are in "
        + "quarantine: dbrescue undo \(code)"
    case .migrate where hasVerifiedBackup, .verify where hasVerifiedBackup && changesDatabase:
      "go back to the backup, then find out why: dbrescue restore FILE --from latest"
    case .start, .open:
      "check the path, the permissions and whether an app holds the file; then: "
        + "dbrescue check FILE"
    default:
      "see the steps where it ran: dbrescue log show \(code); then: dbrescue diagnose FILE"
    }
  }

  private func verdictStep(after code: SupportCode) -> String {
    switch verdict {
    case .healthy: "nothing needs to be done"
    case .outdated: "migrate it with a way back: dbrescue guard FILE -- COMMAND"
    case .newer: "update the app; do not migrate the file and do not reset it"
    case .drifted where isPacked: "unpack it, and look at what comes out: dbrescue diagnose FILE"
    case .drifted where hasVerifiedBackup:
      "see the differences: dbrescue contract verify; to go back: dbrescue restore FILE"
    case .drifted: "see the differences: dbrescue diagnose FILE --contract C"
    case .damagedIntact: "no row is lost; see the options: dbrescue recover FILE"
    case .damagedLossy where hasVerifiedBackup:
      "compare the backup with what can be salvaged: dbrescue recover FILE"
    case .damagedLossy: "keep the original file: dbrescue salvage FILE --output NEW"
    case .unreadable: "find out what the file is, or ask for the right one: dbrescue diagnose FILE"
    case nil where outcome.value == .findings: "see what was found: dbrescue log show \(code)"
    case nil where changesDatabase: "make sure of the result: dbrescue check FILE"
    case nil: "nothing needs to be done"
    }
  }

  private var isMigration: Bool {
    [.guard, .migrate, .open].contains(operation.value)
  }

  private var changesDatabase: Bool {
    switch operation.value {
    case .restore, .reset, .recover, .undo, .guard, .migrate, .open, .playbook: true
    default: false
    }
  }
}
