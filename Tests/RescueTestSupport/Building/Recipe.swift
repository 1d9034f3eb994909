// SPDX-License-Identifier: Apache-2.0
// Named healthy databases, each of which walks into one or more traps of the file format.

package import DatabaseRescue
import SQLiteFormat

/// A healthy database worth testing a reader with.
package struct Recipe: Sendable, CustomStringConvertible {
  /// A short name, usable as a file name.
  package let name: String
  /// How it is made.
  package var builder: DatabaseBuilder

  init(_ name: String, _ builder: DatabaseBuilder) {
    self.name = name
    self.builder = builder
  }

  init(_ name: String, _ steps: [DatabaseBuilder.Step]) {
    self.init(name, DatabaseBuilder(steps))
  }

  /// The name, which parameterized tests show.
  package var description: String { name }

  /// Makes the database in a folder, with its sidecars, and gives its path.
  package func build(in folder: FilePath) throws -> FilePath {
    let path = folder.appending(FilePath(name + ".db"))
    try builder.build(at: path)
    return path
  }

  /// All recipes.
  package static let all = values + layouts + tables + objects + pages + journals

  /// The recipe of this name.
  ///
  /// - Throws: ``UnfitFixture`` when there is none.
  package static func named(_ name: String) throws -> Recipe {
    guard let recipe = all.first(where: { $0.name == name }) else {
      throw UnfitFixture("no recipe is named '\(name)'")
    }
    return recipe
  }
}

/// SQL that makes many rows without random numbers of SQLite's own.
enum Rows {
  /// `INSERT INTO table SELECT terms` for n from 1 to `count`; terms may use `n`.
  static func fill(_ table: String, _ terms: String, count: Int) -> DatabaseBuilder.Step {
    """
    WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < \(count))
    INSERT INTO \(table) SELECT \(terms) FROM counter
    """
  }

  /// An SQL term for text of so many characters that differs from row to row.
  static func text(_ length: Int) -> String {
    "substr(replace(hex(zeroblob(\(length / 8 + 1))), '0', printf('%04d', n % 7919)), 1, \(length))"
  }
}
