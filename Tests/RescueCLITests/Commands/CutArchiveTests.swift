// SPDX-License-Identifier: Apache-2.0
// An archive that was cut off, with a part of a database in it: what is printed can be done.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct CutArchiveTests {
  /// A gzip file of stored blocks, without its end.
  private static func archive(of content: Bytes) -> Bytes {
    var bytes: Bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    for start in stride(from: 0, to: content.count, by: 32_768) {
      let block = content[start..<min(start + 32_768, content.count)]
      let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
      bytes += [0, low, high, ~low, ~high] + block
    }
    return bytes
  }

  @Test func `the command that is printed for it saves what is there`() throws {
    let bench = try Workbench()
    let file = bench["app.db"]
    try DatabaseBuilder([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT)",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t SELECT i, 'task ' || i FROM n
      """,
    ]).build(at: file)
    let whole = try file.contents()
    try file.replaceContents(with: Bytes(Self.archive(of: whole).prefix(whole.count * 6 / 10)))

    let report = try bench.run("diagnose", file, "--json").json
    let option = try #require(report["options"]?.elements.first)
    let command = try #require(option["command"]?.text)
    #expect(command == "dbrescue salvage app.db --output NEW.db")
    #expect(report["next"]?.text == command)
    // Bytes that are missing where the archive ends were cut off.
    let causes = report["causes"]?.elements ?? []
    let cut = try #require(causes.first { $0["cause"]?.text == "cut-off" })
    #expect(cut["confidence"]?.text == "certain")
    let ending = try bench.run("salvage", file, "--output", bench["NEW.db"])
    #expect(ending.status == 14, "\(ending.all)")
    let rows = try Connection(bench["NEW.db"], mode: .readOnly).value("SELECT count(*) FROM t")
    #expect(rows?.integerValue.map { Int($0) } == option["kept"]?.number)
  }
}
