// SPDX-License-Identifier: Apache-2.0
// Whatever a contract can be had from: a contract file, a script, a healthy database.

public import Diagnosis
import SQLiteFormat

/// Gives the contract that a file states, whatever kind of file it is.
public enum ContractSource {
  /// Loads the contract of a contract file, an SQL script or a healthy database, told apart by
  /// their content.
  ///
  /// A database is only read; SQLite opens a private copy of it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - name: The name of the contract; that of the file without its extension when nil. A
  ///     contract file has its own.
  ///   - world: Where files come from.
  /// - Returns: The contract.
  /// - Throws: ``RescueError`` when the file cannot be read, or is not sound.
  public static func load(
    _ path: FilePath, name: String? = nil, world: World = World()
  ) throws(RescueError) -> Contract {
    let files = try InputFiles(path, storage: world.storage)
    let name = name ?? path.stem
    if let contract = try stated(by: files, name: name, world) { return contract }
    return try capture(files, name: name, world) { contract, _ in contract }
  }

  /// Loads a contract, and does something with it and a private copy of the database, an empty one
  /// where the file is none.
  ///
  /// - Throws: ``RescueError`` when the file cannot be read, or is not sound.
  static func withRows<Result>(
    of path: FilePath, world: World, _ body: (Contract, borrowing Connection) -> Result
  ) throws(RescueError) -> Result {
    let files = try InputFiles(path, storage: world.storage)
    guard let contract = try stated(by: files, name: path.stem, world) else {
      return try capture(files, name: path.stem, world, body)
    }
    do throws(SQLiteError) {
      return body(contract, try Connection(mode: .memory))
    } catch {
      throw RescueError(error, doing: "make a database in memory")
    }
  }

  /// The contract that a text states, with what lies beside its file; nil of a database.
  private static func stated(
    by files: InputFiles, name: String, _ world: World
  ) throws(RescueError) -> Contract? {
    let file = files.main.name.description
    guard let bytes = try text(of: files, world) else { return nil }
    guard !bytes.isEmpty else {
      throw RescueError(
        .invalidInput, "'\(file)' is empty", meaning: "it states no contract",
        advice: "give a contract, an SQL script or a healthy database")
    }
    guard isDocument(bytes) else {
      guard let script = String(validating: bytes, as: UTF8.self) else {
        throw RescueError(
          .invalidInput, "'\(file)' is neither text nor a database",
          meaning: "it states no contract",
          advice: "give a contract, an SQL script or a healthy database")
      }
      let reference = try ReferenceDatabase(running: script.withoutByteOrderMark, named: file)
      return try overlaid(try capture(reference, named: name, file), files.main, world)
    }
    if let export = RoomExport(bytes) {
      return try overlaid(try export.contract(named: name, file), files.main, world)
    }
    if RoomExport.mayBe(bytes) {
      try DocumentReader.requireWellFormed(bytes, named: file)
    }
    let contract = try completed(try ContractDocument.read(bytes, named: file), file)
    try contract.requireKnownTables(file)
    return contract
  }

  /// A contract with what lies beside its file.
  private static func overlaid(
    _ contract: Contract, _ path: FilePath, _ world: World
  ) throws(RescueError) -> Contract {
    guard let (overlay, file) = try ContractOverlay.beside(path, world: world) else {
      return contract
    }
    let overlaid = overlay.added(to: contract)
    try overlaid.requireKnownTables(file)
    return overlaid
  }

  /// The bytes of a file that is no database; nil for a database.
  private static func text(
    of files: InputFiles, _ world: World
  ) throws(RescueError) -> Bytes? {
    do {
      let file = try world.storage.open(files.main, .read)
      if try file.read(at: 0, count: 16).elementsEqual("SQLite format 3\0".utf8) { return nil }
      guard file.byteCount <= ReferenceDatabase.byteCountMax else {
        throw RescueError(
          .invalidInput, "'\(files.main.name)' is neither a database nor a short text",
          meaning: "it states no contract",
          advice: "give a contract, an SQL script or a healthy database")
      }
      return try file.read(at: 0, count: file.byteCount)
    } catch let error as RescueError {
      throw error
    } catch let error as StorageError {
      throw RescueError(error)
    } catch let error as ReadFailure {
      throw RescueError(.inputOutput, "cannot read '\(files.main)': \(error.reason)")
    } catch {
      throw RescueError(.internal, "cannot read '\(files.main)'")
    }
  }

  /// Whether a text is JSON5 and not SQL: what follows comments tells.
  private static func isDocument(_ bytes: Bytes) -> Bool {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      if rest.starts(with: "//".utf8) || rest.starts(with: "--".utf8) {
        rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
        rest = rest.dropFirst(2)
      } else {
        return rest.first == UInt8(ascii: "{")
      }
    }
  }

  /// A contract whose objects were checked against its fresh schema, or taken from it.
  private static func completed(
    _ contract: Contract, _ file: String
  ) throws(RescueError) -> Contract {
    guard !contract.freshSchema.isEmpty else { return contract }
    let reference = try ReferenceDatabase(freshSchemaOf: contract)
    let fresh: SchemaDescription
    do throws(SQLiteError) {
      fresh = try SchemaReader.describe(reference.connection)
    } catch {
      throw RescueError(error, doing: "read the schema of '\(file)'")
    }
    var contract = contract
    if contract.objects == SchemaDescription() {
      contract.objects = fresh
      return contract
    }
    let differences = ContractDifference.compare(
      expected: contract.objects, found: fresh, ignoring: contract.ignoreTables)
    if let first = differences.first(where: { $0.weight == .drift }) {
      throw RescueError(
        .invalidInput,
        "'\(file)' contradicts itself: in its fresh schema, \(first.headline)",
        meaning: "nothing was done",
        advice: "correct one of the two, or leave out tables, triggers and views")
    }
    return contract
  }
}

extension ContractSource {
  /// Captures the contract of a database file.
  private static func capture<Result>(
    _ files: InputFiles, name: String, _ world: World,
    _ body: (Contract, borrowing Connection) -> Result
  ) throws(RescueError) -> Result {
    let file = files.main.name.description
    let reconstruction = try world.reconstruct(files.open(in: world))
    let findings = reconstruction.findings
    let verdict = Verdict(isDatabase: reconstruction.survey.kind.isDatabase, findings)
    guard verdict == .healthy, let image = reconstruction.survey.image else {
      throw unhealthy(file, findings.first?.message ?? verdict.meaning)
    }
    if let entry = reconstruction.survey.schema?.entriesWithoutText.first {
      throw RescueError(
        .invalidInput, "the schema row of '\(entry.name)' in '\(file)' is not valid UTF-8",
        meaning: "a contract is UTF-8 and would say something else; the file was not touched",
        advice: "write names and statements in UTF-8 where the app makes them, and capture a "
          + "database that was made so")
    }
    let folder = try PrivateFolder(world: world)
    let copy = folder.file("copy.db")
    try image.write(to: copy, storage: world.storage)
    do {
      let connection = try Connection(copy, mode: .readOnly)
      if let problem = try integrityProblem(of: connection) { throw unhealthy(file, problem) }
      return body(try capture(connection, name: name, file), connection)
    } catch let error as SQLiteError {
      throw unhealthy(file, error.message)
    } catch {
      throw RescueError(error, doing: "open the copy of '\(file)'")
    }
  }

  private static func unhealthy(_ file: String, _ problem: String) -> RescueError {
    RescueError(
      .invalidInput, "'\(file)' is not a healthy database: \(problem)",
      meaning: "a contract taken from it could be wrong; the file was not touched",
      advice: "dbrescue diagnose \(ShellWord.quoted(file))")
  }

  /// The first thing that SQLite finds wrong; nil when nothing is.
  private static func integrityProblem(
    of connection: borrowing Connection
  ) throws(SQLiteError) -> String? {
    try Verification.checkIntegrity(of: connection).problems.first
  }

  /// The contract of a database that a script has made.
  static func capture(
    _ reference: borrowing ReferenceDatabase, named name: String, _ file: String
  ) throws(RescueError) -> Contract {
    try capture(reference.connection, name: name, file)
  }

  private static func capture(
    _ connection: borrowing Connection, name: String, _ file: String
  ) throws(RescueError) -> Contract {
    do throws(SQLiteError) {
      return try capture(connection, name: name)
    } catch {
      throw RescueError(error, doing: "read the schema of '\(file)'")
    }
  }

  /// The contract of an open database: its schema and versions, and where unsynced rows may be.
  ///
  /// An application id of 0 means that none was set, so any will do.
  ///
  /// - Throws: ``SQLiteError`` when the schema cannot be read.
  package static func capture(
    _ connection: borrowing Connection, name: String
  ) throws(SQLiteError) -> Contract {
    let application = try connection.value("PRAGMA application_id")?.integerValue ?? 0
    let version = try connection.value("PRAGMA user_version")?.integerValue ?? 0
    let objects = try SchemaReader.describe(connection)
    let books = try ContractVerifier.books(in: connection, objects)
    var contract = Contract(
      name: name, applicationID: application == 0 ? nil : Int32(truncatingIfNeeded: application),
      userVersion: Int32(truncatingIfNeeded: version), objects: objects,
      freshSchema: try SchemaReader.freshEntries(connection).compactMap(\.sql),
      unsynced: Contract.UnsyncedEntry.suggestions(for: objects),
      books: books)
    contract.notes = try coreDataNotes(connection, objects)
    return contract
  }

  /// What is to be said of a store of Core Data: its model is none of ours to read.
  private static func coreDataNotes(
    _ connection: borrowing Connection, _ objects: SchemaDescription
  ) throws(SQLiteError) -> [String] {
    let tables = Set(objects.tables.map(\.name))
    guard tables.contains("Z_METADATA"), tables.contains("Z_PRIMARYKEY") else { return [] }
    let copies: Value? =
      tables.contains("Z_MODELCACHE")
      ? try connection.value("SELECT count(*) FROM Z_MODELCACHE") : nil
    let hasModel = (copies?.integerValue ?? 0) > 0
    return [
      hasModel
        ? "this store of Core Data has a copy of its model in a form that only Core Data reads: the "
          + "contract is that of its tables, and says nothing of entities"
        : "this store of Core Data has no copy of its model: the contract is that of its tables"
    ]
  }
}

extension FilePath {
  /// The last component without its extension.
  var stem: String {
    let name = name.description
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension String {
  fileprivate var withoutByteOrderMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
