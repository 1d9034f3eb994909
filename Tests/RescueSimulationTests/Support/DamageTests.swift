// SPDX-License-Identifier: Apache-2.0
// Every kind of damage does what it says, and nothing to a place that is not there.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct DamageTests {
  let scratch: ScratchFolder
  init() throws { scratch = try ScratchFolder() }

  static let visible: [Damage] = [
    .zeroPage(3), .randomPage(3), .zeroRange(offset: 600, count: 40), .truncate(bytes: 5000),
    .truncatePercent(60), .flipBit(offset: 16, bit: 3), .wipeHeader, .copyPage(from: 3, to: 5),
    .swapPages(4, 6),
    .breakCellPointer(page: 3, cell: 1), .wipeCellPointers(page: 1), .loopFreelist,
    .pageType(page: 4, type: 0), .append(count: 700), .prepend(count: 3),
    .insert(offset: 700, count: 9), .leaveOut(offset: 700, count: 9), .crlf,
  ]

  @Test(arguments: visible)
  func `damage shows in the bytes`(_ damage: Damage) throws {
    let bytes = try Recipe.named("freelist").build(in: scratch.path).contents()
    let damaged = damage.applied(to: bytes, pageSize: 512)
    let isVisible = damaged != bytes
    #expect(isVisible)
    let isRepeatable = damaged == damage.applied(to: bytes, pageSize: 512)
    #expect(isRepeatable)
  }

  @Test(arguments: visible + [.cutOverflow(page: 9)])
  func `damage is read as it is written`(_ damage: Damage) {
    #expect(Damage(damage.description) == damage)
  }

  @Test(arguments: ["", "zero-page", "zero-page:", "zero-page:x", "zero-page:1,2", "bang:1", ":1"])
  func `damage that is not written well is refused`(_ text: String) {
    #expect(Damage(text) == nil)
  }

  @Test func `a cut overflow chain costs its row`() throws {
    let path = try Recipe.named("long-values-1024").build(in: scratch.path)
    let bytes = try path.contents()
    let page = try Oracle(path).pages.first {
      $0.kind == "overflow" && bytes.bigEndian(at: ($0.number - 1) * 1024) != 0
    }
    let damaged = Damage.cutOverflow(page: try #require(page).number)
      .applied(to: bytes, pageSize: 1024)
    try path.replaceContents(with: damaged)
    #expect(try Oracle(path).integrityErrors != [])
  }

  @Test(arguments: [
    Damage.zeroPage(100_000), .zeroPage(0), .zeroPage(.max), .zeroRange(offset: -1, count: 9),
    .zeroRange(offset: .max, count: .max), .flipBit(offset: .max, bit: 1),
    .copyPage(from: 1, to: .max), .breakCellPointer(page: 3, cell: 5000), .cutOverflow(page: -1),
    .zeroRange(offset: 5, count: -5), .insert(offset: .max, count: 3), .randomPage(.max),
    .leaveOut(offset: -1, count: 3), .leaveOut(offset: 5, count: -5),
    .pageType(page: .min, type: 1),
  ])
  func `a place outside the file changes nothing`(_ damage: Damage) throws {
    let bytes = try Recipe.named("freelist").build(in: scratch.path).contents()
    let isUnchanged = damage.applied(to: bytes, pageSize: 512) == bytes
    #expect(isUnchanged)
  }

  @Test func `text in a schema can be replaced in place`() throws {
    let path = try Recipe.named("indexes").build(in: scratch.path)
    let bytes = try path.contents()
    try path.replaceContents(with: bytes.replacing(text: "NOCASE", with: "NOCASX"))
    #expect(throws: SQLiteError.self) { try Oracle(path).integrityErrors }
    #expect(throws: UnfitFixture.self) { try bytes.replacing(text: "NOCASE", with: "NO") }
    #expect(throws: UnfitFixture.self) { try bytes.replacing(text: "nowhere", with: "NOWHERE") }
  }

  @Test func `every usage is understood`() {
    for usage in Damage.usages {
      let numbers = usage.split(separator: ":").count == 1 ? "" : ":7"
      let more = usage.contains(",") ? ",8" : ""
      let kind = usage.split(separator: ":")[0]
      #expect(Damage("\(kind)\(numbers)\(more)") != nil, "\(usage)")
    }
  }
}
