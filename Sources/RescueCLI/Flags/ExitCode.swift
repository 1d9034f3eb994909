// SPDX-License-Identifier: Apache-2.0
// Every status that the program can end with, and what each one means.

import DatabaseRescue
import Diagnosis

/// A status that the program can end with.
///
/// A caller treats numbers that it does not know as failure.
enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case outdated = 10
  case newer = 11
  case drifted = 12
  case damagedIntact = 13
  case damagedLossy = 14
  case unreadable = 15
  case commandFailed = 16
  case commandFailedAndLeft = 17
  case resultRefused = 18
  case resultRefusedAndLeft = 19
  case decisionNeeded = 20
  case declined = 21
  case backupTooOld = 22
  case backupUnproven = 23
  case backupMissing = 24
  case usage = 64
  case invalidInput = 65
  case missing = 66
  case `internal` = 70
  case cannotWrite = 73
  case inputOutput = 74
  case busy = 75
  case permission = 77
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// How a run ends that ends in a status; one that is not among these is a defect.
  init(status: Int32) { self = ExitCode(rawValue: status) ?? .internal }

  /// How a run ends that came to a verdict and did nothing else.
  init(_ verdict: Verdict) { self.init(status: verdict.exitStatus) }

  /// How a run ends that could not be done: by the verdict where that stands in the way.
  init(_ error: RescueError) { self = error.verdict.map { ExitCode($0) } ?? ExitCode(error.kind) }

  /// How a run ends that could not be done.
  init(_ kind: RescueError.Kind) { self.init(status: kind.rawValue) }

  /// What it means, without a full stop.
  var meaning: String {
    switch self {
    case .success: "done; nothing is wrong, and nothing was lost"
    case .outdated: "outdated: \(Verdict.outdated.meaning)"
    case .newer: "newer: \(Verdict.newer.meaning)"
    case .drifted: "drifted: \(Verdict.drifted.meaning)"
    case .damagedIntact: "damaged: \(Verdict.damagedIntact.meaning)"
    case .damagedLossy: "damaged: \(Verdict.damagedLossy.meaning)"
    case .unreadable: "unreadable: \(Verdict.unreadable.meaning)"
    case .commandFailed:
      "the command failed; the database is what it was before, untouched or put back"
    case .commandFailedAndLeft: "the command failed; the database is as the command left it"
    case .resultRefused:
      "the result of the command does not verify; the database is what it was before"
    case .resultRefusedAndLeft:
      "the result of the command does not verify; the database is as the command left it"
    case .decisionNeeded: "a decision is needed and nobody was there to ask; nothing was changed"
    case .declined: "declined or cancelled; nothing was changed"
    case .backupTooOld: "the last good backup is older than it may be"
    case .backupUnproven:
      "the last good backup was never restored on trial, nor read in full since"
    case .backupMissing: "there is no good backup"
    case .usage: "the command line is wrong"
    case .invalidInput: "a contract, playbook, backup or other input is not valid"
    case .missing: "there is no such file"
    case .internal: "a defect of dbrescue itself"
    case .cannotWrite: "no space, or no way to write"
    case .inputOutput: "reading or writing failed"
    case .busy: "another process holds the database; try again"
    case .permission: "permission is missing"
    case .hungUp: "the terminal was closed: as 130"
    case .interrupted: "interrupted; what had begun to change was carried to its end, or undone"
    case .terminated: "told to end (SIGTERM): as 130"
    }
  }

  /// How every command can end.
  static let always: [ExitCode] = [
    .success, .usage, .internal, .inputOutput, .hungUp, .interrupted, .terminated,
  ]

  /// How a command can end that reads a file.
  static let reading: [ExitCode] = [.missing, .permission]

  /// How a command can end that writes a file.
  static let writing: [ExitCode] = [.cannotWrite]

  /// How a command can end that comes to a verdict.
  static let verdicts = Verdict.allCases.map { ExitCode($0) }

  /// How a command can end that runs another one under guard.
  static let guarding: [ExitCode] = [
    .commandFailed, .commandFailedAndLeft, .resultRefused, .resultRefusedAndLeft,
  ]

  /// How a command can end that looks at how old backups are.
  static let watching: [ExitCode] = [.backupTooOld, .backupUnproven, .backupMissing]

  /// How a command can end that asks before it acts.
  static let asking: [ExitCode] = [.decisionNeeded, .declined]
}
