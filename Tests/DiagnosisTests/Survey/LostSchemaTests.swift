// SPDX-License-Identifier: Apache-2.0
// Where the schema comes from when the first page is lost.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct LostSchemaTests {
  @Test func `frames that nothing vouches for still name the tables`() throws {
    let scratch = try ScratchFolder()
    let path = try Recipe.named("wal-committed").build(in: scratch.path)
    let whole = try Survey(path)
    let pageSize = try #require(whole.geometry).geometry.pageSize
    var wal = try path.adding(suffix: "-wal").contents()
    let frames = stride(from: 32, to: wal.count, by: pageSize + 24)
    try #require(frames.contains { wal[$0..<($0 + 4)].elementsEqual([0, 0, 0, 1]) })
    // Every checksum breaks in more than one byte, and the first page of the file is gone.
    for frame in frames {
      wal[frame + 16] ^= 1
      wal[frame + 21] ^= 1
    }
    let main = Damage.zeroPage(1).applied(to: try path.contents(), pageSize: pageSize)
    let schema = try #require(Survey(main: main, wal: wal).schema)
    #expect(schema.sources[.otherTime] ?? 0 > 0)
    #expect(Set(schema.entries.map(\.name)) == Set((whole.schema?.entries ?? []).map(\.name)))
  }
}
