// SPDX-License-Identifier: Apache-2.0
// The files that make up one database, looked at before and after they are read.

internal import Diagnosis
internal import SQLiteFormat

/// The files of one database, as they were when a backup began.
struct DatabaseFiles {
  /// The database as it was named, and the file itself where links lead.
  let path: FilePath
  let resolved: FilePath
  /// The files by name, of which those beside the database may be in upper case.
  let input: InputFiles
  /// The state of every file that is there.
  let status: [BackupName.Part: FileStatus]

  /// The file name of the database.
  var name: FilePath { path.name }
  /// The bytes of all files, and so at least those of the database.
  var byteCount: Int { status.values.reduce(0) { $0 + $1.byteCount } }
  /// The other files with something in them.
  var sidecars: [BackupName.Part] {
    [.wal, .journal].filter { (status[$0]?.byteCount ?? 0) > 0 }
  }

  init(_ path: FilePath, in storage: any Storage) throws(RescueError) {
    self.path = path
    do {
      resolved = try storage.resolve(path)
    } catch {
      // Of a file that is not there, what lies beside it tells.
      if error.cause == .missing { _ = try InputFiles(path, storage: storage) }
      throw RescueError(error)
    }
    input = try InputFiles(resolved, storage: storage)
    // The index of a log is made anew: one in whose way something lies is for SQLite to tell.
    if let obstruction = input.obstruction(isWAL: false, in: storage) {
      let name = resolved.adding(suffix: obstruction.suffix)
      let aside = name.adding(suffix: storage.freeAsideEnding(beside: resolved))
      throw RescueError(
        .invalidInput, obstruction.message, meaning: "no row is lost by it; nothing was changed",
        advice: "move it away: mv \(name.shellQuoted) \(aside.shellQuoted)")
    }
    do { status = try Self.status(of: input, in: storage) } catch { throw RescueError(error) }
    guard status[.main]?.kind == .file else {
      throw RescueError(.invalidInput, "'\(path)' is not a file", advice: "give a database file")
    }
  }

  /// Whether SQLite needs a copy without a journal: one lies there that it would play back, or it
  /// would not see a log whose name is in upper case.
  func needPrivateCopy(in storage: any Storage) throws(RescueError) -> Bool {
    if !sidecars.isEmpty, !input.hasUsualNames { return true }
    guard sidecars.contains(.journal) else { return false }
    return try JournalInPlace(beside: resolved, in: storage) == .hot
  }

  /// Why SQLite had better not open the database; nil where it may.
  ///
  /// It reads a log that is broken up to the break, and deletes the rest when it is closed: with
  /// transactions that were committed. A log that is being written may look broken for a moment.
  /// Of an empty file, it deletes the log and the journal; and it empties one that its first
  /// transaction was cut off in.
  func reasonNotToOpen(in storage: any Storage) throws(RescueError) -> String? {
    if status[.main]?.byteCount == 0, let sidecar = sidecars.first {
      return "the file is empty, and SQLite would delete the \(sidecar.rawValue) beside it"
    }
    if try emptiesFile(in: storage) {
      return "SQLite would take back the first transaction, and leave an empty file"
    }
    guard sidecars.contains(.wal), try hasBrokenLog(in: storage),
      try areUnchanged(in: storage), try hasBrokenLog(in: storage)
    else { return nil }
    return "the -wal is broken, and holds transactions that SQLite would not see"
  }

  /// Whether SQLite would play a journal back that has no pages of before.
  private func emptiesFile(in storage: any Storage) throws(RescueError) -> Bool {
    guard sidecars.contains(.journal), try JournalInPlace(beside: resolved, in: storage) == .hot
    else { return false }
    let file: any StoredFile
    do { file = try storage.open(path(of: .journal), .read) } catch  where error.cause == .missing {
      return false  // Somebody has just recovered the database.
    } catch {
      throw RescueError(error)
    }
    return (try? RollbackJournal(file, databasePageSize: nil))?.pageCount == 0
  }

  private func hasBrokenLog(in storage: any Storage) throws(RescueError) -> Bool {
    let file: any StoredFile
    do { file = try storage.open(path(of: .wal), .read) } catch  where error.cause == .missing {
      return false  // The database has just been closed.
    } catch {
      throw RescueError(error)
    }
    guard let log = try? WriteAheadLog(file) else {
      return file.byteCount > WriteAheadLog.headerSize + WriteAheadLog.frameHeaderSize
    }
    return log.commitsAfterBreak > 0
  }

  /// The path of one of the files.
  func path(of part: BackupName.Part) -> FilePath { input.path(of: part) }

  /// Whether all files are still as they were.
  func areUnchanged(in storage: any Storage) throws(RescueError) -> Bool {
    do { return try Self.status(of: input, in: storage) == status } catch {
      throw RescueError(error)
    }
  }

  private static func status(
    of input: InputFiles, in storage: any Storage
  ) throws(StorageError) -> [BackupName.Part: FileStatus] {
    var found: [BackupName.Part: FileStatus] = [:]
    for part in BackupName.Part.allCases {
      found[part] = try storage.status(of: input.path(of: part))
    }
    return found
  }
}

extension InputFiles {
  /// The path of one of the files, where it lies or would lie.
  fileprivate func path(of part: BackupName.Part) -> FilePath {
    let found: FilePath? =
      switch part {
      case .main: main
      case .wal: wal
      case .journal: journal
      }
    return found ?? main.adding(suffix: part.rawValue)
  }
}
