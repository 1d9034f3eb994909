// SPDX-License-Identifier: Apache-2.0
// Databases that need a key: not damaged as far as anyone can tell.

enum EncryptedCause: Cause {
  static let kind = CauseKind.encrypted
  static let words = CauseWords(
    title: "it is encrypted, and the key is missing or another one",
    now:
      "Do not reset it: nothing says that it is damaged. Ask for the key, or for an export from an "
      + "app that has it. Ask whether the app changed its key, or was restored on another device "
      + "without its keychain.",
    differently:
      "Have the app tell a wrong key and a locked device from damage: SQLite says 'file is "
      + "not a database' of all three.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    switch traces.survey.kind {
    case .encrypted:
      .fits(
        .likely, "its bytes have no pattern, as those of an encrypted database have none",
        ["each byte value is about as frequent as every other"],
        against: ["random data looks the same"])
    case .database, .headlessDatabase: .ruledOut("its pages can be read")
    default: .silent
    }
  }
}
