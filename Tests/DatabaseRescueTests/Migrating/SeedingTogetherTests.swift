// SPDX-License-Identifier: Apache-2.0
// Rows that are made up for tables that are hard to fill: several conditions at once, and tables that
// refer to each other.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SeedingTogetherTests {
  static let schemas = [
    """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT CHECK (length(a) = 17) CHECK (a GLOB 'x*y')
      CHECK (substr(a, 3, 4) = upper('abcd')), n INT NOT NULL)
    """,
    """
    CREATE TABLE a (id INTEGER PRIMARY KEY, b INT NOT NULL REFERENCES b DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE b (id INTEGER PRIMARY KEY, a INT NOT NULL REFERENCES a DEFERRABLE INITIALLY DEFERRED)
    """,
    """
    CREATE TABLE a (k TEXT PRIMARY KEY, b TEXT NOT NULL REFERENCES b (k) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE b (k TEXT PRIMARY KEY, c TEXT NOT NULL REFERENCES c (k) DEFERRABLE INITIALLY DEFERRED);
    CREATE TABLE c (k TEXT PRIMARY KEY, a TEXT NOT NULL REFERENCES a (k) DEFERRABLE INITIALLY DEFERRED,
      n INT CHECK (n BETWEEN 3 AND 5));
    CREATE TABLE d (k TEXT REFERENCES c (k))
    """,
  ]

  @Test(arguments: schemas)
  func `they have rows that keep every rule`(_ schema: String) throws {
    let scratch = try ScratchFolder()
    let file = scratch["seeded.db"]
    try DatabaseBuilder([DatabaseBuilder.Step(stringLiteral: schema)]).build(at: file)
    let seeding = try DatabaseSeeder.fill(file, seed: 1, World(environment: [:]))
    #expect(seeding.failures == [])
    #expect(seeding.rows > 2)
    let connection = try Connection(file, mode: .readOnly)
    #expect(try connection.rows("PRAGMA foreign_key_check") == [])
    #expect(try Oracle(file).integrityErrors == [])
  }
}
