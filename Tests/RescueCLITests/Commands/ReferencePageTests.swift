// SPDX-License-Identifier: Apache-2.0
// The pages of docs/reference are what the program says today.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct ReferencePageTests {
  /// A page, and the words that print it.
  struct Page: Sendable, CustomStringConvertible {
    let description: String
    let words: [String]
  }

  static let pages =
    PublishedFormat.allCases.map {
      Page(description: "\($0.rawValue).md", words: ["schema", $0.rawValue, "--markdown"])
    } + [Page(description: "findings.md", words: ["explain", "findings", "--markdown"])]

  @Test(arguments: pages)
  func `a page is what the program says`(_ page: Page) throws {
    let path = Checkout.root.appending(FilePath("docs/reference/\(page)"))
    let written = String(decoding: try path.contents(), as: UTF8.self)
    let printed = try Workbench().run(page.words).output
    #expect(written == printed, "make reference writes it anew")
    // What a cell of a table holds does not end it.
    for line in printed.split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.replacing("\\|", with: "").count { $0 == "|" }
      #expect(cells == 3 || cells == 4, "\(line)")
    }
  }

  @Test func `each finding has its page`() throws {
    let bench = try Workbench()
    let page = try bench.run("explain", "findings", "--markdown").output
    let list = try bench.run("explain", "findings")
    let found = try bench.run("explain", "findings", "--json").json["findings"]?.elements ?? []
    #expect(found.count == FindingCode.allCases.count)
    for code in FindingCode.allCases {
      #expect(page.contains("## \(code.name): \(code.title)\n"))
      #expect(list.output.contains(code.name))
      #expect(found.contains { $0["code"]?.text == code.name })
    }
    let one = try bench.run("explain", "DBR-F060", "--markdown").output
    #expect(one.hasPrefix("## DBR-F060: ") && page.contains(one))
  }

  @Test func `the schema of playbooks says what each key means`() throws {
    let page = try Workbench().run("schema", "playbook", "--markdown").output
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      #expect(!line.hasSuffix("|  |") || line.hasPrefix("| `parameters[].type`"), "\(line)")
    }
  }
}
