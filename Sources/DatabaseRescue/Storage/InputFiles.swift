// SPDX-License-Identifier: Apache-2.0
// A database on disk as evidence: opened for reading only, with the journals beside it.

package import Diagnosis
package import SQLiteFormat

/// A database on disk with its journals, as evidence that is only read.
public struct InputFiles: Sendable {
  /// The database file.
  public let main: FilePath
  /// The database file itself, where `main` is a link to it: its journals lie beside it, as SQLite
  /// has them.
  package let place: FilePath
  /// The write-ahead log; nil when there is none.
  package private(set) var wal: FilePath?
  /// The rollback journal; nil when there is none.
  package private(set) var journal: FilePath?
  /// The private files that stand for pipes and archives.
  private var held: [HeldFolder] = []
  /// The archive that the files were in; nil when they lie there as they are.
  package private(set) var packing: Packing?
  /// The part of the main file that is the database; nil for all of it.
  private(set) var part: Range<Int>?
  /// The file that was given, where the others were taken out of it.
  private var archive: FilePath?

  /// Finds the files of a database.
  ///
  /// Journals that arrived under other names are given as `wal` and `journal`; without
  /// them the usual names are looked for, in lower and upper case.
  ///
  /// - Throws: ``RescueError`` when the database or a journal that was named is not there.
  package init(
    _ main: FilePath, wal: FilePath? = nil, journal: FilePath? = nil, storage: any Storage
  ) throws(RescueError) {
    do {
      for named in [main, wal, journal].compactMap(\.self) {
        guard let status = try storage.status(of: named) else {
          throw try Self.missing(named, storage)
        }
        if let refusal = Self.refusal(of: named, status.kind) { throw refusal }
      }
      let place = try Self.place(of: main, storage)
      (self.main, self.place) = (main, place)
      self.wal = try wal ?? Self.beside(place, ["-wal", "-WAL"], storage)
      self.journal = try journal ?? Self.beside(place, ["-journal", "-JOURNAL"], storage)
    } catch {
      throw RescueError(error, doing: "look at '\(main)'", meaning: "nothing was changed")
    }
  }

  /// Finds the files of a database that is only read; what comes out of a pipe becomes a private
  /// file, which goes with this value.
  ///
  /// Journals that arrived under other names are given as `wal` and `journal`; without them the
  /// usual names are looked for.
  ///
  /// - Throws: ``RescueError`` when the database or a journal that was named is not there, and when
  ///   a pipe gives nothing or too much.
  public init(
    _ main: FilePath, wal: FilePath? = nil, journal: FilePath? = nil, world: World = World()
  ) throws(RescueError) {
    var held: [HeldFolder] = []
    func file(_ path: FilePath) throws(RescueError) -> FilePath {
      let status = (try? world.storage.status(of: path)) ?? nil
      guard status?.kind == .pipe else { return path }
      let input = try PipedInput(path, world: world)
      held.append(input.folder)
      return input.path
    }
    let files = try [main, wal, journal].map { path throws(RescueError) -> FilePath? in
      guard let path else { return nil }
      return try file(path)
    }
    try self.init(files[0] ?? main, wal: files[1], journal: files[2], storage: world.storage)
    self.held = held
  }

  /// Keeps a private folder for as long as this value is there.
  mutating func hold(_ folder: HeldFolder) { held.append(folder) }

  /// The database that was taken out of this archive, with what lies beside it; journals that were
  /// named stay.
  func unpacked(
    to database: FilePath, _ packing: Packing, in folder: HeldFolder, storage: any Storage
  ) throws(RescueError) -> InputFiles {
    var files = try InputFiles(database, wal: wal, journal: journal, storage: storage)
    files.held = held + [folder]
    (files.packing, files.archive) = (packing, main)
    return files
  }

  /// The database in a part of the main file.
  ///
  /// The journals beside the file are those of a database at its start, and of no other.
  package func part(_ part: Range<Int>) -> InputFiles {
    var files = self
    files.part = part
    guard part.lowerBound > 0 else { return files }
    if wal == place.adding(suffix: "-wal") { files.wal = nil }
    if journal == place.adding(suffix: "-journal") { files.journal = nil }
    return files
  }

  /// The files that were given, whose digests show that they are as they were.
  var evidence: [FilePath] {
    archive.map { [$0] + [wal, journal].compactMap(\.self).filter { !isBeside($0) } } ?? all
  }

  private func isBeside(_ journal: FilePath) -> Bool { journal.folder == place.folder }

  /// Whether the files are private ones, which nobody else changes.
  var isPrivate: Bool { !held.isEmpty }

  /// Why what is at a path is no input; nil for a file.
  private static func refusal(of path: FilePath, _ kind: FileStatus.Kind) -> RescueError? {
    switch kind {
    case .file, .link: nil
    case .folder:
      RescueError(
        .invalidInput, "'\(path)' is a folder",
        advice: "give the path of the database file in it")
    case .pipe:
      RescueError(
        .invalidInput, "'\(path)' is a pipe, which can be read only once",
        meaning: "nothing was changed",
        advice: "write what comes out of it to a file, and give that")
    case .other:
      RescueError(
        .invalidInput, "'\(path)' is a device or a socket, and not a file",
        meaning: "nothing was changed", advice: "give the path of a file")
    }
  }

  /// The error of a file that is not there, which may be on its way.
  private static func missing(
    _ path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> RescueError {
    let folder = path.adding(suffix: ".rescue")
    guard try storage.status(of: folder.appending("plan.json")) != nil else {
      // A process may go on with a file that was deleted under it.
      if let main = try? storage.place(of: path), let use = LiveUse(of: main, storage),
        let error = RescueError.heldApart(use, path)
      {
        return error
      }
      if let error = try sidecarAlone(of: path, storage) { return error }
      let placeholder = path.folder.appending(FilePath(".\(path.name).icloud"))
      if try storage.status(of: placeholder) != nil {
        return RescueError(
          .missing,
          "'\(path)' is in iCloud, and not on this device: '\(placeholder.name)' stands for it",
          meaning: "nothing is lost by it",
          advice: "download it first: open it in Files or Finder, or run brctl download "
            + path.shellQuoted)
      }
      return RescueError(.missing, "there is no file '\(path)'", advice: "check the path")
    }
    return RescueError(
      .missing, "there is no file '\(path)': its replacement was interrupted",
      meaning: "the old files and the new one are in '\(folder)'",
      advice: "finish it: dbrescue recover \(path.shellQuoted)")
  }

  /// The error of a database that is gone, and beside whose place its log or journal still lies; nil
  /// where there is neither.
  private static func sidecarAlone(
    of path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> RescueError? {
    for (suffix, what) in [("-wal", "log"), ("-journal", "journal")] {
      let file = path.adding(suffix: suffix)
      guard let status = try storage.status(of: file), status.byteCount > 0 else { continue }
      let start = "there is no file '\(path)', and its \(what) '\(file.name)' is there"
      guard suffix == "-wal" else {
        return RescueError(
          .missing, start,
          meaning: "the database was moved or deleted without its \(what), which has pages of it "
            + "as they were before a transaction",
          advice: "find the database, and put the two together again")
      }
      // Beside an empty file SQLite would delete the log: what is made of it is made of a copy.
      let folder = path.adding(suffix: ".saved")
      let copy = folder.appending(path.name)
      return RescueError(
        .missing, start,
        meaning: "the database was moved or deleted without its \(what): rows that were written "
          + "last may be in that alone",
        advice: "find the database, and put the two together again; else save what the log has: "
          + "mkdir \(folder.shellQuoted) && cp \(file.shellQuoted) \(folder.shellQuoted) && "
          + "touch \(copy.shellQuoted) && dbrescue salvage \(copy.shellQuoted) "
          + "--output \(path.adding(suffix: ".salvaged").shellQuoted)")
    }
    return nil
  }

  /// Whether SQLite would see the journals, too.
  var hasUsualNames: Bool {
    [
      wal.map { $0 == place.adding(suffix: "-wal") },
      journal.map { $0 == place.adding(suffix: "-journal") },
    ].allSatisfy { $0 ?? true }
  }

  /// The file that a path leads to; the path itself unless its name is that of a symbolic link.
  private static func place(
    of main: FilePath, _ storage: any Storage
  ) throws(StorageError) -> FilePath {
    do throws(StorageError) {
      let place = try storage.resolve(main)
      return try storage.resolve(main.folder).appending(main.name) == place ? main : place
    } catch  where error.cause == .missing {
      // An open file that was deleted, such as `/dev/fd/3`, lies nowhere.
      return main
    }
  }

  private static func beside(
    _ main: FilePath, _ suffixes: [String], _ storage: any Storage
  ) throws(StorageError) -> FilePath? {
    for suffix in suffixes {
      let path = main.adding(suffix: suffix)
      if try storage.status(of: path)?.kind == .file { return path }
    }
    return nil
  }

  /// What lies beside the database where SQLite looks for its log or its journal, or in WAL mode for
  /// the index of the log, and is no file; nil where nothing does.
  func obstruction(isWAL: Bool, in storage: any Storage) -> LiveUse.Obstruction? {
    guard archive == nil else { return nil }
    for suffix in FilePath.journalSuffixes + (isWAL ? ["-shm"] : []) {
      let status = (try? storage.status(of: place.adding(suffix: suffix))) ?? nil
      if let what = status?.kind.obstacle { return LiveUse.Obstruction(suffix: suffix, what: what) }
    }
    return nil
  }

  /// All files, the database first.
  package var all: [FilePath] { [main, wal, journal].compactMap(\.self) }

  /// Opens the files for reading.
  ///
  /// - Throws: ``RescueError`` when one cannot be opened.
  package func open(in world: World) throws(RescueError) -> FileSet {
    do {
      let folder = place.folder
      let storage = world.storage
      func source(_ path: FilePath) throws(StorageError) -> WatchedSource {
        WatchedSource(
          base: try storage.open(path, .read), isCancelled: world.isCancelled,
          progress: world.progress)
      }
      // A database at work deletes its journal with every commit: then there is none.
      func sidecar(_ path: FilePath?) throws(StorageError) -> WatchedSource? {
        guard let path else { return nil }
        do throws(StorageError) {
          return try source(path)
        } catch  where error.cause == .missing {
          return nil
        }
      }
      let whole = try source(main)
      if let part, part.lowerBound >= whole.byteCount {
        throw RescueError(
          .invalidInput, "'\(main)' has only \(whole.byteCount) bytes",
          meaning: "nothing is at byte \(part.lowerBound); nothing was changed",
          advice: "dbrescue diagnose \(main.shellQuoted)")
      }
      return FileSet(
        main: part.map { SliceOfSource(whole, $0) } ?? whole,
        wal: try sidecar(wal), journal: try sidecar(journal), index: index(storage),
        superJournalExists: { name in
          let path = folder.appending(FilePath(bytes: name))
          return ((try? storage.status(of: path)) ?? nil) != nil
        })
    } catch {
      throw RescueError(error, doing: "open '\(main)'")
    }
  }

  /// The index of the log beside the database; nil where there is none, or another log was named.
  private func index(_ storage: any Storage) -> (any PageSource)? {
    let log = place.adding(suffix: "-wal")
    guard wal == nil || wal == log, (part?.lowerBound ?? 0) == 0,
      let index = try? storage.open(place.adding(suffix: "-shm"), .read)
    else { return nil }
    // A log that has come since, and is not read, is not missing.
    guard wal != nil || ((try? storage.status(of: log)) ?? nil) == nil else { return nil }
    return index
  }
}

/// A source that tells what is read of it, and gives nothing more once somebody wishes the run to
/// stop.
struct WatchedSource: PageSource {
  let base: any PageSource
  /// How many times a pass reads it.
  var readings = 1
  let isCancelled: @Sendable () -> Bool
  let progress: @Sendable (Progress) -> Void

  var byteCount: Int { base.byteCount }

  func dataRange(from offset: Int) -> Range<Int>? { base.dataRange(from: offset) }

  func read(at offset: Int, count: Int) throws(ReadFailure) -> Bytes {
    guard !isCancelled() else { throw .stopped(at: offset) }
    let bytes = try base.read(at: offset, count: count)
    progress(.advanced(bytes.count / readings))
    return bytes
  }
}
