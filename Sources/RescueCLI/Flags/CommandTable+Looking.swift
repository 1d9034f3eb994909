// SPDX-License-Identifier: Apache-2.0
// The commands that look at a database.

extension Command {
  static let check = Command(
    "check", .look, "say in one word what state a database is in",
    description: [
      """
      Reads the database with its -wal or -journal, and prints the verdict and what it rests on. \
      Made for scripts and for the start of an app: the exit status is the verdict.
      """,
      """
      Where there are backups of it, beside it or in --vault, it is compared with the newest good \
      one: an older copy that was put in its place is sound, and is told of.
      """,
      "Nothing is changed: the files are opened for reading, and not by SQLite.",
    ],
    operands: [.file], flags: [.contract, .vault, .wal, .journal, .offset, .length, .maxSize],
    examples: [
      ("dbrescue check app.db", "the verdict, in one line and in the exit status"),
      (
        "dbrescue check app.db --contract app.contract.json",
        "is it also the version and the schema that the app expects?"
      ),
      ("dbrescue check app.db --json --quiet", "the same for a program to read"),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + [.busy, .invalidInput])

  static let diagnose = Command(
    "diagnose", .look, "find out what is wrong, what was lost, and what can be done",
    description: [
      """
      Examines every page of the database and of its -wal or -journal. Prints each finding with \
      its code and place, the rows of every table that can and cannot be read, and the options: \
      what can be done now, what each would bring back and what it would lose, least destructive \
      first.
      """,
      """
      Nothing is changed: the files are opened for reading, and not by SQLite. No report holds \
      the value of any row.
      """,
      """
      With --advice, a sound database is read once more for what is slow or at risk: unused space \
      and what VACUUM would give back, scattered trees, a log that grows, missing statistics, \
      needless and missing indexes, text among numbers. What leaves no trace in a file, such as \
      synchronous=OFF, is no part of it.
      """,
    ],
    operands: [.file],
    flags: [
      .contract, .report, .force, .vault, .advice, .wal, .journal, .offset, .length, .maxSize,
    ],
    examples: [
      ("dbrescue diagnose user.db", "the findings and the options on the terminal"),
      ("dbrescue diagnose app.db --advice", "what is slow or at risk as well"),
      ("dbrescue diagnose user.db --report user.html", "a report to pass on as well"),
      (
        "dbrescue diagnose copy.db --wal saved/app.db-wal",
        "with a write-ahead log that was saved under another name"
      ),
    ],
    exitCodes: ExitCode.verdicts + ExitCode.reading + ExitCode.writing + [.busy, .invalidInput])

  static let explain = Command(
    "explain", .look, "tell what a support code or the code of a finding stands for",
    description: [
      """
      A support code holds the essence of its run: what was done, how it went, the verdict, the \
      leading finding, the versions and the day. It is decoded anywhere, without the log. Case, \
      dashes and letters that look like digits are forgiven; a misread symbol is detected.
      """
    ],
    operands: [.subject],
    flags: [.markdown.saying("print the page of a finding, or of all, as Markdown")],
    examples: [
      ("dbrescue explain DBR-F060", "what this finding means for the data"),
      ("dbrescue explain findings", "every finding that there is"),
      ("dbrescue explain CODE", "what happened in the run that printed CODE"),
    ],
    exitCodes: [.invalidInput])
}
