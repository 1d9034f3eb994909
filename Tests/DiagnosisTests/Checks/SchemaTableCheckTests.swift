// SPDX-License-Identifier: Apache-2.0
// What is said of schema tables.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SchemaTableCheckTests {
  @Test func `a schema row that SQLite refuses is named`() throws {
    var specimen = try Specimen("ANALYZE")
    let start = try #require(specimen.places(of: "sqlite_stat1sqlite_stat1").first)
    specimen.bytes[start + 20] = 0x7A
    let finding = try #require(specimen.said(.schemaDamaged).first)
    #expect(finding.message.hasPrefix("SQLite refuses the schema row of 'sqlite_stat1': "))
    #expect(finding.place.object == "sqlite_stat1")
    #expect(finding.severity == .damage)
  }

  @Test func `a byte in the statement of an index that is no text is named`() throws {
    var specimen = try Specimen("CREATE TABLE \"é\" (\"ö\")", "CREATE INDEX i ON \"é\" (\"ö\")")
    let places = specimen.places(of: "(\"ö\")")
    let sound = specimen.said(.schemaDamaged)
    #expect(places.count == 2 && sound.isEmpty)
    // The rows of the schema lie in their page from its end to its beginning.
    specimen.bytes[places[0] + 3] = 0x2D
    let finding = try #require(specimen.said(.schemaDamaged).first)
    #expect(finding.place.object == "i" && finding.severity == .damage)
    #expect(finding.message.contains("not valid UTF-8"))
  }

  @Test func `an index on a column whose name is damaged in its table holds other keys`() throws {
    var specimen = try Specimen(
      "CREATE TABLE \"é\" (\"ö\", b)", "CREATE INDEX i ON \"é\" (\"ö\")",
      "INSERT INTO \"é\" VALUES (1, 2)")
    let places = specimen.places(of: "\"ö\", b")
    #expect(!places.isEmpty && specimen.said(.indexMismatch).isEmpty)
    // SQLite takes the name that no column has for a value.
    for place in places { specimen.bytes[place + 2] = 0x2D }
    #expect(specimen.said(.indexMismatch).map(\.place.object) == ["i"])
  }

  @Test func `a page of the schema that is gone is named`() throws {
    let specimen = try Specimen()
    let leaf = try #require(specimen.pages(of: "sqlite_schema", "leaf").last)
    let finding = try #require(specimen.with(.zeroPage(leaf)).said(.schemaDamaged).first)
    #expect(
      finding.message
        == "the schema table is damaged: it does not begin as a page of a table or index does")
    #expect(finding.place.page?.number == leaf)
    #expect(finding.place.object == "sqlite_schema")
  }

  @Test func `rows in the place of those of the schema are counted once`() throws {
    let others = (1...12).map { number -> DatabaseBuilder.Step in
      "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, a\(number) TEXT, b\(number) REAL)"
    }
    let scratch = try ScratchFolder()
    try DatabaseBuilder(
      pageSize: Specimen.pageSize,
      others + [
        "INSERT INTO t7 VALUES (1, 'one', 1.5), (2, 'two', 2.5), (3, 'three', 3.5)",
        "INSERT INTO t8 SELECT * FROM t7",
      ]
    ).build(at: scratch["app.db"])
    let pages = try Oracle(scratch["app.db"]).pages
    let leaf = try #require(pages.last { $0.object == "sqlite_schema" && $0.kind == "leaf" })
    let root = try #require(pages.first { $0.object == "t7" })
    let bytes = Damage.swapPages(leaf.number, root.number).applied(
      to: try scratch["app.db"].contents(), pageSize: Specimen.pageSize)
    let findings = Survey(main: bytes).findings
    let misfits = findings.filter { $0.message == "a row of the schema table declares nothing" }
    #expect(misfits.map(\.count) == [3])
  }
}
