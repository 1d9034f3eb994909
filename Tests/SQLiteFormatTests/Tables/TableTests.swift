// SPDX-License-Identifier: Apache-2.0
// From fields to columns: encodings, affinities, rows of the schema table, shapes of rows.

import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct TextEncodingTests {
  @Test(arguments: TextEncoding.allCases, ["", "plain", "Zürich €", "🏋️", "a\0b"])
  func `a text is the same after it was encoded and decoded`(
    _ encoding: TextEncoding, _ text: String
  ) {
    #expect(encoding.string(encoding.bytes(text)) == text)
  }

  @Test func `bytes are those that SQLite stores`() {
    #expect(TextEncoding.utf16le.bytes("aé") == [0x61, 0, 0xE9, 0])
    #expect(TextEncoding.utf16be.bytes("aé") == [0, 0x61, 0, 0xE9])
    #expect(TextEncoding.utf8.bytes("é") == [0xC3, 0xA9])
  }

  @Test func `what is not valid reads as U+FFFD`() {
    #expect(TextEncoding.utf8.string([0x61, 0xFF]) == "a\u{FFFD}")
    #expect(TextEncoding.utf16le.string([0x00, 0xD8]) == "\u{FFFD}")
    #expect(TextEncoding.utf16le.string([0x61, 0, 0x62]) == "a", "an odd byte is no character")
    #expect(Value.text([0xFF]).utf8String == nil)
  }
}

@Suite struct AffinityTests {
  /// The examples of "Datatypes in SQLite", section 3.1.1, and the order of its rules.
  @Test(arguments: [
    ("INT", Affinity.integer), ("BIGINT", .integer), ("UNSIGNED BIG INT", .integer),
    ("CHARACTER(20)", .text), ("clob", .text), ("NVARCHAR(100)", .text), ("BLOB", .blob),
    ("", .blob), ("REAL", .real), ("DOUBLE PRECISION", .real), ("FLOAT", .real),
    ("NUMERIC", .numeric), ("DECIMAL(10,5)", .numeric), ("BOOLEAN", .numeric), ("DATE", .numeric),
    ("STRING", .numeric), ("CHARINT", .integer), ("FLOATING POINT", .integer),
    ("TEXTBLOB", .text), ("ANY", .numeric),
  ])
  func `a declared type has its affinity`(_ type: String, _ affinity: Affinity) {
    #expect(Affinity(declaredType: type) == affinity)
  }

  @Test func `ANY prefers nothing in a STRICT table`() {
    #expect(Affinity(declaredType: "any", strict: true) == .blob)
    #expect(Affinity(declaredType: "REAL", strict: true) == .real)
  }
}

@Suite struct SchemaEntryTests {
  private static func entry(
    _ values: [Bytes?], root: (UInt64, Bytes) = (1, [5]), encoding: TextEncoding = .utf8
  ) throws -> SchemaEntry? {
    var fields = values.map { bytes in
      bytes.map { (UInt64(13 + 2 * $0.count), $0) } ?? (0, Bytes())
    }
    fields.insert(root, at: 3)
    let bytes = Bytes.record(fields.map { (type: $0.0, content: $0.1) })
    return SchemaEntry(try Record(bytes, in: 0..<bytes.count), encoding: encoding)
  }

  private static func texts(_ texts: [String], _ encoding: TextEncoding = .utf8) -> [Bytes?] {
    texts.map { encoding.bytes($0) }
  }

  @Test(arguments: TextEncoding.allCases)
  func `a row of the schema table is read in its encoding`(_ encoding: TextEncoding) throws {
    let values = Self.texts(["index", "näme", "t", "CREATE INDEX"], encoding)
    let entry = try Self.entry(values, encoding: encoding)
    #expect(
      entry
        == SchemaEntry(kind: .index, name: "näme", table: "t", root: 5.page, sql: "CREATE INDEX"))
  }

  @Test func `views and virtual tables have no root`() throws {
    let view = Self.texts(["view", "v", "v", "CREATE VIEW"])
    #expect(try Self.entry(view, root: (8, []))?.root == nil)
    #expect(try Self.entry(view, root: (0, []))?.root == nil)
    #expect(try Self.entry(view, root: (1, [0xFF]))?.root == nil)
    #expect(try Self.entry(Self.texts(["index", "i", "t"]) + [nil])?.sql == nil)
  }

  @Test func `what declares nothing is no entry`() throws {
    #expect(try Self.entry(Self.texts(["tuble", "t", "t", "x"])) == nil)
    #expect(try Self.entry([nil] + Self.texts(["t", "t", "x"])) == nil)
    #expect(try Self.entry(Self.texts(["table", "t", "t", "x"]), root: (13, [])) == nil)
    #expect(try Self.entry(Self.texts(["table", "t", "t"])) == nil)
    #expect(try Self.entry(Self.texts(["table", "t", "t", "x", "y"])) == nil)
  }
}

@Suite struct RowShapeTests {
  private let shape = RowShape(
    stored: [
      RowShape.Column(name: "id", affinity: .integer, isRowID: true, defaultValue: .null),
      RowShape.Column(name: "r", affinity: .real, isRowID: false, defaultValue: .real(1.5)),
      RowShape.Column(name: "late", affinity: .text, isRowID: false, defaultValue: .text("d")),
    ], withoutRowID: false)

  private func values(_ fields: [(UInt64, Bytes)]) throws -> [Value] {
    let bytes = Bytes.record(fields.map { (type: $0.0, content: $0.1) })
    return try shape.values(of: Record(bytes, in: 0..<bytes.count), rowID: 7)
  }

  @Test func `the rowid stands where the record has NULL`() throws {
    #expect(try values([(0, []), (1, [3]), (9, [])]) == [.integer(7), .real(3), .integer(1)])
  }

  @Test func `columns that were added later have their defaults`() throws {
    #expect(try values([(0, [])]) == [.integer(7), .real(1.5), .text("d")])
    #expect(try values([(0, []), (0, []), (0, [])]) == [.integer(7), .null, .null])
  }

  @Test func `a record that cannot be a row is told`() throws {
    func record(_ fields: [(type: UInt64, content: Bytes)]) throws -> Record {
      let bytes = Bytes.record(fields)
      return try Record(bytes, in: 0..<bytes.count)
    }
    #expect(try shape.fits(record([(0, []), (9, []), (0, [])])))
    #expect(try shape.fits(record([])))
    #expect(try !shape.fits(record([(9, [])])), "a value where the rowid stands")
    #expect(try !shape.fits(record([(0, []), (0, []), (0, []), (0, [])])), "too many fields")
    // A key may hold a column twice, under two collations.
    let column = RowShape.Column(name: "k", affinity: .blob, isRowID: false, defaultValue: .null)
    let twice = RowShape(stored: [column, column], withoutRowID: true)
    #expect(try twice.fits(record([(1, [7]), (1, [7])])))
    #expect(try !twice.fits(record([(1, [7]), (1, [8])])))
  }

  @Test(arguments: [
    ("", false), ("12", true), (" +12 ", true), ("-.5e-3", true), ("5.", true), ("1e999", true),
    ("12x", false), ("0x12", false), (".", false), ("-", false), ("1e", false), ("1 2", false),
    ("2020-01-01", false), ("1.2.3", false), ("1e5.", false), ("inf", false),
  ])
  func `text that is a number is no value of a column that prefers numbers`(
    text: String, isNumber: Bool
  ) throws {
    for encoding in TextEncoding.allCases {
      let column = RowShape.Column(
        name: "n", affinity: .numeric, isRowID: false, defaultValue: .null)
      let shape = RowShape(stored: [column], withoutRowID: false, encoding: encoding)
      let bytes = encoding.bytes(text)
      let record = Bytes.record([(UInt64(13 + 2 * bytes.count), bytes)])
      let violations = try shape.violations(of: Record(record, in: 0..<record.count))
      #expect(violations.types == isNumber, "\(encoding)")
      #expect(!violations.nulls)
    }
  }

  @Test func `a value that its column does not hold is told`() throws {
    func violations(_ affinity: Affinity, _ type: String, strict: Bool, _ field: (UInt64, Bytes))
      throws
      -> [Bool]
    {
      let classes = StorageClasses(affinity, declaredType: type, strict: strict, notNull: true)
      let column = RowShape.Column(
        name: "c", affinity: affinity, isRowID: false, defaultValue: .null, classes: classes)
      let record = Bytes.record([field])
      let violations = try RowShape(stored: [column], withoutRowID: false)
        .violations(of: Record(record, in: 0..<record.count))
      return [violations.nulls, violations.types]
    }
    #expect(try violations(.text, "TEXT", strict: false, (9, [])) == [false, true])
    #expect(try violations(.text, "TEXT", strict: false, (0, [])) == [true, false])
    #expect(try violations(.text, "TEXT", strict: false, (12, [])) == [false, false])
    #expect(try violations(.text, "TEXT", strict: true, (12, [])) == [false, true])
    #expect(try violations(.real, "REAL", strict: true, (9, [])) == [false, false])
    #expect(try violations(.integer, "int", strict: true, (13, [])) == [false, true])
    #expect(try violations(.blob, "ANY", strict: true, (13, [])) == [false, false])
  }

  @Test func `fields beyond the last column are no part of the row`() throws {
    #expect(try values([(0, []), (8, []), (8, []), (9, [])]).count == 3)
  }
}

@Suite struct PageClaimsTests {
  @Test func `a page has one owner`() {
    var claims = PageClaims(pageCount: 3)
    #expect(claims.owner(of: 3.page) == nil)
    let first = claims.claim(3.page, for: .tree(5))
    let second = claims.claim(3.page, for: .tree(6))
    let outside = claims.claim(4.page, for: .tree(5))
    #expect(first && !second && !outside)
    #expect(claims.owner(of: 3.page) == .tree(5))
    #expect(claims.owner(of: 4.page) == nil)
    #expect(claims.owner(of: 4_294_967_295.page) == nil)
  }
}
