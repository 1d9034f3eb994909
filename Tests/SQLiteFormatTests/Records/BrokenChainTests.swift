// SPDX-License-Identifier: Apache-2.0
// What is left of a row whose overflow chain is broken.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct BrokenChainTests {
  /// A row of five values, of 1, 200, 500, 500 and 900 bytes: page 2 is its leaf, pages 3 to 6
  /// its chain, page 7 is zero, page 8 is a leaf.
  private struct Row {
    var links: [UInt32] = [3, 4, 5, 6, 0]

    static let fields: [Bytes] =
      [[7], .page(0x41, 200), .page(0x42, 500), .page(0x43, 500), .page(0x44, 900)]

    static var payload: Bytes {
      var all: [(type: UInt64, content: Bytes)] = [(1, fields[0])]
      for field in fields.dropFirst() { all.append((UInt64(12 + 2 * field.count), field)) }
      return .record(all)
    }

    func image() throws -> Image {
      let payload = Self.payload
      let kept = try Geometry.of(512).localPayload(total: payload.count, tableLeaf: true)
      var cell = Bytes.varint(UInt64(payload.count)) + Bytes.varint(rowID: 1)
      cell += Bytes(payload[..<kept]) + Bytes.big32(links[0])
      var pages = [PageMaker(cells: [cell]).bytes]
      var rest = payload[kept...]
      for link in links.dropFirst() {
        let content = rest.prefix(508)
        rest = rest.dropFirst(508)
        var page = Bytes.big32(link) + Bytes(content)
        page += Bytes(repeating: 0, count: 512 - page.count)
        pages.append(page)
      }
      while pages.count < 5 { pages.append(.page(0)) }
      pages += [.page(0), PageMaker.leaf([1]).bytes]
      return try FileMaker(pages).image()
    }

    func leading() throws -> LeadingFields? {
      let image = try image()
      let page = try image.btreePage(2.page)
      return image.leadingFields(of: try page.cell(0), on: page)
    }
  }

  private func kept(_ links: [UInt32]) throws -> Int? {
    let leading = try Row(links: links).leading()
    #expect(leading?.announced == 5)
    for (value, field) in try zip(leading?.record.values.dropFirst() ?? [], Row.fields.dropFirst())
    {
      #expect(value == .blob(field))
    }
    return try leading?.record.values.count
  }

  @Test func `the row has four overflow pages`() throws {
    let image = try Row().image()
    let page = try image.btreePage(2.page)
    #expect(try image.overflowChain(of: page.cell(0), on: 2.page).pages.count == 4)
    #expect(try image.record(of: page.cell(0), on: page).record.values.count == 5)
  }

  @Test func `a link that cannot be keeps what lies before its page`() throws {
    let local = try Geometry.of(512).localPayload(total: Row.payload.count, tableLeaf: true)
    #expect(local < 200)
    // The first link, the link of the first page, of the second, of the third.
    #expect(try kept([9999, 4, 5, 6, 0]) == 1)
    #expect(try kept([3, 9999, 5, 6, 0]) == 1)
    #expect(try kept([3, 4, 9999, 6, 0]) == 2)
    #expect(try kept([3, 4, 5, 1, 0]) == 3)
    // A leaf in place of the third page: its first byte is no link.
    #expect(try kept([3, 4, 8, 6, 0]) == 3)
  }

  @Test func `a chain of the wrong length may have gone astray anywhere`() throws {
    #expect(try kept([3, 4, 7, 6, 0]) == 1)
    #expect(try kept([3, 4, 5, 6, 7]) == 1)
    #expect(try kept([0, 4, 5, 6, 0]) == 1)
  }

  @Test func `a record header that is not all there gives nothing`() throws {
    let cell = Bytes.varint(2000) + Bytes.varint(rowID: 1) + Bytes(repeating: 0x85, count: 492)
    let image = try FileMaker([PageMaker(cells: [Bytes(cell.prefix(504))]).bytes]).image()
    let page = try image.btreePage(2.page)
    #expect(image.leadingFields(of: try page.cell(0), on: page) == nil)
  }

  @Test func `the pages that links still lead to are known`() throws {
    func reached(_ links: [UInt32]) throws -> [Int] {
      let image = try Row(links: links).image()
      let page = try image.btreePage(2.page)
      return image.reachedPages(of: try page.cell(0), on: 2.page).map(\.number)
    }
    #expect(try reached([3, 4, 5, 6, 0]) == [3, 4, 5, 6])
    #expect(try reached([9999, 4, 5, 6, 0]) == [])
    #expect(try reached([3, 4, 9999, 6, 0]) == [3, 4])
    #expect(try reached([3, 4, 3, 6, 0]) == [3, 4], "a chain meets no page twice")
  }

  @Test func `a record is read along pages whose links are wrong`() throws {
    let image = try Row(links: [9999, 0, 0, 0, 0]).image()
    let page = try image.btreePage(2.page)
    let record = try image.record(
      of: page.cell(0), on: page, along: OverflowChain(pages: [3.page, 4.page, 5.page, 6.page]))
    #expect(try record.values.dropFirst().elementsEqual(Row.fields.dropFirst().map { .blob($0) }))
  }
}
