// SPDX-License-Identifier: Apache-2.0
// Recipes about values: every storage class at its limits, text that is no text, long values.

import SQLiteFormat

extension Recipe {
  static let values =
    TextEncoding.allCases.map(everyValue) + [512, 1024, 4096, 65536].map(longValues) + [
      longValuesWithReserve, badUTF16, manyColumns, schemaOfWideRows,
    ]

  /// Values at the limits of every serial type, in columns of every affinity.
  private static func everyValue(_ encoding: TextEncoding) -> Recipe {
    let integers: [Int64] = [
      0, 1, -1, 2, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 8_388_607, 8_388_608,
      -8_388_608, -8_388_609, 2_147_483_647, 2_147_483_648, -2_147_483_648, -2_147_483_649,
      140_737_488_355_327, 140_737_488_355_328, -140_737_488_355_328, -140_737_488_355_329,
      .max, .min, .max - 1, .min + 1,
    ]
    let reals: [Double] = [
      0.0, -0.0, 1.0, -1.0, 1.5, 0.1, .infinity, -.infinity, .leastNonzeroMagnitude,
      -.leastNonzeroMagnitude, .greatestFiniteMagnitude, .leastNormalMagnitude, .pi, 1e15, 1e16,
      9_007_199_254_740_992, 9.223372036854775807e18, .nan,
    ]
    let texts: [Bytes] = [
      [], [0], Bytes("a\0b".utf8), Bytes("trailing\0".utf8), Bytes("plain".utf8), Bytes("42".utf8),
      Bytes("-0.0".utf8), Bytes("1e400".utf8), Bytes("Zürich 🏋️ \u{FFFD}\u{FEFF}".utf8),
      Bytes("it's \"quoted\"\r\n\t".utf8),
    ]
    let invalid: [Bytes] = [
      [0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0x61, 0x80, 0x62], [0xF8, 0x88],
    ]
    let blobs: [Bytes] = [[], [0], [0xFF], Bytes(0...255), Bytes("text".utf8)]
    let bound =
      [.null] + integers.map(Value.integer) + reals.map(Value.real) + texts.map(Value.text)
      + blobs.map(Value.blob)
    var steps: [DatabaseBuilder.Step] = [
      """
      CREATE TABLE v (
        id INTEGER PRIMARY KEY, bare, t TEXT, r REAL, n NUMERIC, b BLOB, i INTEGER, f FLOAT,
        "no type at all" ANYTHING)
      """
    ]
    steps += bound.map {
      DatabaseBuilder.Step(
        "INSERT INTO v (bare, t, r, n, b, i, f, \"no type at all\") "
          + "VALUES (?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1)", [$0])
    }
    // SQLite would convert invalid UTF-8 on its way into a UTF-16 file: only UTF-8 keeps it.
    if encoding == .utf8 {
      steps += invalid.map {
        DatabaseBuilder.Step(
          "INSERT INTO v (bare, t, b) "
            + "VALUES (CAST(?1 AS TEXT), CAST(?1 AS TEXT), CAST(?1 AS TEXT))", [.blob($0)])
      }
    }
    steps.append("CREATE INDEX v_bare ON v (bare, r)")
    return Recipe("every-value-\(encoding.name)", DatabaseBuilder(encoding: encoding, steps))
  }

  /// Lone surrogates, which are not valid UTF-16.
  private static let badUTF16 = Recipe(
    "invalid-utf16",
    DatabaseBuilder(
      encoding: .utf16le,
      [
        "CREATE TABLE v (id INTEGER PRIMARY KEY, t TEXT)",
        DatabaseBuilder.Step(
          "INSERT INTO v (t) VALUES (CAST(? AS TEXT))", [.blob([0x00, 0xD8, 0x61, 0x00])]),
        DatabaseBuilder.Step("INSERT INTO v (t) VALUES (CAST(? AS TEXT))", [.blob([0x00, 0xDC])]),
      ]))

  /// Text and blobs of every size around the limits at which a cell spills to overflow pages.
  private static func longValues(_ pageSize: Int) -> Recipe {
    Recipe(
      "long-values-\(pageSize)",
      DatabaseBuilder(pageSize: pageSize, longValueSteps(usable: pageSize)))
  }

  private static let longValuesWithReserve = Recipe(
    "long-values-reserved",
    DatabaseBuilder(pageSize: 1024, reservedBytes: 32, longValueSteps(usable: 1024 - 32)))

  private static func longValueSteps(usable: Int) -> [DatabaseBuilder.Step] {
    // SQLite's own limits: the longest payload of a table leaf and of an index page.
    let leaf = usable - 35
    let index = (usable - 12) * 64 / 255 - 23
    var sizes = [leaf, index, (usable - 12) * 32 / 255 - 23].flatMap { Array(($0 - 10)...($0 + 5)) }
    for chain in [1, 2, 5] {
      sizes += [-8, -5, -4, -3, -1, 0, 1].map { leaf + chain * (usable - 4) + $0 }
    }
    sizes += [100_000, 3 * usable]
    var random = SeededRandom(seed: 7)
    var steps: [DatabaseBuilder.Step] = [
      "CREATE TABLE long (id INTEGER PRIMARY KEY, size INT, t TEXT, b BLOB)",
      "CREATE INDEX long_t ON long (t)",
      "CREATE TABLE keyed (k BLOB PRIMARY KEY, size INT) WITHOUT ROWID",
    ]
    for size in sizes.filter({ $0 > 0 }) {
      let bytes = random.bytes(size)
      let text = Value.text(Bytes(bytes.map { 0x20 + $0 % 95 }))
      let count = Value.integer(Int64(size))
      let insert = "INSERT INTO long (size, t, b) VALUES (?, ?, ?)"
      steps.append(DatabaseBuilder.Step(insert, [count, text, .null]))
      steps.append(DatabaseBuilder.Step(insert, [count, .null, .blob(bytes)]))
      steps.append(
        DatabaseBuilder.Step("INSERT INTO keyed VALUES (?, ?)", [.blob(bytes), count]))
    }
    return steps
  }

  /// Rows whose header is longer than one byte of varint can say.
  private static let manyColumns: Recipe = {
    let columns = (1...300).map { "c\($0)" }
    let values = (1...300).map { index in index % 7 == 0 ? "NULL" : "n * \(index)" }
    return Recipe(
      "many-columns",
      [
        "CREATE TABLE wide (\(columns.joined(separator: ", ")))",
        Rows.fill("wide", values.joined(separator: ", "), count: 20),
      ])
  }()

  /// A schema row so long that it overflows page 1.
  private static let schemaOfWideRows: Recipe = {
    let columns = (1...200).map { "column_with_a_long_name_\($0) INTEGER NOT NULL DEFAULT \($0)" }
    return Recipe(
      "long-schema",
      DatabaseBuilder(
        pageSize: 512,
        [
          "CREATE TABLE t (\(columns.joined(separator: ",\n  ")))",
          "INSERT INTO t DEFAULT VALUES", "CREATE TABLE after (x)",
          "INSERT INTO after VALUES (1)",
        ]))
  }()
}
