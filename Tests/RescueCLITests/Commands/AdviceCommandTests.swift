// SPDX-License-Identifier: Apache-2.0
// `diagnose --advice`: the same in text, HTML and JSON, and nothing of it without the flag.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct AdviceCommandTests {
  let bench: Workbench
  init() throws { bench = try Workbench() }

  private func slow() throws -> FilePath {
    let path = bench["slow.db"]
    try DatabaseBuilder([
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "a <b>" STRING);
      CREATE INDEX one ON t ("a <b>"); CREATE INDEX two ON t ("a <b>");
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t SELECT i, 'secret ' || i FROM n;
      """
    ]).build(at: path)
    return path
  }

  @Test func `what is advised is the same in text, HTML and JSON`() throws {
    let file = try slow()
    let text = try bench.run("diagnose", file, "--advice", "--report", bench["r.html"])
    let json = try bench.run("diagnose", file, "--advice", "--json").json
    let items = try #require(json["advice"]?["items"]?.elements)
    #expect(items.count == 3)
    let html = String(decoding: try bench["r.html"].contents(), as: UTF8.self)
    for item in items {
      let title = try #require(item["title"]?.text)
      #expect(text.output.contains(title))
      #expect(html.lowercased().contains(title))
    }
    #expect(text.output.contains("DROP INDEX \"two\";"), "\(text.output)")
    #expect(html.contains("DROP INDEX &quot;two&quot;;") || html.contains("DROP INDEX \"two\";"))
    #expect(html.contains("a &lt;b&gt;"))
    #expect(!text.output.contains("secret") && !html.contains("secret"))
    #expect(text.status == 0)
  }

  @Test func `without the flag nothing is said but where to ask, and nothing changes`() throws {
    let file = try slow()
    let ending = try bench.run("diagnose", file)
    #expect(!ending.output.contains("DROP INDEX"))
    let lines = ending.output.split(separator: "\n").filter { $0.contains("advice") }
    #expect(lines.map { $0.hasPrefix("slow? dbrescue diagnose ") } == [true], "\(ending.output)")
    #expect(try bench.run("diagnose", file, "--json").json["advice"] == nil)
  }

  @Test func `where there is nothing to advise, or the file is damaged, that is said`() throws {
    try DatabaseBuilder(["CREATE TABLE t (a TEXT)", "INSERT INTO t VALUES ('x')"])
      .build(at: bench["fine.db"])
    let fine = try bench.run("diagnose", bench["fine.db"], "--advice")
    #expect(fine.output.contains("advice: nothing to advise"), "\(fine.output)")
    let damaged = try bench.run("diagnose", bench.place("zeroed-leaf.db"), "--advice")
    #expect(damaged.output.contains("advice is given for sound databases only"))
    #expect(damaged.status == 14)
  }
}
