// SPDX-License-Identifier: Apache-2.0
// A file that is something else than its name says.

import SQLiteFormat

enum OtherContentCause: Cause {
  static let kind = CauseKind.otherContent
  static let words = CauseWords(
    title: "this is not the database, but another file",
    now: "Ask for the database itself, with its -wal and -journal if they are there, sent as they "
      + "are or in a zip. If this lies where the app looks for its database, keep it and restore a "
      + "backup.",
    differently: "Check the size and the first bytes of a download before it takes the place of a "
      + "file: a database begins with 'SQLite format 3'.")

  static func judgement(of traces: Traces) -> CauseJudgement {
    switch traces.survey.kind {
    case .other(let name):
      .fits(
        .certain, "the file is \(article(of: name))\(name)",
        ["its first bytes are those of \(article(of: name))\(name)"], now: advice(for: name))
    case .text:
      .fits(.certain, "the file is text", ["there is nothing but text in it"])
    case .database, .headlessDatabase: .ruledOut("there are pages of a database in it")
    default: .silent
    }
  }

  private static func article(of name: String) -> String {
    if name.hasPrefix("HTML") || name.hasPrefix("JSON") { return "" }
    return name.first.map { "aeiou".contains($0.lowercased()) || name.hasPrefix("LTX") } == true
      || name.hasPrefix("xz") || name.hasPrefix("SQL") ? "an " : "a "
  }

  /// What to do about some kinds of file, as people meet them.
  private static func advice(for name: String) -> String? {
    if name.contains("archive") {
      return "Unpack it, and diagnose the database that is in it: it may be all right. Keep the "
        + "archive."
    }
    if name.hasPrefix("Git LFS") {
      return "Fetch the file itself with git lfs pull: this names it, and does not hold it."
    }
    if name.hasPrefix("HTML") {
      return "Download the file again while signed in, or ask for it as an attachment: what was "
        + "saved is a web page, perhaps one that asks to sign in or tells of an error."
    }
    if name.hasPrefix("JSON") {
      return "Ask for the file again: this looks like the answer of a server, which may say why it "
        + "gave no file."
    }
    if name.hasPrefix("Realm") || name.hasPrefix("BoltDB") {
      return "Nothing says that it is damaged: it is a database of another kind, and has tools of "
        + "its own. Ask which file the app keeps in SQLite."
    }
    if name.hasPrefix("SQL script") {
      return "Run it into a new database with SQLite's own program: the statements that make the "
        + "database are in it."
    }
    if name.contains("base64") {
      return "Decode it, and diagnose what comes out: base64 -d FILE > NEW."
    }
    return nil
  }
}
