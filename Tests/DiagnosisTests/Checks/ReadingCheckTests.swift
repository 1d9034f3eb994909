// SPDX-License-Identifier: Apache-2.0
// What is said of bytes that a disk does not hand out.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ReadingCheckTests {
  /// A file of which one page cannot be read for itself.
  private struct FailingPage: PageSource {
    let whole: MemorySource
    let page: Range<Int>

    var byteCount: Int { whole.byteCount }

    func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
      guard offset != page.lowerBound || count != page.count else {
        throw ReadFailure(offset: offset, reason: "input/output error")
      }
      return whole.read(at: offset, count: count)
    }
  }

  @Test func `bytes that cannot be read are named with their place`() throws {
    let specimen = try Specimen()
    let page = specimen[page: specimen.pages(of: "word", "leaf")[3]]
    let survey = Survey(FailingPage(whole: MemorySource(specimen.bytes), page: page))
    let finding = try #require(survey.findings.first { $0.code == .bytesNotRead })
    #expect(finding.message == "some bytes of the files cannot be read: input/output error")
    #expect(finding.place.offset == page.lowerBound)
    #expect(finding.severity == .loss)
    #expect(ReadingCheck.findings(in: Survey(main: specimen.bytes)).isEmpty)
  }
}
