// SPDX-License-Identifier: Apache-2.0
// That names which a file chooses are shown, and nothing more.

import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct HostileNameTests {
  /// A name that a hostile file can choose; failures show only its beginning.
  struct Name: CustomTestStringConvertible, ExpressibleByStringInterpolation {
    let text: String
    init(stringLiteral value: String) { text = value }
    var testDescription: String { String(text.unicodeScalars.prefix(12).map { "\($0)" }.joined()) }
  }

  static let names: [Name] = [
    "<script>alert(1)</script>", #"quote"'`&amp;<b>"#, "escape \u{1B}[31m\u{7} \u{9B}31m",
    "override \u{202E}lqs.exe \u{2066}x", "line\nfeed\r\ttab\u{85}\u{2028}", "--><!--", "]]>",
    "zero\u{200B}width\u{FEFF}\u{E0041}", "\(String(repeating: "A", count: 10_000))end",
    "e\(String(repeating: "\u{301}", count: 10_000))", "/home/alice/secret", "",
  ]

  /// A database whose tables, indexes, views and columns have a name, with a page of each table
  /// destroyed.
  private static func survey(_ name: String, in folder: ScratchFolder) throws -> Survey {
    let path = folder["app.db"]
    let table = name.quotedIdentifier
    let other = (name + "2").quotedIdentifier
    try DatabaseBuilder(
      pageSize: 512,
      [
        "CREATE TABLE \(table) (\(table) INTEGER PRIMARY KEY, body TEXT UNIQUE)",
        "CREATE INDEX \((name + "3").quotedIdentifier) ON \(table) (body, \(table))",
        "CREATE TABLE \(other) (id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE VIEW \((name + "4").quotedIdentifier) AS SELECT * FROM \(table)",
        """
        INSERT INTO \(table) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c \
        WHERE n < 200) SELECT n, printf('%060d', n) FROM c
        """,
        "INSERT INTO \(other) SELECT * FROM \(table)",
      ]
    ).build(at: path)
    let sound = try ReportFixture.survey(path)
    var bytes = try path.contents()
    let view = try #require(bytes.firstRange(of: Array("CREATE VIEW".utf8)))
    bytes[view.lowerBound] = UInt8(ascii: "?")
    for tree in sound.trees {
      let root = try #require(tree.root)
      let leaf = sound.image?.pages.first { page in
        sound.claims.owner(of: page) == sound.claims.owner(of: root) && page != root
      }
      bytes = Damage.zeroPage(try #require(leaf).number).applied(to: bytes, pageSize: 512)
    }
    try path.replaceContents(with: bytes)
    return try ReportFixture.survey(path)
  }

  @Test(arguments: names)
  func `a hostile name does nothing in any form`(hostile: Name) throws {
    let name = hostile.text
    try ScratchFolder.with { folder in
      let survey = try Self.survey(name, in: folder)
      #expect(survey.tree(named: SQLiteFormat.Name(name))?.isReadable == false)
      #expect(survey.schema?.parsed.refused.isEmpty == false)
      for report in try ReportFixture.reports(of: survey, file: PlainName(name)) {
        let html = report.html
        #expect(Markup.fault(in: html) == nil)
        #expect(!html.contains("<script") && !html.contains("<b>\"") && !html.contains("<!--"))
        for rendering in try report.renderings() {
          let scalars = rendering.unicodeScalars.filter { $0 != "\n" }
          #expect(
            scalars.allSatisfy {
              ![.control, .format, .lineSeparator, .paragraphSeparator].contains(
                $0.properties.generalCategory)
            })
        }
        for rendering in [report.text, html] {
          #expect(!rendering.contains(String(repeating: "A", count: 400)))
          #expect(rendering.unicodeScalars.count < 100_000)
        }
        // JSON has the name itself, whatever it is.
        let tables = try #require(try report.document["tables"]?.elements)
        let shown = tables.compactMap { $0["table"]?.text }
        #expect(shown.contains(name) && shown.contains(name + "2"))
      }
    }
  }

  @Test func `what is cut keeps its ends`() {
    let name = "begin" + "\(String(repeating: "A", count: 10_000))end"
    let shown = name.shownName
    #expect(shown.hasPrefix("begin") && shown.hasSuffix("end") && shown.contains("left out"))
    #expect(shown.count <= 64)
    #expect("".shownName == "\"\"")
    #expect("a\u{202E}b\n".shownName == #"a\u{202e}b\n"#)
  }

  @Test func `very many tables are cut, those with a loss are not`() throws {
    try ScratchFolder.with { folder in
      let path = folder["many.db"]
      try DatabaseBuilder(pageSize: 512, (0..<1100).map { "CREATE TABLE t\($0) (a)" }).build(
        at: path)
      let sound = try ReportFixture.survey(path)
      let last = try #require(sound.trees.last)
      let bytes = Damage.zeroPage(try #require(last.root).number).applied(
        to: try path.contents(), pageSize: 512)
      try path.replaceContents(with: bytes)
      let report = try ReportFixture.report(of: ReportFixture.survey(path), file: "many.db")
      #expect(report.tables.count == 1000 && report.tablesOmitted == 100)
      #expect(report.tables.first?.table == last.entry.name.text)
      #expect(report.text.contains("… and 1,060 more tables"))
      #expect(Markup.fault(in: report.html) == nil)
    }
  }
}
