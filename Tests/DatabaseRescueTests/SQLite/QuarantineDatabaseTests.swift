// SPDX-License-Identifier: Apache-2.0
// The tables of the quarantine file widen with their rows, and go back with them.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct QuarantineDatabaseTests {
  /// A row whose fields are all the integer 1.
  private static func row(width: Int) throws -> StoredRecord {
    // A header of one length byte, or two, and a serial type of one byte for each field.
    let header = width + (width < 127 ? 1 : 2)
    let length = header < 128 ? [UInt8(header)] : [UInt8(header >> 7) | 0x80, UInt8(header & 0x7F)]
    let bytes = Bytes(length) + Bytes(repeating: 9, count: width)
    return StoredRecord(
      rowID: 1, record: try Record(bytes, in: 0..<bytes.count), page: .first, offset: 100)
  }

  private static func make(
    at path: FilePath, _ fill: (inout QuarantineDatabase) throws -> Void
  ) throws {
    var quarantine = try QuarantineDatabase(at: path, encoding: .utf8, image: nil, meta: [])
    try fill(&quarantine)
    _ = try quarantine.finish()
  }

  private static func count(_ width: Int, in table: String, of path: FilePath) throws -> Value? {
    let connection = try Connection(path, mode: .readOnly)
    #expect(try connection.value("PRAGMA integrity_check") == .text("ok"))
    return try connection.value("SELECT count(*) FROM \(table) WHERE c\(width - 1) = 1")
  }

  @Test(arguments: [1, 5, 126, 127, 1900])
  func `a row of any width gets its columns`(_ width: Int) throws {
    try ScratchFolder.with { scratch in
      let path = scratch["q.db"]
      try Self.make(at: path) { quarantine in
        for width in [1, width, width - 1, width] {
          try quarantine.add(Self.row(width: width), table: "t", doubt: .unfit)
        }
      }
      #expect(try Self.count(width, in: "rows", of: path) == .integer(width == 1 ? 3 : 2))
    }
  }

  @Test(arguments: [2, 4, 9])
  func `columns that were taken back come again when a row needs them`(_ width: Int) throws {
    try ScratchFolder.with { scratch in
      let path = scratch["q.db"]
      try Self.make(at: path) { quarantine in
        try quarantine.add(Self.row(width: 2), table: "t", doubt: .unfit)
        let mark = try quarantine.mark()
        try quarantine.add(Self.row(width: 5), table: "t", doubt: .unfit)
        try quarantine.takeBack(to: mark)
        try quarantine.add(Self.row(width: width), table: "t", doubt: .unfit)
        #expect(quarantine.count == 2)
      }
      #expect(try Self.count(width, in: "rows", of: path) == .integer(width == 2 ? 2 : 1))
    }
  }
}
