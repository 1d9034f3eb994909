// SPDX-License-Identifier: Apache-2.0
// Which of the files that processes have open are a database's, but not those in their places.

import Diagnosis
import SQLiteFormat

extension LiveUse {
  /// How often those files are looked for again that were apart.
  private static let looksBesides = 2

  /// What processes have of a database open now; nil where the system does not tell.
  init?(of main: FilePath, _ storage: any Storage) {
    guard var open = storage.openFiles(ofUsersOf: main) else { return nil }
    func filesApart() -> [HeldFile] {
      let held = HeldSet(main, storage: storage)
      return Dictionary(grouping: open.files, by: \.process).sorted { $0.key < $1.key }
        .flatMap { held.apart(of: $0.value) }
    }
    // A journal goes with each commit, and a log with the last connection: what is apart stays so.
    var apart = filesApart()
    for _ in 0..<Self.looksBesides where !apart.isEmpty {
      guard let again = storage.openFiles(ofUsersOf: main) else { break }
      open = again
      let still = filesApart()
      apart = still.filter { file in
        apart.contains { $0.role == file.role && $0.process == file.process }
      }
    }
    // What only its owner may write to, nobody else writes to.
    let status = (try? storage.status(of: main)) ?? nil
    let isPrivate = status.map { $0.isOwn && $0.mode & 0o022 == 0 } ?? false
    self.init(
      heldApart: apart, writers: open.writers { $0.status.identity == status?.identity }.sorted(),
      unseenProcesses: isPrivate ? 0 : open.unseenProcesses)
  }
}

extension RescueError {
  /// The error of a database of which a process has files open that nobody else can reach; nil where
  /// there is none.
  static func heldApart(_ use: LiveUse, _ database: FilePath) -> RescueError? {
    guard let file = use.heldApart.first else { return nil }
    let process = use.process ?? file.process
    return RescueError(
      .busy,
      "process \(process) has \(file.role.words) of '\(database)' open that "
        + (file.isDeleted ? "was deleted" : "lies elsewhere"),
      meaning: "what it has committed there is in none of the files here, and is gone when it "
        + "ends; nothing was changed",
      advice: "let it run, and keep what it has: dbrescue backup \(database.shellQuoted) "
        + "--from-process \(process)")
  }
}

extension LiveUse.HeldFile.Role {
  /// The file in words.
  var words: String {
    switch self {
    case .database: "the file"
    case .log: "the -wal"
    case .index: "the -shm"
    case .journal: "the -journal"
    }
  }
}

/// The files of a database in their places, against those that a process has open.
struct HeldSet {
  private let main: FilePath
  private let storage: any Storage
  private let present: [LiveUse.HeldFile.Role: [UInt64]]

  /// Looks at the files in their places.
  init(_ main: FilePath, storage: any Storage) {
    self.main = main
    self.storage = storage
    var present: [LiveUse.HeldFile.Role: [UInt64]] = [:]
    for role in LiveUse.HeldFile.Role.allCases {
      let path = main.adding(suffix: role == .database ? "" : role.rawValue)
      present[role] = ((try? storage.status(of: path)) ?? nil)?.identity
    }
    self.present = present
  }

  /// Which of the files of one process are this database's, but not those in their places.
  func apart(of files: [OpenFile]) -> [LiveUse.HeldFile] {
    let bases = bases(in: files)
    var apart = files.compactMap { file -> LiveUse.HeldFile? in
      guard file.isWritable, let role = role(of: file, in: files, bases), !isInPlace(file, role)
      else { return nil }
      return LiveUse.HeldFile(
        role: role, process: file.process, byteCount: file.status.byteCount,
        isDeleted: file.status.linkCount == 0)
    }
    // Who has the index of a log open has the log open too: an empty one has no salts to be known by.
    // What is open for reading only is not what is written to.
    func written(_ role: LiveUse.HeldFile.Role) -> OpenFile? {
      files.first { $0.isWritable && self.role(of: $0, in: files, bases) == role }
    }
    if let index = written(.index), written(.log) == nil {
      apart.append(
        LiveUse.HeldFile(role: .log, process: index.process, byteCount: 0, isDeleted: false))
    }
    return apart
  }

  /// The files of a process that are the database, or were.
  func databases(in files: [OpenFile]) -> [OpenFile] {
    let known = files.filter { isInPlace($0, .database) || $0.name == main }
    return known.isEmpty ? movedDatabase(in: files).map { [$0] } ?? [] : known
  }

  /// The database under another name: its log keeps the name that the process gave it.
  ///
  /// It is the one in WAL mode of which the process has no log open; of several, that in the folder.
  private func movedDatabase(in files: [OpenFile]) -> OpenFile? {
    guard files.contains(where: { $0.isWritable && $0.name == main.adding(suffix: "-wal") }) else {
      return nil
    }
    let names = Set(files.map(\.name))
    let databases = files.filter { file in
      guard file.isWritable, !names.contains(file.name.adding(suffix: "-wal")),
        let header = bytes(of: file, at: 0, DatabaseHeader.byteCount).flatMap({ DatabaseHeader($0) }
        )
      else { return false }
      return header.hasMagic && header.isWAL
    }
    let near = databases.filter { $0.name.folder == main.folder }
    return [near, databases].first { $0.count == 1 }?.first
  }

  /// The names that a process may have given the database.
  private func bases(in files: [OpenFile]) -> Set<FilePath> {
    Set(databases(in: files).map(\.name)).union([main])
  }

  private func bytes(of file: OpenFile, at offset: Int, _ count: Int) -> Bytes? {
    try? storage.open(file.path, .read).read(at: offset, count: count)
  }

  /// The log that a process has of the database, in its place or not.
  func log(in files: [OpenFile]) -> OpenFile? {
    let bases = bases(in: files)
    let logs = files.filter { $0.isWritable && role(of: $0, in: files, bases) == .log }
    return logs.first { !isInPlace($0, .log) } ?? logs.first
  }

  private func isInPlace(_ file: OpenFile, _ role: LiveUse.HeldFile.Role) -> Bool {
    file.status.identity == present[role]
  }

  private func role(
    of file: OpenFile, in files: [OpenFile], _ bases: Set<FilePath>
  ) -> LiveUse.HeldFile.Role? {
    if bases.contains(file.name) { return .database }
    for role in [LiveUse.HeldFile.Role.log, .index, .journal]
    where bases.contains(where: { $0.adding(suffix: role.rawValue) == file.name }) {
      return role
    }
    return isMovedLog(file, in: files, bases) ? .log : nil
  }

  /// Whether a file is the log of the database under another name.
  ///
  /// A process may have other databases open: it is this one's when the index of its log, which the
  /// process has open too, has the same salts.
  ///
  /// File format, section 4.6: the index holds the salts at byte 32, the log at byte 16.
  private func isMovedLog(
    _ file: OpenFile, in files: [OpenFile], _ bases: Set<FilePath>
  ) -> Bool {
    guard file.isWritable, file.status.linkCount > 0,
      // A copy of the database has a copy of its log.
      !files.contains(where: { $0.name.adding(suffix: "-wal") == file.name }),
      let index = files.first(where: { index in
        bases.contains { $0.adding(suffix: "-shm") == index.name }
      }),
      let header = bytes(of: file, at: 0, WriteAheadLog.headerSize),
      let magic = header.big32(at: 0), magic & ~1 == WriteAheadLog.magic, header.count >= 24
    else { return false }
    return header[16..<24] == bytes(of: index, at: 32, 8)?[...]
  }
}
