// SPDX-License-Identifier: Apache-2.0
// Which column of an old table becomes which column of the fresh one.

@testable import Diagnosis
import SQLiteFormat
import Testing

@Suite struct ColumnMappingTests {
  private func shape(_ columns: [(name: Name, isRowID: Bool)]) -> RowShape {
    RowShape(
      stored: columns.map {
        RowShape.Column(
          name: $0.name, affinity: $0.isRowID ? .integer : .text, isRowID: $0.isRowID,
          defaultValue: .null)
      }, withoutRowID: false)
  }

  private func table(_ columns: [Name], rowIDAlias: Int? = nil) -> TableDescription {
    TableDescription(
      name: "t",
      columns: columns.enumerated().map {
        ColumnDescription(name: $1, type: $0 == rowIDAlias ? "INTEGER" : "TEXT")
      }, rowIDAlias: rowIDAlias, storageOrder: Array(columns.indices), sql: "")
  }

  @Test func `columns are found by name, whatever their order and case`() {
    let mapping = ColumnMapping(
      from: shape([("one", false), ("Two", false)]), to: table(["two", "ONE", "three"]))
    #expect(mapping.targets == ["two", "ONE"])
    #expect(mapping.sources == [1, 0])
    #expect(mapping.leftOut.isEmpty)
    #expect(mapping.rowIDName == "rowid")
  }

  @Test func `a column that only the file has is left out`() {
    let mapping = ColumnMapping(from: shape([("a", false), ("old", false)]), to: table(["a"]))
    #expect(mapping.leftOut.map(\.name) == ["old"])
    #expect(mapping.leftOut.map(\.position) == [1])
    #expect(
      ColumnMapping(
        from: shape([("a", false), ("old", false)]), to: table(["a", "new"]),
        renamed: ["old": "new"]
      ).sources == [0, 1])
  }

  @Test func `a hidden rowid is mapped to the column that is the rowid`() {
    let mapping = ColumnMapping(
      from: shape([("a", false)]), to: table(["id", "a"], rowIDAlias: 0))
    #expect(mapping.targets == ["a"])
    #expect(mapping.rowIDName == "id")
    #expect(mapping.rowIDColumn == "id")
    #expect(!mapping.losesRowIDs)
  }

  @Test func `a table that takes all three names of the rowid loses it`() {
    let mapping = ColumnMapping(
      from: shape([("a", false)]), to: table(["a", "rowid", "oid", "_rowid_"]))
    #expect(mapping.rowIDName == nil)
    #expect(mapping.losesRowIDs)
  }

  @Test func `a name with a damaged letter at the same place is meant, in a damaged file`() {
    let mapping = ColumnMapping(
      from: shape([("a", false), ("bodx", false)]), to: table(["a", "body"]),
      namesMayBeDamaged: true)
    #expect(mapping.garbled == [.init(name: "bodx", meant: "body")])
    #expect(mapping.sources == [0, 1])
    let other = ColumnMapping(
      from: shape([("a", false), ("title", false)]), to: table(["a", "body"]),
      namesMayBeDamaged: true)
    #expect(other.garbled.isEmpty)
    // 'b' and 'f' are one bit apart, 'b' and 'e' three.
    for (name, isMeant): (Name, Bool) in [("f", true), ("e", false)] {
      let letter = ColumnMapping(
        from: shape([("a", false), (name, false)]), to: table(["a", "b"]), namesMayBeDamaged: true)
      #expect(letter.garbled.map(\.meant) == (isMeant ? ["b"] : []))
    }
    let nobodys = ColumnMapping(
      from: shape([("a", false), ("\u{8A}", false)]), to: table(["a", "body"]))
    #expect(nobodys.garbled == [.init(name: "\u{8A}", meant: "body")])
    let sound = ColumnMapping(
      from: shape([("a", false), ("bodx", false)]), to: table(["a", "body"]))
    #expect(sound.garbled.isEmpty && sound.leftOut.map(\.name) == ["bodx"])
  }
}
