// SPDX-License-Identifier: Apache-2.0
// The databases of the damage benchmark that have many tables: all of them different, or all alike.

extension DamageSubject {
  /// Forty tables, each of a form of its own.
  static let many: [DatabaseBuilder.Step] = (1...40).flatMap {
    number -> [DatabaseBuilder.Step] in
    let types = ["INT", "TEXT", "REAL", "BLOB"]
    let columns = (0...(number % 6)).map { "c\($0)_\(number) \(types[($0 + number / 6) % 4])" }
    let values = (0...(number % 6)).map { ($0 + number / 6) % 4 == 1 ? text(40) : "n * \($0 + 3)" }
    return [
      "CREATE TABLE t\(number) (id INTEGER PRIMARY KEY, \(columns.joined(separator: ", ")))",
      Rows.fill(
        "t\(number)", "n * \(number), \(values.joined(separator: ", "))", count: 4 + number % 25),
    ]
  }

  static let manyChanges: [DatabaseBuilder.Step] = [2, 9, 16, 23, 30, 37].map {
    "DELETE FROM t\($0) WHERE id % 3 = 0"
  }

  /// Tables of one form, whose rows could be each other's.
  static let lookalikes: [DatabaseBuilder.Step] = ["home", "work", "club", "shop"].flatMap {
    [
      "CREATE TABLE \($0) (id INTEGER PRIMARY KEY, title TEXT, done INT)",
      Rows.fill("\($0) (title, done)", "'\($0) ' || \(text(60)), n % 2", count: 220),
      "CREATE INDEX \($0)_done ON \($0) (done, title)",
    ]
  }

  static let lookalikeChanges: [DatabaseBuilder.Step] = ["home", "club"].flatMap {
    [
      "DELETE FROM \($0) WHERE id % 7 = 3",
      Rows.fill("\($0) (title, done)", "'late ' || \(text(50)), 0", count: 20),
    ]
  }
}
