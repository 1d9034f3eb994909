// SPDX-License-Identifier: Apache-2.0
// A finished backup file, turned back into a database on trial: whether it does what it is for.

internal import Diagnosis
internal import SQLiteFormat

/// A finished backup file, turned back into a database on trial.
///
/// It is done as a restore does it, into a private copy on the disk. What lies there then is read
/// and compared with what was stored, and SQLite opens it; every other check of SQLite is done on
/// this copy, too. So what is proven is the file that the vault keeps, and not what it was made of.
struct TrialRestore {
  /// The name of the check that the finished file gives back a database.
  static let name = "restored on trial"

  /// The finished file.
  let container: FilePath
  /// The private copy; whoever asked for the trial removes it.
  let copy: FilePath
  let world: World

  private typealias Check = BackupManifest.Check

  /// Restores the file, and compares what lies on the disk with what was stored.
  ///
  /// - Throws: ``RescueError`` when there is no room, and when the file does not give back what was
  ///   stored: then it is no backup.
  func restore() throws(RescueError) {
    try goingOn { () throws(RescueError) in
      let reader = try world.reader(of: container, for: .readingBackup)
      try requireSpace(for: reader.imageByteCount ?? 0)
      try restore(reader)
      world.progress(.began(.proving, byteCount: reader.imageByteCount))
      try requireSame(try open(), as: reader)
    }
  }

  /// Has what was restored described and opened.
  ///
  /// - Parameters:
  ///   - content: What was said of the database when it was stored.
  ///   - describe: Says it again, of the restored one.
  /// - Returns: The check; it fails where SQLite does not open what was restored.
  /// - Throws: ``RescueError`` when other tables are found than were stored.
  func check(
    _ content: BackupContent,
    describing describe: (any PageSource) throws(RescueError) -> BackupContent
  ) throws(RescueError) -> BackupManifest.Check {
    try goingOn { () throws(RescueError) in
      // It is surveyed, and then the rows are read once more.
      let restored = try open(readings: 2)
      guard try describe(restored).tables == content.tables else {
        throw .differs("its tables are not those that were stored")
      }
      return try opened(byteCount: restored.byteCount, tables: content.tables.count)
    }
  }

  /// Does something, whose error counts only where nobody wishes to stop: what was not read to its
  /// end looks damaged.
  private func goingOn<Value>(
    _ body: () throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    do throws(RescueError) { return try body() } catch {
      try world.requireGoingOn()
      throw error
    }
  }

  private func open(readings: Int = 1) throws(RescueError) -> any PageSource {
    do { return world.watched(try world.storage.open(copy, .read), readings: readings) } catch {
      throw RescueError(error)
    }
  }

  /// Restores the file as every restore does.
  private func restore(_ reader: BackupReader) throws(RescueError) {
    do throws(RescueError) {
      try reader.restore(to: copy)
    } catch  where error.kind == .invalidInput {
      throw .differs(error.message)
    }
  }

  private func requireSpace(for byteCount: Int) throws(RescueError) {
    let needed = byteCount + 1024 * 1024
    let free: Int
    do { free = try world.storage.freeBytes(at: copy.folder) } catch { throw RescueError(error) }
    guard needed <= free else {
      throw RescueError(
        .cannotWrite,
        "to restore the backup on trial, '\(copy.folder)' needs \(needed) bytes, and \(free) are free",
        meaning: "no backup was made; the database is untouched",
        advice: "free some space, or choose another vault; a backup by itself can leave the trial "
          + "out: dbrescue backup --verify quick")
    }
  }

  /// Compares what lies on the disk with the digests in the file, span by span.
  private func requireSame(
    _ restored: any PageSource, as reader: BackupReader
  ) throws(RescueError) {
    guard restored.byteCount == reader.imageByteCount else {
      throw .differs("what was restored has another length")
    }
    for member in reader.archive?.members ?? [] {
      let bytes: Bytes
      do {
        bytes = try restored.read(at: member.span.lowerBound, count: member.span.count)
      } catch {
        throw RescueError(error, in: copy)
      }
      guard SHA256.digest(of: bytes) == member.digest else {
        let pages = BackupReader.pages(member.span, of: reader.pageSize)
        throw .differs(
          pages.map { "pages \($0.lowerBound) to \($0.upperBound) of what was restored are others" }
            ?? "bytes from \(member.span.lowerBound) of what was restored are others")
      }
    }
  }

  /// Has SQLite open what was restored, and read its schema.
  private func opened(byteCount: Int, tables: Int) throws(RescueError) -> BackupManifest.Check {
    do throws(SQLiteError) {
      let connection = try Connection(copy, mode: .immutable)
      _ = try connection.value("SELECT count(*) FROM sqlite_schema")
    } catch  where ImageChecks.speaksOfDatabase(error) {
      return Check(
        Self.name, passed: false,
        detail: "SQLite does not open what the backup gives back: \(error.message)")
    } catch {
      throw .ofOwnFile(error, doing: ImageChecks.doing, meaning: ImageChecks.meaning)
    }
    return Check(
      Self.name, passed: true,
      detail: "SQLite opens the \(byteCount) bytes that the file gives back,"
        + " with \(tables) \(tables == 1 ? "table" : "tables") as stored")
  }
}
