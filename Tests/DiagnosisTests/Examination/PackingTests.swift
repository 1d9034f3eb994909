// SPDX-License-Identifier: Apache-2.0
// What is said of the archive that a database came in.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct PackingTests {
  private func findings(_ damage: String?) -> [Finding] {
    Packing(kind: .zip, archive: "sent.zip", member: "data/app.db", damage: damage).findings
  }

  @Test func `a database that came in an archive is worth a notice`() {
    let findings = findings(nil)
    #expect(findings.map(\.code) == [.packed])
    #expect(
      findings.map(\.message) == [
        "the database is 'data/app.db' in the zip archive 'sent.zip', and was read from a private "
          + "copy"
      ])
    #expect(findings.map(\.severity) == [.notice])
  }

  @Test func `an archive that lies where an app looks for its database is not healthy`() throws {
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    for (archive, verdict) in [("app.db", Verdict.drifted), ("app.db.gz", .healthy)] {
      var use = LiveUse()
      use.packing = Packing(kind: .gzip, archive: archive, member: "app.db", damage: nil)
      let found = try Examination(Reconstruction(Survey(main: bytes)), use: use)
      #expect(found.verdict == verdict)
      #expect((found.causes.leading?.kind == .otherContent) == (verdict == .drifted))
    }
  }

  @Test func `an archive that is damaged is named with what is wrong with it`() {
    let findings = findings("'sent.zip' ends too early")
    #expect(findings.map(\.code) == [.packed, .archiveDamaged])
    #expect(findings.last?.message == "'sent.zip' ends too early; what came before was read")
    #expect(findings.last?.severity == FindingCode.archiveDamaged.severity)
  }
}
