// SPDX-License-Identifier: Apache-2.0
// Databases of a newer or an older app: nothing is wrong with them.

enum NewerAppCause: Cause {
  static let kind = CauseKind.newerApp
  static let words = CauseWords(
    title: "a newer app has written it",
    now: "Install the newer app. Do not migrate, restore or reset: nothing is broken.",
    differently: "Have the app say so when it meets a newer version, and not call it damage.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    if let finding = traces.findings(.versionNewer).first,
      traces.examination.verdict == .newer
    {
      return .fits(.certain, finding.message, [])
    }
    if let finding = traces.findings(.unsupportedVersion).first {
      return .fits(
        .possible, "a newer version of SQLite has written it", [finding.message],
        against: ["no version of SQLite that is known writes such a file: two bytes may be wrong"])
    }
    return .silent
  }
}

enum OlderAppCause: Cause {
  static let kind = CauseKind.olderApp
  static let words = CauseWords(
    title: "the app has not migrated it yet",
    now: "Back up, then let the app run its migrations. Nothing is broken.",
    differently: "Have the app migrate at its start, under a verified backup.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let finding = traces.findings(.versionOlder).first,
      traces.examination.verdict == .outdated
    else { return .silent }
    return .fits(.certain, finding.message, [])
  }
}
