// SPDX-License-Identifier: Apache-2.0
// That no value of any row gets into a report, whatever is wrong with the file.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ReportPrivacyTests {
  /// Values that occur nowhere but in rows, and every way in which they could be written.
  private static let text = "XYZZY-geheim-7f3a"
  private static let number = 913_572_468
  private static let forbidden = [
    text, "geheim", Data(text.utf8).base64EncodedString(),
    text.utf8.map { String($0, radix: 16) }.joined(), "\(number)", "913,572,468",
    String(number, radix: 16, uppercase: true), "0.913572468",
  ]

  private static let damages: [Damage] = {
    var damages: [Damage] = [
      .truncatePercent(40), .truncatePercent(80), .wipeHeader, .crlf, .prepend(count: 300),
      .append(count: 300), .loopFreelist,
    ]
    for page in 1...40 {
      damages += [page % 2 == 0 ? .zeroPage(page) : .wipeCellPointers(page: page)]
      if page % 4 == 0 { damages += [.pageType(page: page, type: 13), .swapPages(page, page + 9)] }
    }
    for page in 20...40 { damages.append(.cutOverflow(page: page)) }
    for step in 0..<30 { damages.append(.flipBit(offset: 97 * step + 40, bit: step % 8)) }
    return damages
  }()

  private static let steps: [DatabaseBuilder.Step] = [
    "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, pin INTEGER UNIQUE, share REAL, scan BLOB)",
    "CREATE TABLE outbox (id TEXT PRIMARY KEY, status TEXT, body TEXT) WITHOUT ROWID",
    "CREATE INDEX person_name ON person (name, share)",
    "CREATE VIRTUAL TABLE note USING fts5(body)",
    """
    INSERT INTO person WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n < 90)
    SELECT n, '\(text)' || n, \(number) + 1000000000 * n, 0.913572468, \
    CAST(printf('%.*c', n * 20, 'q') || '\(text)' AS BLOB) FROM c
    """,
    "INSERT INTO outbox SELECT '\(text)' || id, '\(text)', name FROM person",
    "INSERT INTO note SELECT '\(text) ' || id FROM person",
    "DELETE FROM person WHERE id BETWEEN 20 AND 40",
    "PRAGMA user_version = 3",
  ]

  @Test func `no value of a row is in any report of any damage`() throws {
    try ScratchFolder.with { folder in
      let path = folder["app.db"]
      try DatabaseBuilder(pageSize: 512, Self.steps).build(at: path)
      let sound = try path.contents()
      #expect(sound.firstRange(of: Array(Self.text.utf8)) != nil)
      var hurt = 0
      for damage in Self.damages {
        try path.replaceContents(with: damage.applied(to: sound, pageSize: 512))
        let survey = try ReportFixture.survey(path)
        hurt += Reconstruction(survey).findings.isEmpty ? 0 : 1
        for report in try ReportFixture.reports(of: survey, file: "app.db") {
          for rendering in try report.renderings() {
            for secret in Self.forbidden where rendering.contains(secret) {
              Issue.record("\(damage): \(secret)")
            }
          }
        }
      }
      #expect(hurt > 50, "the damage must be seen, or nothing is proven")
    }
  }
}
