// SPDX-License-Identifier: Apache-2.0
// Runs numbered SQL files on a database, by SQLite's own rules for changing a schema.
//
// 1. Foreign keys are off before the transaction begins: within it, turning them off does nothing,
//    and dropping a table that is rebuilt would delete the rows that refer to it.
// 2. The files run in order, each followed by its number as the user_version.
// 3. Before the commit, no row may refer to one that is not there which did not before.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How many files share a transaction.
public enum MigrationTransactions: String, Hashable, Sendable, CaseIterable {
  /// All of them: the database has the new version, or is what it was.
  case one
  /// Each has its own: where one fails, those before it stay.
  case each
}

/// Runs numbered SQL files on a database.
struct MigrationRunner {
  /// The files, in order.
  let files: [MigrationFile]
  /// The version that the first of them starts from.
  let start: Int
  /// How many of them share a transaction.
  var transactions = MigrationTransactions.one
  /// How long they may take, all together.
  var timeout: Duration?
  /// How long locks of others are waited for.
  var wait = Duration.seconds(5)
  /// Told of each file that has run, which may be undone yet.
  var tell: (MigrationStep) -> Void = { _ in }

  /// The files as something that can be undertaken.
  func undertaking(onTo version: Int) -> Undertaking {
    Undertaking(named: PlainName("version \(start) to \(version)"), timeout: timeout) {
      (place) throws(RescueError) in try run(on: place)
    }
  }

  /// Runs the files.
  ///
  /// - Throws: ``RescueError`` where nothing was begun, as others hold the database.
  private func run(on place: Undertaking.Place) throws(RescueError) -> Undertaking.Outcome {
    try requireNoForeignJournal(place)
    let connection = try begun(place)
    var work = Work(runner: self, world: place.world)
    do throws(Failure) {
      try work.run(on: connection)
      return Undertaking.Outcome(end: .done, steps: work.committed)
    } catch {
      if connection.isInTransaction { try? connection.execute("ROLLBACK") }
      return Undertaking.Outcome(end: error.end, steps: work.committed)
    }
  }

  /// SQLite would delete what a journal names that belongs to a transaction on several databases.
  private func requireNoForeignJournal(_ place: Undertaking.Place) throws(RescueError) {
    let storage = place.world.storage
    guard try JournalInPlace(beside: place.database, in: storage) == .hot else { return }
    do {
      let database = try storage.resolve(place.database)
      let journal = try storage.open(database.adding(suffix: "-journal"), .read)
      guard try RollbackJournal.superJournal(of: journal) != nil else { return }
    } catch {
      throw RescueError(error, doing: "read the journal of '\(place.database)'")
    }
    try JournalInPlace.requireNotHot(beside: place.database, in: storage)
  }

  /// A connection with a transaction in which nothing was done yet.
  private func begun(_ place: Undertaking.Place) throws(RescueError) -> Connection {
    do throws(SQLiteError) {
      let connection = try open(place)
      try begin(connection)
      guard try connection.value("PRAGMA user_version")?.integerValue == Int64(start) else {
        throw SQLiteError(
          extendedCode: SQLiteError.busy, message: "its version is not \(start) any more")
      }
      return connection
    } catch {
      throw RescueError(
        error, doing: "begin to migrate '\(place.database)'",
        meaning: "the migration was not started; the database is unchanged")
    }
  }

  private func open(_ place: Undertaking.Place) throws(SQLiteError) -> Connection {
    let connection = try Connection(place.database, mode: .migration)
    connection.wait(milliseconds: Int32(clamping: Int(wait / .milliseconds(1))))
    let deadline = timeout.map { ContinuousClock.now.advanced(by: $0) }
    let isCancelled = place.world.isCancelled
    connection.stop { isCancelled() || deadline.map { ContinuousClock.now >= $0 } ?? false }
    // What was committed must not come back undone after a power failure, by a journal whose removal
    // was not durable.
    try connection.execute("PRAGMA synchronous = EXTRA; PRAGMA foreign_keys = OFF")
    return connection
  }

  private func begin(_ connection: borrowing Connection) throws(SQLiteError) {
    try connection.execute("BEGIN IMMEDIATE")
  }
}

extension MigrationRunner {
  /// Why a run ends before its end.
  private struct Failure: Error {
    let end: ProcessEnd

    init(_ reason: String, cause: RescueError.Kind? = nil) {
      end = .failed("\(reason); what it had done was rolled back", cause: cause)
    }

    init(_ end: ProcessEnd) {
      self.end = end
    }
  }

  /// One run, and how far it has come.
  private struct Work {
    let runner: MigrationRunner
    let world: World
    private(set) var committed: [MigrationStep] = []
    private var pending: [MigrationStep] = []

    init(runner: MigrationRunner, world: World) {
      self.runner = runner
      self.world = world
    }

    mutating func run(on connection: borrowing Connection) throws(Failure) {
      let dangling = try telling(connection) { connection throws(SQLiteError) in
        try Self.danglingReferences(in: connection)
      }
      world.progress(.began(.migrating, byteCount: runner.files.reduce(0) { $0 + $1.byteCount }))
      for (index, file) in runner.files.enumerated() {
        let began = world.now()
        try run(file, on: connection)
        let step = MigrationStep(
          version: file.version, file: file.name,
          seconds: world.now().timeIntervalSince(began))
        pending.append(step)
        runner.tell(step)
        let isLast = index == runner.files.count - 1
        guard isLast || runner.transactions == .each else { continue }
        try requireNoMore(than: dangling, on: connection)
        try telling(connection) { connection throws(SQLiteError) in
          try connection.execute("COMMIT")
        }
        committed += pending
        pending = []
        guard !isLast else { continue }
        try telling(connection) { connection throws(SQLiteError) in
          try runner.begin(connection)
        }
        try requireVersion(file.version, on: connection)
      }
    }

    private func requireVersion(
      _ version: Int, on connection: borrowing Connection
    ) throws(Failure) {
      let found = try telling(connection) { connection throws(SQLiteError) in
        try connection.value("PRAGMA user_version")?.integerValue
      }
      guard found != Int64(version) else { return }
      throw Failure(
        "the database had version \(version) and has \(found ?? 0) now: another process migrates "
          + "it", cause: .busy)
    }

    private func run(_ file: MigrationFile, on connection: borrowing Connection) throws(Failure) {
      for statement in file.script.statements {
        try telling(connection, "\(file.name):\(statement.line): ") {
          connection throws(SQLiteError) in
          try connection.permitting(.migration) { () throws(SQLiteError) in
            let statement = try connection.prepare(statement.text)
            while try statement.step() {}
          }
        }
        world.progress(.advanced(statement.text.utf8.count))
      }
      try telling(connection, "\(file.name): ") { connection throws(SQLiteError) in
        // What a file sets for itself is not meant for the next one, which may run on another day.
        try connection.execute(
          """
          PRAGMA legacy_alter_table = OFF; PRAGMA recursive_triggers = OFF;
          PRAGMA user_version = \(file.version)
          """)
      }
      try requireNothingTemporary(after: file, on: connection)
    }

    private func requireNothingTemporary(
      after file: MigrationFile, on connection: borrowing Connection
    ) throws(Failure) {
      let left = try telling(connection) { connection throws(SQLiteError) in
        try connection.value("SELECT name FROM sqlite_temp_schema")?.utf8String
      }
      guard let left else { return }
      throw Failure(
        "\(file.name) leaves '\(left)', which is temporary: the next file may run without it; "
          + "drop it at the end of the file")
    }

    /// Refuses rows that refer to rows that are not there, but for those that did before.
    private func requireNoMore(
      than before: [Name: Int], on connection: borrowing Connection
    ) throws(Failure) {
      let after = try telling(connection) { connection throws(SQLiteError) in
        try Self.danglingReferences(in: connection)
      }
      let more = after.filter { $0.value > before[$0.key] ?? 0 }.sorted { $0.key < $1.key }
      guard let (table, count) = more.first else { return }
      throw Failure(
        "\(Quantity.count(count, "row")) of '\(table)' would refer to rows that are not there")
    }

    private static func danglingReferences(
      in connection: borrowing Connection
    ) throws(SQLiteError) -> [Name: Int] {
      try Verification.references(in: connection).dangling.reduce(into: [:]) {
        $0[$1.table] = $1.count
      }
    }

    /// Does something with the connection, and says of an error what stood in the way.
    private func telling<Result>(
      _ connection: borrowing Connection, _ place: String = "",
      _ body: (borrowing Connection) throws(SQLiteError) -> Result
    ) throws(Failure) -> Result {
      do throws(SQLiteError) {
        return try body(connection)
      } catch {
        if error.isLimit, world.isCancelled() {
          throw Failure(.stopped(signal: world.cancelledSignal))
        }
        if error.isInterruption { throw Failure(.timedOut) }
        throw Failure(place + error.message + error.hint, cause: error.obstacle)
      }
    }
  }
}

extension SQLiteError {
  /// What stands in the way of statements that could be right; nil where it is they that are wrong.
  fileprivate var obstacle: RescueError.Kind? {
    switch cause {
    case .busy: .busy
    case .full: .cannotWrite
    case .inputOutput: .inputOutput
    case .permission where !isRefusal, .cannotOpen: .permission
    case .permission, .damaged, .constraint, .other: nil
    }
  }

  /// What else there is to know.
  fileprivate var hint: String {
    if isRefusal { return ": a migration may not do that" }
    guard missingFunction != nil || message.hasPrefix("no such collation sequence: ") else {
      return ""
    }
    return " (one of the app's own: let the app migrate, with dbrescue guard)"
  }
}
