// SPDX-License-Identifier: Apache-2.0
// Is this a database at all, and if not, what is it?

import SQLiteFormat

enum IdentityCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    if let failure = survey.readFailure {
      return [
        Finding(
          .unreadableBytes, "the file cannot be read: \(failure.reason)",
          at: .init(offset: failure.offset))
      ]
    }
    guard survey.geometry == nil else { return [] }
    switch survey.kind {
    case .database, .headlessDatabase:
      return [
        Finding(
          .geometryUndetermined,
          survey.geometryCandidates.isEmpty
            ? "no page size makes sense of the pages of this database"
            : "some pages speak for each of these page sizes, and none has a clear majority: "
              + survey.geometryCandidates.map(\.words).joined(separator: ", "))
      ]
    case .empty: return [Finding(.empty, "the database has no pages")]
    case .zeros: return [Finding(.allZero, "every byte of the file is zero")]
    case .erased: return [Finding(.allZero, "every byte of the file is 255")]
    case .encrypted:
      return [
        Finding(.encrypted, "the bytes have no pattern: an encrypted database, or random data")
      ]
    case .writeAheadLog, .rollbackJournal:
      return [Finding(.journalWithoutDatabase, "the file is: \(survey.kind.name), not a database")]
    case .backup: return [Finding(.otherFormat, "this is a backup of this program")]
    case .other(let name): return [Finding(.otherFormat, "this is another file: \(name)")]
    case .text: return [Finding(.otherFormat, "this is text")]
    case .unknown: return [Finding(.notADatabase, "nothing here looks like an SQLite database")]
    }
  }
}

extension Geometry {
  /// The geometry in a few words.
  var words: String {
    "\(pageSize) bytes" + (reserved > 0 ? " with \(reserved) reserved" : "")
  }
}
