// SPDX-License-Identifier: Apache-2.0
// What the SQLite that wrote last is known to have done to databases.

import SQLiteFormat

enum WriterCheck {
  /// The kinds of trouble that pages of an older state give: each page is whole, and they do not fit
  /// one another.
  private static let symptoms: Set<FindingCode> = [
    .pageClaimedTwice, .keyOrder, .treeUneven, .freelistDamaged, .indexMismatch, .rowDoubtful,
    .orphanRows, .pointerMapMismatch,
  ]
  /// The kinds of trouble that speak for another cause.
  private static let otherCauses: Set<FindingCode> = [
    .headerDamaged, .pageDamaged, .cellDamaged, .truncated, .startShifted, .lineEndingsConverted,
    .bytesNotRead, .walForeign, .journalForeign, .walDamaged,
  ]

  /// The causes that fit what was found.
  static func findings(in survey: Survey, besides findings: [Finding]) -> [Finding] {
    let codes = Set(findings.map(\.code))
    guard let header = survey.header, header.isWAL, hasWALReset(header.writerVersion),
      let writer = header.writer,
      !codes.isDisjoint(with: symptoms), codes.isDisjoint(with: otherCauses)
    else { return [] }
    return [
      Finding(
        .walResetPossible,
        "SQLite \(writer) wrote last, in WAL mode, and whole pages do not "
          + "fit one another")
    ]
  }

  /// Whether a version can lose pages when a log begins anew while another connection writes.
  ///
  /// Source: SQLite's release notes of 3.51.3, and of 3.50.7 and 3.44.6, where it was mended too.
  static func hasWALReset(_ version: UInt32) -> Bool {
    switch version {
    case 3_044_006..<3_045_000, 3_050_007..<3_051_000: false
    case 3_007_000..<3_051_003: true
    default: false
    }
  }
}
