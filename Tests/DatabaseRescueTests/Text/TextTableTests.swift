// SPDX-License-Identifier: Apache-2.0
// Tables: aligned, and cut only where it does no harm.

import DatabaseRescue
import Testing

@Suite struct TextTableTests {
  private var table: TextTable {
    var table = TextTable([.text("CODE"), .prose("MEANING"), .number("ROWS")])
    table.add(["DBR-F060", "a page is damaged and rows may be lost", "15,607"])
    table.add(["DBR-F001", "\("empty", .bad)", "0"])
    return table
  }

  @Test func `numbers are aligned at their end`() {
    #expect(
      table.lines(width: nil).map(\.plain) == [
        "CODE      MEANING                                   ROWS",
        "DBR-F060  a page is damaged and rows may be lost  15,607",
        "DBR-F001  empty                                        0",
      ])
  }

  @Test func `only prose is cut to fit`() {
    #expect(
      table.lines(width: 40).map(\.plain) == [
        "CODE      MEANING                   ROWS",
        "DBR-F060  a page is damaged and…  15,607",
        "DBR-F001  empty                        0",
      ])
    let narrow = table.lines(width: 5).map(\.plain)
    #expect(narrow[1] == "DBR-F060  a page …  15,607")
  }

  @Test func `words at the end of a line have no spaces after them`() {
    var table = TextTable([.text(""), .text("")])
    table.add(["a", "long words"])
    table.add(["数据", "b"])
    #expect(table.lines(width: nil).map(\.plain) == ["a     long words", "数据  b"])
  }
}
