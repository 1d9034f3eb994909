// SPDX-License-Identifier: Apache-2.0
// Texts that are not valid in a merge: another encoding would make other values of them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct MergeEncodingTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)"
  private static let valid = "INSERT INTO t VALUES (1, 'Zoë 😀'), (2, '')"

  /// The bytes of the texts that were set aside.
  private func kept(_ merged: Merged) throws -> String {
    try merged.aside("SELECT reason, typeof(c1), hex(c1) FROM conflicts ORDER BY \"rowid\"")
  }

  @Test func `an invalid text of UTF-8 is set aside as it is when the result is UTF-16`() throws {
    let old = try bench.make(
      "old.db", Self.table, Self.valid,
      "INSERT INTO t VALUES (3, CAST(x'61ff62' AS TEXT)), (4, CAST(x'efbfbf' AS TEXT))")
    let new = try bench.make(
      "new.db", encoding: .utf16le, Self.table, "INSERT INTO t VALUES (9, 'new')")
    let merged = try bench.merge([old, new])
    #expect(merged.ending.status == 14)
    #expect(try merged.text("SELECT id, v FROM t ORDER BY id") == "1 Zoë 😀\n2 \n9 new")
    #expect(try kept(merged) == "encoding blob 61FF62\nencoding blob EFBFBF")
    #expect(try merged.rows("t", 0)["refused"]?.number == 2)
  }

  @Test(arguments: [TextEncoding.utf16le, .utf16be])
  func `an invalid text of UTF-16 is set aside as it is when the result is UTF-8`(
    _ encoding: TextEncoding
  ) throws {
    let old = try bench.make(
      "old.db", encoding: encoding, Self.table, Self.valid,
      "INSERT INTO t VALUES (3, CAST(x'00d8d800' AS TEXT)), (4, CAST(x'd80000d8' AS TEXT))")
    let new = try bench.make("new.db", Self.table, "INSERT INTO t VALUES (9, 'new')")
    let merged = try bench.merge([old, new])
    #expect(merged.ending.status == 14)
    #expect(try merged.text("SELECT id, v FROM t ORDER BY id") == "1 Zoë 😀\n2 \n9 new")
    // Each has half of a pair in one of the two orders of bytes.
    #expect(try kept(merged) == "encoding blob 00D8D800\nencoding blob D80000D8")
  }

  @Test func `an invalid text that gives way in a merge of UTF-16 is kept as it is`() throws {
    let old = try bench.make(
      "old.db", encoding: .utf16le, Self.table,
      "INSERT INTO t VALUES (3, CAST(x'00d84100' AS TEXT))")
    let new = try bench.make(
      "new.db", encoding: .utf16le, Self.table,
      "INSERT INTO t VALUES (3, 'new'), (4, CAST(x'00d84100' AS TEXT))")
    let merged = try bench.merge([old, new])
    #expect(try merged.text("SELECT hex(CAST(v AS BLOB)) FROM t WHERE id = 4") == "00D84100")
    #expect(
      try merged.aside("SELECT reason, hex(CAST(c1 AS BLOB)) FROM conflicts")
        == "key-taken 00D84100")
  }

  @Test func `a text that the type of a newer column changes is kept beside a merge`() throws {
    let old = try bench.make(
      "old.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, zip TEXT)",
      "INSERT INTO t VALUES (1, '00705'), (2, '705')")
    let new = try bench.make(
      "new.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, zip INTEGER)",
      "INSERT INTO t VALUES (3, 1)")
    let merged = try bench.merge([old, new])
    #expect(merged.ending.status == 14)
    #expect(try merged.rows("t", 0)["changed"]?.number == 1)
    #expect(try merged.aside("SELECT \"rowid\", columns, c1 FROM left_out") == "1 zip 00705")
  }
}
