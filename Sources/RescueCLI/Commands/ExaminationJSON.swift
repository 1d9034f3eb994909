// SPDX-License-Identifier: Apache-2.0
// An examination as JSON: stable names, documented here.
//
// code        support code
// verdict     healthy outdated newer drifted damaged unreadable
// exit        exit status of that verdict
// tool        the program with its version
// libraries   the libraries in use, with their versions
// losesRows   whether rows are lost or doubtful
// fileKind    what the file is, in words
// versions    found, expected (null when unknown), relation
// framework   who made the file; null when unknown
// unsynced    rows that wait to be sent; null when that cannot be told
// findings    code, severity, message, page, offset, object
// unchecked   what was not checked: subject, object, reason, message
// tables      name, rows that can be read, lost (exactly N rows …)

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// An examination as members of a JSON document.
struct ExaminationJSON {
  let members: [String: JSON]

  init(_ examination: Examination, code: SupportCode) {
    let unsynced: JSON =
      switch examination.unsynced {
      case .none: 0
      case .some(let count): .integer(count)
      case .cannotTell: nil
      }
    members = [
      "code": .string(code.description),
      "tool": .string("\(Program.name) \(Program.version)"),
      "libraries": .string(Rescue.libraries),
      "verdict": .string(examination.verdict.word),
      "exit": .integer(Int(examination.verdict.exitStatus)),
      "losesRows": .bool(examination.losesRows),
      "fileKind": .string(examination.survey.kind.name),
      "versions": [
        "found": .optional(examination.foundVersion.map { .integer($0) }),
        "expected": .optional(examination.expectedVersion.map { .integer($0) }),
        "relation": .string(examination.relation.rawValue),
      ],
      "framework": .optional(examination.frameworks.first.map { .string($0.framework.title) }),
      "unsynced": unsynced,
      "findings": .array(examination.findings.map(Self.finding)),
      "unchecked": Self.unchecked(examination.unchecked),
      "tables": .array(
        examination.survey.userTables.sorted { $0.key < $1.key }.map { _, tree in
          [
            "name": .string(tree.entry.name.text), "rows": .integer(tree.records),
            "lost": .string(examination.survey.loss(of: tree).description),
          ]
        }),
    ]
  }

  /// What was not checked, each thing once.
  static func unchecked(_ unchecked: [Unchecked]) -> JSON {
    .array(
      ReportedUnchecked.list(unchecked).map { thing in
        [
          "subject": .string(thing.subject), "object": .optional(thing.object.map { .string($0) }),
          "reason": .string(thing.reason), "message": .string(thing.message),
        ]
      })
  }

  private static func finding(_ finding: Finding) -> JSON {
    [
      "code": .string(finding.code.name), "severity": .string(finding.severity.rawValue),
      "message": .string(finding.message),
      "page": .optional(finding.place.page.map { .integer($0.number) }),
      "offset": .optional(finding.place.offset.map { .integer($0) }),
      "object": .optional(finding.place.object.map { .string($0) }),
    ]
  }
}
