// SPDX-License-Identifier: Apache-2.0
// Databases of a newer or an older app: nothing is wrong with them.

import SQLiteFormat

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
      if let version = versionStatedTwice(traces) {
        return .fits(
          .likely, "another version of SQLite, or a branch of it, has written it",
          [
            finding.message,
            "both numbers that say who can write and read it are \(version), and all else is sound",
          ],
          now:
            "Open it with the program that has written it last, or ask which one that was. Do not "
            + "salvage, restore or reset: nothing is broken.")
      }
      return .fits(
        .possible, "a newer version of SQLite has written it", [finding.message],
        against: ["no version of SQLite that is known writes such a file: two bytes may be wrong"])
    }
    return .silent
  }

  /// The version of the file format that is stated for writers and for readers, where it is one that
  /// may come and nothing else is wrong: a fault turns one byte, and not two into the same.
  private static func versionStatedTwice(_ traces: Traces) -> UInt8? {
    guard traces.wrong == [.unsupportedVersion], let main = traces.survey.image?.files.main,
      let bytes = try? main.read(at: 18, count: 2), bytes.count == 2, bytes[0] == bytes[1],
      (3...9).contains(bytes[0])
    else { return nil }
    return bytes[0]
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
