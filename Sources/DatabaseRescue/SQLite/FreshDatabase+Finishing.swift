// SPDX-License-Identifier: Apache-2.0
// What a fresh database gets when it has its rows: counters, indexes, views and triggers.

import Diagnosis
package import SQLiteFormat

extension FreshDatabase {
  /// Sets the AUTOINCREMENT counters, each at least as high as the largest rowid of its table; those
  /// of tables that are gone stay as they are, where there is a place for them.
  package func setSequences(_ sequences: [Name: Int64]) throws(SQLiteError) {
    for table in schema.description.tables where table.autoincrement && made.contains(table.name) {
      let name = Value.text(table.name)
      // A column may be called rowid and be another.
      let rowID = table.rowIDAlias.flatMap { alias in
        table.columns.indices.contains(alias) ? table.columns[alias].name : nil
      }
      let highest = try connection.value(
        """
        SELECT max(\((rowID ?? "rowid").quotedIdentifier)) FROM \(table.name.quotedIdentifier)
        """)
      guard let sequence = [highest?.integerValue, sequences[table.name]].compactMap(\.self).max()
      else { continue }
      try connection.prepare("DELETE FROM sqlite_sequence WHERE name = ?").run([name])
      try connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)")
        .run([name, .integer(sequence)])
    }
    guard made.contains(where: { schema.declared.table(named: $0)?.autoincrement == true }) else {
      return
    }
    for (name, sequence) in sequences.sorted(by: { $0.key < $1.key })
    where schema.declared.table(named: name) == nil {
      try connection.prepare("INSERT INTO sqlite_sequence(name, seq) VALUES (?, ?)")
        .run([.text(name), .integer(sequence)])
    }
  }

  /// Makes the table of statistics, empty, as ANALYZE does.
  package mutating func makeStatistics() throws(SQLiteError) {
    try connection.execute("ANALYZE sqlite_schema")
    made.insert("sqlite_stat1")
  }

  /// Makes the remaining indexes, writes down the views and the triggers, and commits.
  ///
  /// SQLite reads its whole schema for each view and trigger that it makes; what it would store is
  /// known, and takes no pages.
  ///
  /// - Returns: The objects that are not in the database, which is closed.
  /// - Throws: ``SQLiteError`` when the database cannot be committed.
  package consuming func finish() throws(SQLiteError) -> [UnrestoredObject] {
    for declaration in schema.declared.declarations
    where declaration.kind == .index && !early.contains(declaration.name) {
      connection.patience.allow(Patience.enough(for: inputByteCount))
      make([declaration])
    }
    if let failure { throw failure }
    // Modules make tables that the schema does not name.
    var taken = try connection.objectNames()
    var written: [Declaration] = []
    for object in recorded + schema.declared.declarations.filter({ $0.kind == .view }) {
      if taken.insert(object.name).inserted {
        written.append(object)
      } else {
        leaveOut(object, "its name is taken")
      }
    }
    for trigger in schema.declared.declarations where trigger.kind == .trigger {
      if taken.contains(trigger.table) {
        written.append(trigger)
      } else {
        leaveOut(trigger, "its table '\(trigger.table)' is left out")
      }
    }
    try connection.execute("PRAGMA writable_schema = ON")
    let statement = try connection.prepare(
      "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, 0, ?)")
    for object in written {
      try statement.run([
        .text(object.kind.rawValue), .text(object.name), .text(object.table), .text(object.sql),
      ])
    }
    try undisguise()
    try connection.execute("PRAGMA writable_schema = OFF; COMMIT")
    return unrestored
  }
}

extension Connection {
  /// The names of all tables, indexes and views.
  fileprivate func objectNames() throws(SQLiteError) -> Set<Name> {
    Set(
      try rows("SELECT name FROM sqlite_schema WHERE type <> 'trigger'")
        .compactMap { $0.first?.utf8String }.map { Name($0) })
  }
}
