// SPDX-License-Identifier: Apache-2.0
// Databases that went back in time.

enum PutBackCause: Cause {
  static let kind = CauseKind.putBack
  static let words = CauseWords(
    title: "an older copy was put in its place, or its log was lost",
    now:
      "Do not let the app go on with it: what came since is in the backup only. Compare the two, "
      + "and restore the backup.",
    differently: "Find out what put it back: a restored volume, a synchronised folder, a container "
      + "without its own storage. dbrescue backup refuses such a state.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    guard let finding = traces.findings(.databaseOlder).first else { return .silent }
    return .fits(.likely, finding.message, [])
  }
}
