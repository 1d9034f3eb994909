// SPDX-License-Identifier: Apache-2.0
// The fault of SQLite in beginning a log anew.

import SQLiteFormat

enum WALResetCause: Cause {
  static let kind = CauseKind.walReset
  static let words = CauseWords(
    title: "a fault of SQLite lost pages of its log",
    now: "Salvage it, and have the app use a version of SQLite without that fault.",
    differently: "Use SQLite 3.51.3 or later, or 3.50.7 or 3.44.6.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard traces.survey.image != nil, traces.header != nil else { return .silent }
    guard traces.isWAL else { return .ruledOut("it keeps no write-ahead log") }
    guard let finding = traces.findings(.walResetPossible).first, traces.isMixture else {
      return .silent
    }
    return .fits(
      .possible, "SQLite can have lost pages when its log began anew", [finding.message],
      against: ["it needs a second connection at the very moment, and is rare"])
  }
}
