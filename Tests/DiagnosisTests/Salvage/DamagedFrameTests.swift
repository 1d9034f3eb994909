// SPDX-License-Identifier: Apache-2.0
// Rows whose overflow pages come from frames of the log that were damaged.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import Diagnosis

@Suite struct DamagedFrameTests {
  private static let pageSize = 1024

  /// A database with a log in which two long rows were written, one after the other.
  private func build() throws -> (main: Bytes, log: Bytes) {
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    func insert(_ id: Int) -> DatabaseBuilder.Step {
      "INSERT INTO note VALUES (\(id), hex(randomblob(1500)))"
    }
    try DatabaseBuilder(
      pageSize: Self.pageSize, journal: .wal,
      ["CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)", insert(1)],
      leftover: .wal([insert(2), insert(3)])
    ).build(at: path)
    return (try path.contents(), try path.adding(suffix: "-wal").contents())
  }

  /// Where the pages of the frames begin that hold overflow pages.
  private func overflowFrames(of log: Bytes) -> [Int] {
    stride(from: 32 + 24, to: log.count, by: 24 + Self.pageSize).filter { log[$0] == 0 }
  }

  @Test func `a row that spills onto a damaged page is set aside`() throws {
    var (main, log) = try build()
    let page = try #require(overflowFrames(of: log).first)
    for place in [300, 700] { log[page + place] ^= 0x05 }
    let found = try SalvagedRows(of: "note", in: Survey(main: main, wal: log))
    #expect(found.placed == [1, 3])
    #expect(found.doubts == [2: .chain(.damaged)])
  }

  @Test func `one whose damage its checksum puts right is not`() throws {
    var (main, log) = try build()
    let page = try #require(overflowFrames(of: log).first)
    log[page + 300] ^= 0x05
    let found = try SalvagedRows(of: "note", in: Survey(main: main, wal: log))
    #expect(found.placed == [1, 2, 3] && found.doubts.isEmpty)
  }
}
