// SPDX-License-Identifier: Apache-2.0
// What a look at a database answers, and a diagnosis, as a schema: a table.

import Diagnosis

/// What a look at a database answers, and a diagnosis.
enum ExaminedShapes {
  /// What a look finds.
  static let look: [String: JSONShape] = ReportShapes.run.merging([
    "verdict": .named("verdict").saying("the sum of the findings"),
    "losesRows": .named("losesRows"),
    "meaning": .text.saying("what the verdict means for the data"),
    "rows": .object([
      "readable": .count.saying("rows that can be read and are in their place"),
      "doubtful": .count.saying("rows that can be read, with something against them"),
      "unplaced": .count.saying("rows that can be read, whose table nothing tells"),
      "lost": .named("loss").saying("rows that cannot be read"),
    ]),
    "tables": .list(table), "tablesOmitted": .count, "versions": .named("versions"),
    "unsynced": .named("unsynced"), "cutOffMigration?": cutOffMigration,
    "differences": .list(.named("difference")).saying("from the contract"),
    "differencesOmitted": .count,
    "findings": .list(finding).saying("by kind, the heaviest first"),
    "unchecked": .list(.named("unchecked")), "uncheckedOmitted": .count, "facts": facts,
  ]) { $1 }

  /// What a diagnosis adds.
  static let diagnosis: [String: JSONShape] = look.merging([
    "options": .list(option).saying("what can be done, the least destructive first"),
    "causes": .list(cause).saying("what happened to the file, the surest first"),
    "causeUnknown": .flag.saying("whether something is wrong and no cause is at least likely"),
    "ruledOut": .list(
      .object([
        "cause": causeName, "title": .text, "reason": .text.saying("what proves it wrong"),
      ])
    ).saying("causes that are ruled out, where none is sure"),
    "hint?": .text.saying("what would bring back more"),
    "next?": .text.saying("the command to run next"),
    "undo?": .text.saying("the command that takes next back"),
    "pages?": .object(
      Dictionary(PageMap.Kind.allCases.map { ($0.rawValue, .count) }) { $1 }.merging([
        "\(PageMap.listKey)?": .list(.count).saying("the numbers of the first damaged ones")
      ]) { $1 }
    ).saying("how many pages belong to what"),
    "advice?": .object([
      "withheld?": .text.saying("why none is given, and what to do first"), "items": .list(advice),
    ]).saying("what is slow or at risk, where that was asked"),
  ]) { $1 }

  private static let advice = JSONShape.object([
    "advice": .words(AdviceKind.allCases.map(\.rawValue)),
    "title": .text.saying("what it is about, in a few words"),
    "found": .text.saying("what was found"), "figures": .map(.count),
    "places": .list(
      .object([
        "object": .text.saying("a table, index or column"),
        "message": .text.saying("what it has of it"),
      ])), "placesOmitted": .count,
    "costs": .text.saying("what it costs as long as it is there"), "action": .text,
    "sql": .list(.text).saying("the statements to run, in order"),
    "unless": .text.saying("when not to"),
  ])

  private static let causeName = JSONShape.words(CauseKind.allCases.map(\.rawValue))

  private static let cause = JSONShape.object([
    "cause": causeName, "confidence": .words(Confidence.allCases.map(\.rawValue)),
    "title": .text.saying("the cause in a few words"),
    "happened": .text.saying("what happened to this file"),
    "evidence": .list(.text).saying("what speaks for it"),
    "against": .list(.text).saying("what speaks against it, or as well for something else"),
    "now": .text.saying("what to do now, and what to say to the user"),
    "differently": .text.saying("what to do differently from now on"),
  ])

  private static let cutOffMigration = JSONShape.object([
    "backup?": .text.saying("the backup from before it, by file name"),
    "deadline?": .date.saying("when its command was to be stopped, in UTC, by ISO 8601"),
    "restore": .text.saying("the command that goes back to before it"),
    "accept": .text.saying("the command that keeps what is there, once it is checked"),
  ]).saying("a migration that was begun under guard and was cut off")

  private static let table = JSONShape.object([
    "table": .text, "readable": .count, "doubtful": .count, "lost": .named("loss"),
    "lostAtMost?": .count.saying("the most rows that can be lost"),
    "pages": .count.saying("the pages that belong to the table"),
  ])

  private static let finding = JSONShape.object([
    "code": .text.saying("a code of the catalogue"), "severity": ReportShapes.severity,
    "title": .text.saying("the kind in a few words"),
    "meaning": .text.saying("what it means for the data"),
    "count": .count.saying("how many findings there are of the kind"),
    "places": .list(
      .object([
        "severity": ReportShapes.severity, "message": .text.saying("what was found"),
        "object?": .text.saying("the table, index, view or trigger"),
        "page?": .integer.saying("the page, from 1"),
        "offset?": .integer.saying("the byte in the page, else in a file"),
        "fileOffset?": .integer.saying("the byte in the database file"),
      ])), "placesOmitted": .count,
  ])

  /// One way in which a database is not the one expected.
  static let difference = JSONShape.object([
    "kind": .words(ContractDifference.Kind.allCases.map(\.rawValue)),
    "subject": .words(ContractDifference.Subject.allCases.map(\.rawValue))
      .saying("what it is that differs"),
    "object": .text.saying("its name, such as workouts.timezone"),
    "weight": .words(ContractDifference.Weight.allCases.map(\.rawValue)),
    "expected?": .text.saying("what is expected, in a few words of SQL"),
    "found?": .text.saying("what is there"),
    "sql?": .text.saying("what would mend it: one script for all that needs the same table"),
    "warnings": .list(.text).saying("what goes with that, and for which rows it fails"),
  ])

  /// What an option is predicted to do to a table.
  static let outcome = JSONShape.object([
    "table": .text, "kept": .count.saying("rows that stay as they are"),
    "changed": .count.saying("rows that stay with other values"),
    "quarantined": .count.saying("rows that go to the quarantine file"),
    "lost": .named("loss").saying("rows that go"), "lostAtMost?": .count,
    "regained": .count.saying("rows that come back"),
  ])

  private static let option = JSONShape.object([
    "name": .text.saying("what --choose takes"), "summary": .text,
    "destructive": .flag.saying("whether rows of the current database may go"),
    "backup?": .text.saying("the backup that a restore uses, by file name"),
    "estimated?": .text.saying("why the figures are of a first reading, and were not tried"),
    "kept": .count, "changed": .count, "quarantined": .count,
    "unplaced": .count.saying("rows that go to quarantine, whose table nothing tells"),
    "lost": .named("loss"), "regained": .count, "tables": .list(.named("outcome")),
    "tablesOmitted": .count, "command?": .text.saying("the command that carries it out"),
  ])

  private static let facts = JSONShape.object([
    "kind": .text.saying("what the file is"), "byteCount?": .count, "pageSize?": .count,
    "reservedBytes?": .count.saying("the bytes of a page that are left to extensions"),
    "pageCount?": .count.saying("the pages, those in journals included"),
    "pageSizeFrom?": .words(["header", "pages", "wal"]).saying("who says so"),
    "start?": .integer.saying("where the database starts in the file"), "encoding?": .text,
    "autoVacuum?": .words(["none", "full", "incremental"]),
    "journalMode?": .words(["rollback", "wal"]),
    "wal?": .text.saying("what became of the write-ahead log"),
    "journal?": .text.saying("what became of the rollback journal"), "freePages?": .count,
    "schemaCookie?": .integer, "schemaFormat?": .integer, "userVersion?": .integer,
    "applicationID?": .integer, "writtenBy?": .text.saying("the SQLite version that last wrote"),
    "frameworks": .list(
      .object([
        "name": .text,
        "confidence": .words(FrameworkMatch.Certainty.allCases.map(\.rawValue)),
        "version?": .text.saying("of which version the database is, as the framework notes it"),
        "migrations?": .count.saying("how many migrations it has noted as carried out"),
      ])),
  ])
}
