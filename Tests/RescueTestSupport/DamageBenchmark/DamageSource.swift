// SPDX-License-Identifier: Apache-2.0
// A database of the damage benchmark as it is made: its files at two moments, and all its rows.

package import DatabaseRescue
import SQLiteFormat

/// A database that was made, with all that is known of it.
package struct DamageSource: Sendable {
  /// A state of the database.
  struct Moment: Sendable {
    let files: DatabaseFiles
    let rows: [PlacedRow]
    /// The rows of the schema that say what a table is, by its name.
    let statements: [String: PlacedRow]
    /// The names of the tables.
    var tables: Set<String> { Set(statements.keys) }

    /// The database file.
    var main: Bytes { files[""] ?? [] }
  }

  /// The pages of the trees by what they are, in the database file only.
  struct Pages: Sendable {
    var roots: [Int] = []
    var interiors: [Int] = []
    var leaves: [Int] = []
    var overflow: [Int] = []
  }

  /// What it is called.
  package let name: String
  let pageSize: Int
  /// The statements that make its schema, as an app has them.
  let script: String
  let earlier: Moment
  let now: Moment
  let pages: Pages
  /// Tables that a full-text index keeps for itself, and can make anew.
  let inner: Set<String>

  /// Makes a database.
  package init(_ subject: DamageSubject) throws {
    name = subject.name
    pageSize = subject.builder.pageSize
    let scratch = try ScratchFolder()
    let path = scratch["app.db"]
    let (builder, reserved) = (subject.builder, subject.builder.reservedBytes)
    func moment() throws -> Moment {
      try Moment(DatabaseFiles(path, pageSize: builder.pageSize), Oracle(path), reserved)
    }
    try builder.build(at: path)
    earlier = try moment()
    let later = ["PRAGMA synchronous = OFF", "PRAGMA secure_delete = OFF"] + subject.later
    if subject.keepsLog {
      try Leftover.wal(later).leave(at: path)
    } else {
      try Connection(path, mode: .app).run(later)
    }
    now = try moment()
    let oracle = try Oracle(path)
    script = try Self.script(of: oracle)
    pages = try Self.pages(of: oracle, in: path)
    inner = Set(try oracle.tables).subtracting(now.tables)
  }

  /// Writes the files as they are before the damage, or as they were at the older time.
  package func write(older isOlder: Bool, to path: FilePath) throws {
    try (isOlder ? earlier : now).files.write(to: path)
  }

  /// How many pages the database file has.
  var pageCount: Int { now.main.count / pageSize }

  private static func script(of oracle: Oracle) throws -> String {
    try oracle.rows(
      query: """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        """
    ).map { "\($0[0].utf8String ?? "");\n" }.joined()
  }

  private static func pages(of oracle: Oracle, in path: FilePath) throws -> Pages {
    let count = try path.contents().count
    let size = Int(try oracle.value("PRAGMA page_size")?.integerValue ?? 0)
    let roots = try oracle.rows(query: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
    var pages = Pages(roots: roots.compactMap { $0[0].integerValue.map { Int($0) } })
    for page in try oracle.pages where page.number > 1 && page.number * size <= count {
      switch page.kind {
      case "leaf": pages.leaves.append(page.number)
      case "internal": pages.interiors.append(page.number)
      default: pages.overflow.append(page.number)
      }
    }
    return pages
  }
}

extension DamageSource.Moment {
  /// Reads all rows of the tables of an app, twice: through SQLite and where they lie.
  ///
  /// Of a full-text index only what it indexes counts: the rest can be made of that.
  fileprivate init(_ files: DatabaseFiles, _ oracle: Oracle, _ reserved: Int) throws {
    guard let geometry = Geometry(pageSize: files.pageSize, reserved: reserved) else {
      throw UnfitFixture("no page has \(files.pageSize) bytes")
    }
    let set = FileSet(
      main: MemorySource(files[""] ?? []), wal: files["-wal"].map { MemorySource($0) })
    let image = Image(set, geometry: geometry)
    let found = try oracle.rows(
      query: """
        SELECT name, rootpage, s.rowid
        FROM sqlite_schema AS s JOIN pragma_table_list AS l USING (name)
        WHERE l.schema = 'main' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND (l.type = 'table' OR name LIKE '%\\_content' ESCAPE '\\')
        """)
    let schema = "sqlite_schema"
    let entries = try PlacedRow.all(in: image, schema, root: 1, rows: oracle.rows(of: schema))
    var rows: [PlacedRow] = []
    var statements: [String: PlacedRow] = [:]
    for table in found {
      let (name, root) = (table[0].utf8String ?? "", Int(table[1].integerValue ?? 0))
      rows += try PlacedRow.all(in: image, name, root: root, rows: oracle.rows(of: name))
      statements[name] = entries.first { $0.row.rowID == table[2].integerValue }
    }
    self.files = files
    self.rows = rows
    self.statements = statements
  }
}
