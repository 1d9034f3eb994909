// SPDX-License-Identifier: Apache-2.0
// In which order a backup and a salvage are offered: what costs less comes first.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct OptionOrderTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try DatabaseBuilder(
      pageSize: 512, ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)", Self.rows(1...300)]
    ).build(at: file)
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 3)
  }

  private static func rows(_ numbers: ClosedRange<Int>) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE n(i) AS (SELECT \(numbers.lowerBound) UNION ALL
      SELECT i + 1 FROM n WHERE i < \(numbers.upperBound))
    INSERT INTO t SELECT i, 'row ' || i FROM n
    """
  }

  private func change(_ steps: DatabaseBuilder.Step...) throws {
    let connection = try Connection(file, mode: .readWrite, schemaBy: .us)
    for step in steps { try connection.execute(step.sql) }
  }

  private func options() throws -> [JSON] {
    try bench.run("diagnose", file, "--json").json["options"]?.elements ?? []
  }

  @Test(arguments: [
    rows(301...400), "DELETE FROM t WHERE id < 9", "UPDATE t SET a = 1 WHERE id = 9",
  ])
  func `a salvage that loses nothing comes before a backup that does`(
    _ step: DatabaseBuilder.Step
  ) throws {
    try change(step)
    try file.replaceContents(with: Bytes("Welcome to server\r\n".utf8) + file.contents())
    #expect(try options().map { $0["name"]?.text } == ["salvage", "restore"])
  }

  @Test func `a backup that loses nothing comes before a salvage that does`() throws {
    let leaves = try Oracle(file).pages.filter { $0.object == "t" && $0.kind == "leaf" }
    try file.replaceContents(
      with: Damage.zeroPage(leaves[2].number).applied(to: file.contents(), pageSize: 512))
    let names = try options().compactMap { $0["name"]?.text }
    #expect(names.firstIndex(of: "restore") ?? 9 < names.firstIndex(of: "salvage") ?? 0)
  }

  @Test func `a salvage comes before a backup that brings nothing back, whatever else is lost`()
    throws
  {
    try change(Self.rows(301...900))
    try file.replaceContents(with: Bytes(file.contents().dropLast(3 * 512)))
    let options = try options()
    let restore = try #require(options.first { $0["name"]?.text == "restore" })
    #expect(restore["regained"]?.number == 0)
    #expect(options.first?["name"]?.text == "salvage")
  }

  @Test func `a backup loses newer rows, too, whose table the file does not name any more`() throws
  {
    try change(Self.rows(301...400))
    try file.replaceContents(
      with: Damage.zeroPage(1).applied(to: file.contents(), pageSize: 512))
    let restore = try #require(try options().first { $0["name"]?.text == "restore" })
    #expect(restore["lost"]?["rows"]?.number == 100)
    #expect(restore["kept"]?.number == 300)
  }
}
