// SPDX-License-Identifier: Apache-2.0
// Something else in the place of the database file, while its log or journal still lies beside it.

import SQLiteFormat

enum StandInCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let standIn = survey.standIn, let image = survey.image, let suffix = image.sidecar else {
      return []
    }
    switch standIn {
    case .empty:
      // SQLite looks at the length of the file before it looks into what lies beside it.
      return [
        Finding(
          .sidecarDeleted,
          "the file is empty, and all that is read here lies in the \(suffix) beside it: SQLite deletes "
            + "that when it opens the file")
      ]
    case .zeros:
      // Of one with pages, if only with zeros, it reads the log.
      return suffix == "-wal" ? [] : [lies(in: suffix, .allZero, "every byte of the file is zero")]
    case .erased: return [lies(in: suffix, .allZero, "every byte of the file is 255")]
    default: return [lies(in: suffix, .otherFormat, "this is another file: \(standIn.name)")]
    }
  }

  private static func lies(in suffix: String, _ code: FindingCode, _ what: String) -> Finding {
    Finding(
      code, "\(what); all that is read here lies in the \(suffix) beside it", severity: .damage)
  }
}

extension Image {
  /// The suffix of the file that pages come from besides the database file; nil where there is none.
  fileprivate var sidecar: String? {
    if case .applied = wal { return "-wal" }
    if case .applied = journal { return "-journal" }
    return nil
  }
}
