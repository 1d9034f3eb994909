// SPDX-License-Identifier: Apache-2.0
// Healthy databases of every odd kind: what nobody would think of, and SQLite allows.

package import DatabaseRescue
import SQLiteFormat

/// A healthy database that an app may have, however odd it looks.
package struct Specimen: Sendable, CustomStringConvertible {
  /// A name that only the app has, of a function or collation, and SQLite's own that does the same.
  package struct AppName: Sendable {
    let app: String
    let builtIn: String
  }

  /// How it is made, up to what is written into its schema afterwards.
  package let recipe: Recipe
  /// The names that only the app has: the database is made with SQLite's own, and renamed.
  package var appNames: [AppName] = []
  /// A byte of the header that is set afterwards, where an old SQLite wrote another.
  package var headerByte: (offset: Int, value: UInt8)?
  /// How a salvage ends that cannot make what needs functions or collations of the app: it says so.
  package var salvageStatus: Int32 = 0
  /// Whether it is so large that it is tried only where there is time.
  package var isLarge = false
  /// Whether it holds virtual tables of a module that only the app has.
  package var hasAppModule = false

  /// A specimen that is a recipe and nothing else.
  package init(_ recipe: Recipe) {
    self.recipe = recipe
  }

  /// A specimen of statements.
  init(_ name: String, _ steps: [DatabaseBuilder.Step]) {
    self.init(Recipe(name, steps))
  }

  /// A specimen of a builder.
  init(_ name: String, _ builder: DatabaseBuilder) {
    self.init(Recipe(name, builder))
  }

  /// The name, which parameterized tests show.
  package var description: String { recipe.name }

  /// The same, with names that only an app has for some of SQLite's own.
  func naming(_ names: [String: String]) -> Specimen {
    var result = self
    result.appNames = names.map { AppName(app: $0.value, builtIn: $0.key) }
    return result
  }

  /// The same, of which a salvage has to leave objects out.
  func salvaged(withStatus status: Int32) -> Specimen {
    var result = self
    result.salvageStatus = status
    return result
  }

  /// The same, with a byte of the header set.
  func setting(headerByte offset: Int, to value: UInt8) -> Specimen {
    var result = self
    result.headerByte = (offset, value)
    return result
  }

  /// The same, for when there is time.
  var large: Specimen {
    var result = self
    result.isLarge = true
    return result
  }

  /// Makes the database, with its sidecars.
  package func build(at path: FilePath) throws {
    try recipe.builder.build(at: path)
    if !appNames.isEmpty { try rename(at: path, appNames.map { ($0.builtIn, $0.app) }) }
    if let headerByte {
      var bytes = try path.contents()
      bytes[headerByte.offset] = headerByte.value
      try path.replaceContents(with: bytes)
    }
  }

  /// Gives a private copy SQLite's own names again, so that SQLite can judge it.
  package func makeJudgeable(_ path: FilePath) throws {
    if !appNames.isEmpty { try rename(at: path, appNames.map { ($0.app, $0.builtIn) }) }
  }

  private func rename(at path: FilePath, _ names: [(String, String)]) throws {
    let connection = try Connection.unguarded(path)
    for (old, new) in names {
      try connection.prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)").run(
        [.text(old), .text(new)])
    }
  }
}

extension Connection {
  /// A connection that may write any schema, as a hostile or careless program has it.
  package static func unguarded(_ path: FilePath) throws -> Connection {
    let connection = try Connection(path, mode: .readWrite, schemaBy: .us)
    // SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_TRUSTED_SCHEMA
    connection.configure(1010, false)
    connection.configure(1017, true)
    try connection.execute("PRAGMA writable_schema = ON; PRAGMA synchronous = OFF")
    return connection
  }
}

extension Specimen {
  /// All of them.
  package static let all =
    Recipe.all.filter { !isDamaged.contains($0.name) }.map { Specimen($0) }
    + tables + columns + keys + names + objects + fullText + regions + appOnly + files + crowds

  /// Recipes that a crash has left, which are not healthy.
  private static let isDamaged: Set<String> = ["wal-torn"]
}
