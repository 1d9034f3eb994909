// SPDX-License-Identifier: Apache-2.0
// The contract that an exported schema of Room states, by Room's own rules.

import Diagnosis
import SQLiteFormat

extension RoomExport {
  /// The statement of the table in which Room keeps its identity hash.
  private static let masterTable =
    "CREATE TABLE room_master_table (id INTEGER PRIMARY KEY,identity_hash TEXT)"

  /// The contract: the schema as SQLite makes it of the statements, the version, the identity hash.
  ///
  /// What cannot be carried out is made of what else the export says, or left out with a note.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` where nothing is left.
  func contract(named name: String, _ file: String) throws(RescueError) -> Contract {
    let reference = try ReferenceDatabase(running: "", named: file)
    var export = self
    if identityHash != nil { try? reference.run(Self.masterTable) }
    for object in entities { export.make(object, in: reference) }
    for object in views { export.make(object, in: reference) }
    var contract = try ContractSource.capture(reference, named: name, file)
    for object in entities { export.noteContradiction(of: object, in: contract.objects) }
    let hasTables = contract.objects.tables.contains { $0.name != "room_master_table" }
    guard hasTables || isEmpty else {
      throw RescueError(
        .invalidInput, "'\(file)' is an export of Room without a single entity",
        meaning: "it states no contract", advice: "export the schema anew (exportSchema = true)")
    }
    contract.userVersion = version
    contract.rules = .room
    contract.books = identityHash.map { [.room: FrameworkBook(identityHash: $0)] } ?? [:]
    // Without a hash, nothing says what the table should hold, or whether it should be there.
    if identityHash == nil { contract.ignoreTables = ["room_master_table"] }
    contract.notes = export.notes
    return contract
  }

  /// Notes what the fields of an entity say otherwise than its statement.
  private mutating func noteContradiction(of object: Object, in schema: SchemaDescription) {
    guard let fields = object.fields,
      let table = schema.tables.first(where: { $0.name == Name(object.name) })
    else { return }
    let columns = Dictionary(table.columns.map { ($0.name, $0) }) { first, _ in first }
    let other = Set(fields.keys).union(columns.keys).filter { name in
      guard let isNotNull = fields[name], let column = columns[name] else { return true }
      return column.notNull != isNotNull && column.primaryKeyPosition == 0
    }
    guard !other.isEmpty else { return }
    note(
      "the fields of '\(object.name)' contradict its createSql, which counts: "
        + other.sorted().map { "'\($0)'" }.joined(separator: ", "))
  }

  /// Carries out the statements of an object, and notes what cannot be.
  private mutating func make(_ object: Object, in reference: borrowing ReferenceDatabase) {
    var reason = "it has no statement"
    var isMade = false
    for (place, sql) in [object.sql, object.ownSQL].enumerated() where !isMade {
      guard let sql else { continue }
      do throws(SQLiteError) {
        try reference.run(sql)
        isMade = true
        if place == 1, object.sql != nil {
          note("the statement of '\(object.name)' fails, and one is made of its fields: \(reason)")
        }
      } catch {
        reason = error.message
      }
    }
    guard isMade else { return note("'\(object.name)' is left out: \(reason)") }
    for sql in object.dependents {
      do throws(SQLiteError) {
        try reference.run(sql)
      } catch {
        note("a statement that belongs to '\(object.name)' is left out: \(error.message)")
      }
    }
  }
}

extension ReferenceDatabase {
  /// Carries out one statement.
  ///
  /// - Throws: ``SQLiteError`` when it fails.
  borrowing func run(_ sql: String) throws(SQLiteError) {
    do throws(ScriptFailure) {
      try connection.permitting(.script) { () throws(ScriptFailure) in
        try connection.executeScript(sql)
      }
    } catch {
      throw error.error
    }
  }
}
