// SPDX-License-Identifier: Apache-2.0
// The objects of a fresh database: each is made on its own, and what cannot be made is left out.

internal import CSQLite
import Diagnosis
package import SQLiteFormat

/// An object of a schema that is not in the fresh database.
package struct UnrestoredObject: Hashable, Sendable {
  /// What it would have been.
  package let kind: SchemaEntry.Kind
  /// Its name.
  package let name: Name
  /// Why, in SQLite's words or ours.
  package let reason: String
}

extension FreshDatabase {
  /// Makes the tables, the ordinary ones first; those that a module makes are there with theirs.
  mutating func makeTables() {
    for declaration in schema.declared.declarations where declaration.kind == .table {
      if declaration.isOnlyRecorded {
        recorded.append(declaration)
      } else if declaration.isImplied, declaration.family.map(made.contains) == true {
        made.insert(declaration.name)
      } else if let plain = schema.plainEntry(of: declaration) {
        makeDisguised(declaration, as: plain)
      } else if let reason = hindrance(to: declaration) {
        leaveOut(declaration, reason)
      } else {
        make([declaration])
      }
    }
  }

  /// Makes a table of which only the app can compute a part as one that takes what the app computed.
  private mutating func makeDisguised(_ declaration: Declaration, as plain: SchemaEntry) {
    do {
      try isolated { connection throws(DeclarationFault) in
        for function in declaration.missingFunctions {
          connection.standIn(forFunction: function.text)
        }
        _ = try connection.declare(plain)
      }
      made.insert(declaration.name)
      disguised.append(declaration)
      noteForeignOrder(of: declaration.name)
    } catch {
      leaveOut(declaration, because: error)
    }
  }

  /// Makes the unique indexes over a table before it has rows, so that of two rows with one key the
  /// first counts.
  ///
  /// Of a table against which nothing speaks every row counts: an index that contradicts it is made
  /// last, and left out.
  package mutating func makeUniqueIndexes(of table: Name) {
    let indexes = schema.declared.indexes(over: table).filter {
      description(of: $0)?.unique == true
    }
    make(indexes)
    early.formUnion(indexes.map(\.name))
  }

  /// Makes objects; those that fail are left out, and the others go on.
  mutating func make(_ declarations: [Declaration]) {
    for declaration in declarations {
      if let reason = hindrance(to: declaration) {
        leaveOut(declaration, reason)
        continue
      }
      connection.limit(SQLITE_LIMIT_LENGTH, to: values.longest)
      defer { connection.limit(SQLITE_LIMIT_LENGTH, to: values.usual) }
      do {
        try isolated { connection throws(DeclarationFault) in try connection.declare(declaration) }
        if declaration.kind == .table {
          made.insert(declaration.name)
          made.formUnion(schema.partsMade(with: declaration.name))
          noteForeignOrder(of: declaration.name)
        }
      } catch {
        leaveOut(declaration, because: error)
      }
    }
  }

  /// Notes a key or constraint that the library can only keep in the order of its bytes, or of values
  /// that it cannot compute.
  private mutating func noteForeignOrder(of table: Name) {
    let computed = columnsOfApp(in: table)
    for index in schema.declared.table(named: table)?.indexes ?? [] where index.origin != .created {
      if let column = index.columns.compactMap(\.name).first(where: computed.contains) {
        unrestored.append(
          UnrestoredObject(
            kind: .index, name: index.name,
            reason: "it has no values of '\(column)': only the app can compute them, and must copy "
              + "the rows of '\(table)' into a new table before it looks for any"))
      }
      guard let collation = index.foreignCollation else { continue }
      unrestored.append(
        UnrestoredObject(
          kind: .index, name: index.name,
          reason: "it is in the order of bytes: only the app has the collation '\(collation)', and "
            + "must copy the rows of '\(table)' into a new table before it looks for any"))
    }
  }

  /// The virtual columns of a table that need functions of the app.
  private func columnsOfApp(in table: Name) -> Set<Name> {
    guard let declaration = schema.declared.declaration(of: table),
      !declaration.missingFunctions.isEmpty, let description = schema.declared.table(named: table)
    else { return [] }
    return RulesOfApp(
      of: description, SQLTokens(parsing: declaration.sql), lacking: declaration.missingFunctions
    ).columns
  }

  /// Leaves an object out that could not be made; what is wrong with the disk is not its fault, and
  /// nothing can be made any more.
  private mutating func leaveOut(_ declaration: Declaration, because error: any Error) {
    if let error = error as? SQLiteError { failure = failure ?? error }
    leaveOut(declaration, (error as? DeclarationFault)?.reason ?? "\(error)")
  }

  mutating func leaveOut(_ declaration: Declaration, _ reason: String) {
    unrestored.append(
      UnrestoredObject(kind: declaration.kind, name: declaration.name, reason: reason))
  }

  /// Why an object cannot be made without what the app adds to SQLite; nil where nothing hinders.
  ///
  /// A stand-in for a function or collation lets a statement be parsed. What it gives must not be
  /// stored: neither as a value, nor as the order of an index.
  private func hindrance(to declaration: Declaration) -> String? {
    switch declaration.kind {
    case .view, .trigger: return nil
    case .index:
      if let function = missingFunction(of: declaration) {
        return "its entries need the function '\(function)', which only the app has"
      }
      return description(of: declaration)?.foreignCollation.map {
        "its order needs the collation '\($0)', which only the app has"
      }
    case .table:
      guard let function = declaration.missingFunctions.min(),
        let table = schema.declared.table(named: declaration.name),
        RulesOfApp(
          of: table, SQLTokens(parsing: declaration.sql), lacking: declaration.missingFunctions
        ).computeStored
      else { return nil }
      return "its columns need the function '\(function)', which only the app has"
    }
  }

  /// Takes a table away again that cannot be filled.
  package mutating func dropTable(_ name: Name, because reason: String) {
    made.remove(name)
    try? connection.execute("DROP TABLE \(name.quotedIdentifier)")
    unrestored.append(UnrestoredObject(kind: .table, name: name, reason: reason))
  }
}

extension IndexDescription {
  /// A collation of the index that the library does not have.
  var foreignCollation: Name? {
    columns.map(\.collation).first { !Name.libraryCollations.contains($0) }
  }
}
