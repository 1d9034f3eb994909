// SPDX-License-Identifier: Apache-2.0
// What every command answers in JSON, as a schema: a table.

import Diagnosis

/// The documents that commands answer with.
enum ReportShapes {
  /// The documents, by name.
  static let documents: [String: JSONShape] = [
    "look": report(["check", "contract-verify"], ExaminedShapes.look),
    "diagnosis": report(["diagnosis"], ExaminedShapes.diagnosis),
    "salvage": report(["salvage"], SalvageShapes.account),
    "merge": report(["merge"], MergeShapes.account),
    "recovery": report(
      ["recover", "reset", "restore"],
      [
        "code": code, "changed": .flag.saying("whether the database was replaced"),
        "verdict": .named("verdict").saying("on the database in its place afterwards"),
        "losesRows": .named("losesRows"),
        "option?": .text.saying("what was carried out; absent: nothing"),
        "backup?": .text.saying("the backup that was used, by file name"),
        "exported": .list(.object(["path": .text, "rows": .count]))
          .saying("files with the rows that were not sent anywhere yet"),
        "quarantine?": .text.saying("where the old files are"),
        "undo?": .text.saying("the command that brings them back"),
        "tables?": .list(.named("outcome"))
          .saying("what became of the rows that were there, as planned"),
        "salvage?": .named("salvage"),
      ]),
    "plan": report(
      ["plan"],
      [
        "option": .text, "summary": .text, "backup?": .text,
        "steps": .list(.object(["name": .text, "text": .text])),
        "tables": .list(.named("outcome")), "unsynced": .named("unsynced"),
        "quarantine": .text.saying("the folder in which each run keeps the old files apart"),
      ]),
    "restore-plan": report(
      ["restore-plan"], ["option": .constant("restore"), "backup": .text, "output": .text]),
    "restore-to-file": report(
      ["restore-to-file"], ["code": code, "backup": .text, "output": .text]),
    "undo-plan": report(
      ["undo-plan"],
      broughtBack.merging([
        "option": .constant("undo"), "from": .text, "tables": .list(.named("outcome")),
      ]) { $1 }),
    "undo": report(
      ["undo"],
      broughtBack.merging([
        "code": code, "from": .text.saying("where the files were kept"),
        "undo": .text.saying("the command that takes this back"),
        "tables": .list(.named("outcome")).saying("what became of the rows that were there"),
      ]) { $1 }),
    "guard": report(
      ["guard"],
      judged.merging(guarded) { $1 }.merging([
        "result": .words(GuardReport.Result.allCases.map(\.rawValue))
          .saying("what became of the database")
      ]) { $1 }),
    "migrate": report(
      ["migrate"],
      migrated.withOptional(judged.merging(guarded) { $1 }).merging([
        "result": .words(GuardReport.Result.allCases.map(\.rawValue) + ["nothing-to-do"])
          .saying("what became of the database")
      ]) { $1 }),
    "rehearsal": report(["rehearsal"], rehearsed),
    "migrate-plan": report(
      ["migrate-plan"],
      migrated.withOptional(judged).merging([
        "result": .words(["kept", "refused", "nothing-to-do"])
          .saying("what would become of the migration")
      ]) { $1 }),
    "backup": report(["backup"], ["code": code, "backups": .list(.named("storedBackup"))]),
    "vault-list": report(["vault-list"], ["backups": .list(.named("storedBackup"))]),
    "vault-status": report(["vault-status"], VaultShapes.status),
    "vault-verify": report(
      ["vault-verify"], ["code": code, "backups": .list(VaultShapes.verification)]),
    "vault-prune": report(
      ["vault-prune"], ["code": code, "backups": .list(VaultShapes.decision)]),
    "prune-plan": report(["prune-plan"], ["backups": .list(VaultShapes.decision)]),
    "vault-extract": report(["vault-extract"], VaultShapes.extraction),
    "contract-capture": report(["contract-capture"], madeContract),
    "contract-import": report(["contract-import"], madeContract),
    "contract-diff": report(
      ["contract-diff"],
      [
        "differences": .list(.named("difference")).saying("of A from B"),
        "sql?": .text.saying("what leads from A to B"),
        "warnings": .list(.text).saying("what goes with it, and for which rows it fails"),
        "versions": .object([
          "found": .integer.saying("of A"), "expected": .integer.saying("of B"),
        ]),
      ]),
    "playbook-list": report(
      ["playbook-list"], ["playbooks": .list(.object(["name": .text, "title": .text]))]),
    "playbook": report(["playbook"], PlaybookShapes.playbook),
    "playbook-validate": report(
      ["playbook-validate"],
      [
        "playbook": .text,
        "problems": .list(.object(["line": .count, "column": .count, "message": .text])),
      ]),
    "playbook-plan": report(["playbook-plan"], PlaybookShapes.plan),
    "playbook-run": report(["playbook-run"], PlaybookShapes.run),
    "log-list": report(
      ["log-list"],
      [
        "runs": .list(.named("run")),
        "unfinished": .list(.named("beginning")).saying("killed, or at work"),
      ]),
    "finding": report(["finding"], explained),
    "findings": report(["findings"], ["findings": .list(.object(explained))]),
    "explanation": report(
      ["explanation"], ["lines": .list(.object(["label": .text, "text": .text]))]),
    "version": report(["version"], ["tool": .text, "libraries": .text]),
    "error": report(
      ["error"],
      [
        "message": .text.saying("what happened"),
        "meaning": .text.saying("what it means for the data"),
        "advice": .text.saying("what to do next"), "code?": code,
        "changed?": .flagOrNull.saying("whether a run that failed has changed what it was given"),
      ]),
  ]

  /// What documents are made of, beside what the run log says too.
  static let parts: [String: JSONShape] = [
    "unchecked": .object([
      "subject": .words(Unchecked.Subject.allCases.map(\.rawValue)),
      "object?": .text.saying("the table, index or process"), "reason": .text, "message": .text,
    ]),
    "difference": ExaminedShapes.difference, "outcome": ExaminedShapes.outcome,
    "storedBackup": VaultShapes.backup,
  ]

  static let code = JSONShape.named("supportCode")
  static let exit = JSONShape.integer.saying("the exit status of the command")
  static let severity = JSONShape.words(Finding.Severity.allCases.map(\.rawValue))
  static let file = JSONShape.text.saying("the name of the database file")

  /// What a document says of the run that made it.
  static let run: [String: JSONShape] = [
    "tool": .text.saying("the program with its version"),
    "libraries": .text.saying("the libraries in use, with their versions"),
    "created": .date, "code": code, "file": file,
    "inputs": .list(.object(LogShapes.input))
      .saying("the files that were read, the database first"),
  ]

  private static func report(_ types: [String], _ members: [String: JSONShape]) -> JSONShape {
    .document(types, as: .report, members.merging(["exit": exit]) { own, _ in own })
  }

  private static let explained: [String: JSONShape] = [
    "code": .text, "severity": severity, "title": .text,
    "meaning": .text.saying("what it means for the data"),
  ]

  private static let migrated: [String: JSONShape] = [
    "code": code, "from": .integer.saying("the version before"),
    "to": .integer.saying("the version that it was to have"),
    "verdict": .named("verdict"), "losesRows": .named("losesRows"),
    "steps": migrationSteps,
  ]

  private static let migrationSteps = JSONShape.list(
    .object([
      "file": .text, "userVersion": .integer.saying("the version after it"),
      "seconds": .number.saying("how long it took"),
    ])
  ).saying("the files that were applied")

  private static let rehearsed: [String: JSONShape] = [
    "code": code, "seed": .count.saying("what the rows depend on that were made up"),
    "passed": .count.saying("how many ways pass"),
    "starts": .list(
      .object([
        "name": .text, "kind": .words(RehearsalStart.Kind.allCases.map(\.rawValue)),
        "userVersion?": .integer, "seededRows?": .count.saying("rows that were made up"),
        "unseeded?": .list(.object(["table": .text, "reason": .text]))
          .saying("tables for which no row could be made up"),
      ])),
    "cases": .list(
      .object([
        "start": .text, "way": .words(RehearsalCase.Way.allCases.map(\.rawValue)),
        "from?": .integer, "to?": .integer,
        "outcome": .words(RehearsalCase.Outcome.allCases.map(\.rawValue)),
        "reasons": .list(.text).saying("why it does not pass"),
        "notices": .list(.text).saying("what is another than before, and may well be meant"),
        "seconds": .number.saying("how long the migration took"), "rowsBefore": .count,
        "rowsAfter": .count, "tables": .list(rowCount), "steps": migrationSteps,
      ])),
  ]

  private static let madeContract: [String: JSONShape] = [
    "output": .text, "userVersion": .integer, "tableCount": .count,
    "notes": .list(.text).saying("what was not as it usually is"),
  ]

  /// What comes back by an undo.
  private static let broughtBack: [String: JSONShape] = [
    "verdict": .named("verdict").saying("on what comes back, as it was kept"),
    "losesRows": .named("losesRows"),
    "sidecarLeft?": .text.saying("the log or journal that does not come back, if any"),
    "alteredFiles": .list(.text).saying("files that were changed since they were displaced"),
  ]

  private static let guarded: [String: JSONShape] = [
    "code": code, "kept": .flag.saying("whether the migration is kept"),
    "remainders": .list(.text).saying("what is not as it was, although the backup was put back"),
    "backups": .list(.named("storedBackup")).saying("the one that was made first"),
    "remedy?": .words(["restore", "stop"]),
    "blockingMessage?": .list(.text).saying("what the app shows instead of opening the database"),
  ]

  /// What is judged of a migration.
  static let judged: [String: JSONShape] = [
    "program": .text.saying("the program of the command, or the versions"),
    "command": .text.saying("how the command ended"),
    "end": .object([
      "kind": .words(["exited", "killed", "timed-out", "stopped", "outlived", "done", "failed"]),
      "status?": .integer.saying("its exit status"),
      "signal?": .integer.saying("the signal that ended it, or this run"),
    ]),
    "losesData": .flag.saying("whether rows or values are gone that should be there"),
    "verdict": .named("verdict").saying("on the database after the command"),
    "losesRows": .named("losesRows"),
    "reasons": .list(.text).saying("why the result is refused"),
    "notices": .list(.text).saying("what is another than before, and may well be meant"),
    "differences": .list(.named("difference")).saying("from the contract"),
    "schemaChanges": .list(.text).saying("from the schema before"),
    "unchecked": .list(.named("unchecked")), "tables": .list(rowCount),
  ]

  /// The rows of a table before and after.
  static let rowCount = JSONShape.object([
    "table": .text, "oldName?": .text.saying("its name before"), "before?": .count,
    "after?": .count,
  ])
}

extension [String: JSONShape] {
  /// These members, and others that may be absent where they are not among these.
  fileprivate func withOptional(_ others: [String: JSONShape]) -> [String: JSONShape] {
    others.reduce(into: self) { members, other in
      let name = other.key.hasSuffix("?") ? String(other.key.dropLast()) : other.key
      if members[name] == nil { members[name + "?"] = other.value }
    }
  }
}
