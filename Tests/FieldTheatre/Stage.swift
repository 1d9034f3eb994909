// SPDX-License-Identifier: Apache-2.0
// Where a scene is played: a folder with a database, and what can be done to it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a scene is played.
final class Stage {
  /// The program whose database it is.
  let program: Program
  /// The folder, with nothing but what the scene puts there.
  let folder: FilePath
  /// A folder for copies and other databases.
  let wings: FilePath
  /// The contract that the diagnosis is given; nil for none.
  var contract: Contract?
  /// The files as the diagnosis sees them.
  var storage: any Storage = SystemStorage()
  /// A program that is still at work during the diagnosis.
  var peer: RunningCommand?
  /// The name of the file that is diagnosed.
  var subject: FilePath
  /// Every row that there ever was, by table.
  private(set) var everyRow: [String: Set<String>] = [:]
  /// How many rows may hold something that never was: bytes inside a row that nothing protects.
  var alteredMax = 0
  /// The rows of the last state, by table.
  private(set) var lastRows: [String: Set<String>] = [:]

  /// The database.
  var database: FilePath { folder.appending("app.db") }
  /// Its log.
  var wal: FilePath { database.adding(suffix: "-wal") }
  /// Its journal.
  var journal: FilePath { database.adding(suffix: "-journal") }

  /// Sets the stage with a program's database, closed.
  init(_ program: Program, in root: FilePath) throws {
    self.program = program
    folder = root.appending("data")
    wings = root.appending("wings")
    subject = folder.appending("app.db")
    for path in [folder, wings] { try SystemStorage().createFolder(path) }
    try make(program, at: database)
    try remember()
  }

  /// Makes the database of a program.
  func make(_ program: Program, at path: FilePath) throws {
    try DatabaseBuilder(
      pageSize: program.pageSize, journal: program.journal, program.steps
    ).build(at: path)
  }

  /// Has the program write.
  func write(_ statements: String..., at path: FilePath? = nil) throws {
    let connection = try Connection(path ?? database, mode: .app)
    // SQLITE_DBCONFIG_DEFENSIVE: a program can do what it likes with its own database.
    connection.configure(1010, false)
    for statement in statements { try connection.execute(statement) }
  }

  /// Has the program write, and takes all its files while it has them open, as a crash leaves them.
  func crash(after statements: String..., checkpointing: Bool = false) throws {
    let copy = wings.appending("crash.db")
    do {
      let connection = try Connection(database, mode: .app)
      if !checkpointing { try connection.execute("PRAGMA wal_autocheckpoint = 0") }
      for statement in statements { try connection.execute(statement) }
      try database.copyFileSet(to: copy)
    }
    try database.removeFileSet()
    try copy.copyFileSet(to: database)
    try copy.removeFileSet()
  }

  /// Starts the program as a process of its own, which holds the database until it is killed.
  func start(_ statements: String..., loop: String? = nil) throws -> RunningCommand {
    let running = try Command(
      Products.program("theatre-writer"),
      [database.description] + statements + (loop.map { ["--loop", $0] } ?? [])
    ).start()
    for _ in 0..<2000 where try running.outputSoFar.isEmpty { usleep(5000) }
    guard try !running.outputSoFar.isEmpty else { throw UnfitFixture("the writer did not start") }
    return running
  }

  /// Kills a program, which leaves no time for anything.
  func kill(_ running: RunningCommand) throws {
    running.signal(SIGKILL)
    _ = try running.wait(limit: .seconds(10))
  }

  /// Takes down the rows that SQLite sees now, which are those of the truth.
  func remember(_ path: FilePath? = nil) throws {
    lastRows = try rows(of: path ?? database)
    for (table, rows) in lastRows { everyRow[table, default: []].formUnion(rows) }
  }

  /// The rows of each table, as a copy of the file set shows them to SQLite.
  func rows(of path: FilePath) throws -> [String: Set<String>] {
    let copy = wings.appending("look.db")
    try copy.removeFileSet()
    try path.copyFileSet(to: copy)
    defer { try? copy.removeFileSet() }
    let connection = try Connection(copy, mode: .app)
    let names = try connection.rows(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
      AND name NOT LIKE '%\\_fts%' ESCAPE '\\'
      """
    ).compactMap { $0[0].utf8String }
    var rows: [String: Set<String>] = [:]
    for name in names {
      let table = "\"\(name)\""
      let columns = try connection.rows("PRAGMA table_info(\(table))").compactMap {
        $0[1].utf8String
      }
      let words = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
      let found = try connection.rows("SELECT \(words) FROM \(table)").compactMap(
        \.first?.utf8String)
      rows[name] = Set(found)
    }
    return rows
  }

  /// How many rows a table of the database has.
  func count(of table: String) throws -> Int {
    let copy = wings.appending("count.db")
    try copy.removeFileSet()
    try database.copyFileSet(to: copy)
    defer { try? copy.removeFileSet() }
    let connection = try Connection(copy, mode: .app)
    return Int(try connection.value("SELECT count(*) FROM \"\(table)\"")?.integerValue ?? -1)
  }

  /// The contract of a program's database.
  func capture(_ path: FilePath? = nil) throws -> Contract {
    try ContractSource.load(path ?? database, world: World())
  }
}

extension Stage {
  /// Changes the bytes of the database, or of another file.
  func change(_ path: FilePath? = nil, _ body: (inout Bytes) -> Void) throws {
    let path = path ?? database
    var bytes = try path.contents()
    let before = bytes
    body(&bytes)
    guard bytes != before else { throw UnfitFixture("nothing was changed") }
    try path.replaceContents(with: bytes)
  }

  /// Says of a file that it was last written some days ago.
  func set(_ path: FilePath, daysAgo days: Int) throws {
    let moment = timeval(tv_sec: time(nil) - days * 86400, tv_usec: 0)
    guard unsafe utimes(path.description, [moment, moment]) == 0 else {
      throw UnfitFixture("the time cannot be set")
    }
  }

  /// Does one kind of damage.
  func damage(_ kind: Damage) throws {
    try change { $0 = kind.applied(to: $0, pageSize: program.pageSize) }
  }

  /// The pages of the database as SQLite's own table of them tells: those of a table or index.
  func pages(of name: String) throws -> [Int] {
    let connection = try Connection(database, mode: .app)
    return try connection.rows(
      "SELECT pageno FROM dbstat WHERE name = '\(name)' AND pagetype = 'leaf' ORDER BY pageno"
    ).compactMap { $0[0].integerValue.map { Int($0) } }
  }

  /// Puts bytes over those at an offset.
  func overwrite(at offset: Int, with bytes: some Sequence<UInt8>, in path: FilePath? = nil) throws
  {
    try change(path) { file in
      for (index, byte) in bytes.enumerated() where offset + index < file.count {
        file[offset + index] = byte
      }
    }
  }
}
