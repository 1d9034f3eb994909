// SPDX-License-Identifier: Apache-2.0
// The lines of the run log, as a schema: a table.

import Diagnosis

/// The lines of the run log, and what they are made of.
enum LogShapes {
  /// The kinds of line.
  static let documents: [String: JSONShape] = [
    "run": .document(
      ["run"], as: .log,
      [
        "code": .named("supportCode"),
        "began?": .named("supportCode").saying("the code under which a change was begun"),
        "started": .date, "seconds": .number.saying("how long the run took"),
        "operation": .text.saying("what was run, such as vault-verify"),
        "stage": .text.saying("how far it came"), "outcome": .text.saying("how it ended"),
        "exit": .integer.saying("the exit status of the command"),
        "tool": .text, "libraries?": .text, "verdict?": .named("verdict"),
        "losesRows?": .named("losesRows"),
        "framework?": .text.saying("who made the file"), "flags": flags,
        "findings": .list(
          .object(["code": .text.saying("a code of the catalogue"), "count": .count])),
        "versions": .named("versions"), "file?": .text.saying("the name of the database"),
        "byteCount?": .count, "inputs": .list(loggedInput), "backupUsed?": .text,
        "backupMade?": .text,
        "tables": .list(table), "tablesOmitted?": .count, "migration?": migration,
        "steps": .list(.object(["name": .text, "outcome": .text, "seconds": .number])),
        "stepsOmitted?": .count,
      ]),
    "beginning": .document(
      ["beginning"], as: .log,
      [
        "began": .named("supportCode").saying("the code that the run has if it succeeds"),
        "at": .date, "file": .text.saying("the name of the database"),
      ]
    ).saying("what a run writes before it may change a database"),
    "correction": .document(
      ["correction"], as: .log,
      ["code": .named("supportCode").saying("the code of the run"), "exit": ReportShapes.exit]
    ).saying("how a run ended after which its report could not be written"),
  ]

  private static let migration = JSONShape.object([
    "program": .text, "end": .text.saying("how the command ended, in one word"),
    "status?": .integer.saying("its exit status"),
    "signal?": .integer.saying("the signal that ended it"),
    "result": .words(GuardReport.Result.allCases.map(\.rawValue))
      .saying("what became of the database"),
    "problems": .list(.text).saying("why the result was refused"),
    "rows": .list(.object(["table": .text, "before?": .count, "after?": .count]))
      .saying("the tables whose number of rows is another one than before"),
  ]).saying("what a command did to the database under guard")

  private static let flags = JSONShape.object([
    "wal": .flag.saying("whether a -wal with content lay beside the database"),
    "unsynced": .named("unsynced"), "verifiedBackup": .flag, "restored": .flag,
    "rowsLost": .flag, "unattended": .flag.saying("whether nobody was there to ask"),
  ])

  /// What every format says of a file that was read.
  static let input: [String: JSONShape] = [
    "name": .text, "sha256?": .text,
    "partialDigest?": .text.saying(
      "where there are large holes or unreadable bytes: the digest of the rest"),
    "unchanged?": .flag.saying("whether the digest was the same after the run"),
  ]

  private static let loggedInput = JSONShape.object(
    input.merging(["after?": .text.saying("the digest after the run, where it is another")]) { $1 })

  private static let table = JSONShape.object([
    "table": .text, "seen": .count, "written": .count, "quarantined": .count,
    "duplicates": .count, "lost": .named("loss"),
  ])

  /// What both formats say in the same way.
  static let parts: [String: JSONShape] = [
    "supportCode": .text.saying("a support code: dbrescue explain CODE"),
    "verdict": .words(Set(Verdict.allCases.map(\.word)).sorted()),
    "losesRows": .flag.saying("whether rows are lost or doubtful"),
    "loss": .object([
      "kind": .words(RowLoss.Kind.allCases.map(\.rawValue)),
      "rows?": .count.saying("the number; not where it is unknown"),
    ]),
    "unsynced": .object([
      "state": .words(["none", "some", "cannot-tell", "not-looked-for"]),
      "rows?": .count.saying("how many rows were not sent anywhere yet, where that is known"),
    ]),
    "versions": .object([
      "found?": .integer.saying("the user_version"),
      "expected?": .integer.saying("the version that the app expects"),
      "relation": .words(VersionRelation.allCases.map(\.rawValue)),
    ]),
  ]
}
