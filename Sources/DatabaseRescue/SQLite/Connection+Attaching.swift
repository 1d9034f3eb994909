// SPDX-License-Identifier: Apache-2.0
// Other files of ours on one connection: what a merge reads and writes together.

internal import CSQLite
import SQLiteFormat

extension Connection {
  /// Attaches another file of ours under a name; SQL of others still reaches no file.
  ///
  /// - Throws: ``SQLiteError`` when it cannot be opened.
  func attach(_ path: FilePath, as name: String) throws(SQLiteError) {
    limit(SQLITE_LIMIT_ATTACHED, to: try rows("PRAGMA database_list").count)
    defer { limit(SQLITE_LIMIT_ATTACHED, to: 0) }
    let file = path.isAbsolute ? path : FilePath("./").appending(path)
    try permitting(.attaching) { () throws(SQLiteError) in
      try prepare("ATTACH ? AS \(name)").run([.text(Bytes(file.bytes))])
    }
  }

  /// Takes a file off the connection again.
  func detach(_ name: String) throws(SQLiteError) {
    try permitting(.attaching) { () throws(SQLiteError) in try execute("DETACH \(name)") }
  }

  /// The names of the tables of a database of the connection.
  func tables(in database: String) throws(SQLiteError) -> Set<Name> {
    Set(
      try rows("SELECT name FROM \(database).sqlite_schema WHERE type = 'table'")
        .compactMap { $0.first?.utf8String }.map { Name($0) })
  }
}
