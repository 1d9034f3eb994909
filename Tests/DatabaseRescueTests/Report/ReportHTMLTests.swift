// SPDX-License-Identifier: Apache-2.0
// That pages are whole, need nothing else, and are no place for anybody's markup.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct ReportHTMLTests {
  @Test(arguments: ReportFixture.samples)
  func `every page is well formed and needs nothing else`(sample: String) throws {
    let survey = try ReportFixture.survey(sample: sample)
    for report in try ReportFixture.reports(of: survey, file: PlainName(sample)) {
      let html = report.html
      #expect(Markup.fault(in: html) == nil)
      for word in ["<script", "http:", "https:", "src=", "href=", "url(", "@import", "onload"] {
        #expect(!html.contains(word), "\(word)")
      }
    }
  }

  @Test(arguments: [
    ("<b><i></b></i>", "closes another"), ("<p>", "never closed"), ("a & b", "cut off"),
    ("<p>&nbsp;</p>", "no entity"), ("a > b", "stray"), (#"<p class="a>x</p>"#, "broken tag"),
  ])
  func `the check finds what is not well formed`(html: String, fault: String) throws {
    #expect(try #require(Markup.fault(in: html)).contains(fault))
  }

  @Test func `what is interpolated is never markup`() {
    let hostile = #"<img src="x" onerror='y'>&amp;"#
    let html: HTML = "<td title=\"\(hostile)\">\(hostile)</td>"
    #expect(Markup.fault(in: html.source) == nil)
    #expect(!html.source.contains("<img"))
  }

  @Test func `the support code can be read aloud`() throws {
    let code = try SupportCode(parsing: "\(ReportFixture.code)")
    let html = HTML.supportCode(code).source
    let group = String("\(code)".split(separator: "-")[1])
    #expect(html.contains("<b>\(group)</b>"))
    #expect("\(code)".first { $0 == "Z" } == nil || html.contains("Zulu"))
    #expect(!html.contains("<span></span>"))
  }
}
