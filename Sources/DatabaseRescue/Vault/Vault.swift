// SPDX-License-Identifier: Apache-2.0
// The folder that holds a database's backups.

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The folder that holds a database's backups.
public struct Vault: Sendable {
  /// The folder.
  public let folder: FilePath
  /// The file name of the database whose backups are seen; nil for all in the folder.
  package let database: FilePath?
  /// Where that database lies; nil where that does not count.
  private let place: TellingPlace?
  let storage: any Storage

  /// Makes a view of a folder, which need not exist.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - database: The database whose backups are seen, so that a folder that several
  ///     databases share never gives the backup of another; nil for all.
  ///   - place: Where that database lies: those of another one of its name count only where none was
  ///     made there.
  ///   - storage: The file system.
  init(
    _ folder: FilePath, of database: FilePath? = nil, at place: TellingPlace?,
    in storage: any Storage
  ) {
    self.folder = folder
    self.database = database?.name
    self.place = place
    self.storage = storage
  }

  /// Makes a view of a folder, wherever the databases lie whose backups are in it.
  package init(
    _ folder: FilePath, of database: FilePath? = nil, in storage: any Storage = SystemStorage()
  ) {
    self.init(folder, of: database, at: nil, in: storage)
  }

  /// Where the backups of a database are kept by default: `<database>.rescue/backups`.
  package static func defaultFolder(of database: FilePath) -> FilePath {
    database.adding(suffix: ".rescue").appending("backups")
  }

  /// The database beside whose folder this one lies by default; nil when it lies elsewhere.
  package var liveDatabase: FilePath? {
    let parent = folder.folder
    guard folder.name == "backups", parent.hasSuffix(".rescue"), parent.name != ".rescue" else {
      return nil
    }
    return FilePath(bytes: parent.bytes.dropLast(".rescue".utf8.count))
  }

  /// The backups, newest first; none where there is no folder.
  ///
  /// A file that cannot be opened is listed as damaged, with the reason.
  ///
  /// - Throws: ``RescueError`` when the folder cannot be listed.
  public func list() throws(RescueError) -> [Backup] {
    opened(try names().filter { $0.part == .main }, ProofLog(in: folder, storage).proofs)
  }

  /// The backups of these names, newest first.
  private func opened(_ names: [BackupName], _ proofs: [BackupID: BackupProof]) -> [Backup] {
    names.map { name in
      var backup = open(name)
      backup.proof = proofs[name.id]
      return backup
    }.sorted { left, right in
      // The times of the files may be those of copies.
      (left.created, left.ordinal, left.modified) > (right.created, right.ordinal, right.modified)
    }
  }

  /// The newest backup that meets a condition; by default that it can stand in for the database.
  ///
  /// One that is dated later than `now` was made by a clock that went wrong: nobody knows when.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - skipsUnread: Whether one that the disk does not hand out is passed over: an older one is
  ///     no substitute for it without a word.
  ///   - condition: What the backup must be.
  /// - Returns: The backup; nil when there is none.
  /// - Throws: ``RescueError`` when the folder cannot be listed, or a newer backup not be read.
  public func latest(
    notAfter now: Date = .distantFuture, skippingUnread skipsUnread: Bool = false,
    where condition: (Backup) -> Bool = { $0.isGood }
  ) throws(RescueError) -> Backup? {
    let own = try newest(notAfter: now, skipsUnread) { condition($0) && isOfDatabase($0) }
    guard own == nil, place != nil else { return own }
    return preferred(try list().filter { $0.created <= now && condition($0) }).first
  }

  /// Of some backups those that were made where the database lies.
  ///
  /// Where none was, it may have been moved: then all are, if they were made at one place; of several
  /// databases, nobody knows which.
  func preferred(_ backups: [Backup]) -> [Backup] {
    let own = backups.filter(isOfDatabase)
    guard own.isEmpty else { return own }
    return Set(backups.map { $0.manifest?.content.place }).count == 1 ? backups : []
  }

  /// Whether a backup was made where the database lies, as far as that is known.
  package func isOfDatabase(_ backup: Backup) -> Bool { backup.isMade(at: place) }

  private func newest(
    notAfter now: Date, _ skipsUnread: Bool, where condition: (Backup) -> Bool
  ) throws(RescueError) -> Backup? {
    let proofs = ProofLog(in: folder, storage).proofs
    var rest = try names().filter { $0.part == .main && $0.created <= now }
      .sorted { $0.created > $1.created }[...]
    // Only as many are opened as need to be; two of one second are told apart by that.
    while let newest = rest.first {
      let together = rest.prefix { $0.created == newest.created }
      rest = rest.dropFirst(together.count)
      for backup in opened(Array(together), proofs) {
        if let error = backup.readError, !skipsUnread { throw error }
        if condition(backup) { return backup }
      }
    }
    return nil
  }

  /// The backup with a file name, an id, or a support code.
  ///
  /// - Throws: ``RescueError`` of the kind `.missing` when there is none.
  public func backup(_ key: String) throws(RescueError) -> Backup {
    let id = BackupID(key)
    let found = try list().first { backup in
      backup.path.name == FilePath(key) || backup.name.id == id
        || backup.manifest?.content.supportCode?.uppercased() == key.uppercased()
    }
    guard let found else {
      throw RescueError(
        .missing, "no backup '\(key)' in '\(folder)'",
        advice: "dbrescue vault list \(folder.shellQuoted)")
    }
    return found
  }

  /// The backup in a file of any name: what its name does not tell, it says itself.
  ///
  /// - Throws: ``RescueError`` when the file cannot be read, or does not say of itself what it is.
  package static func backup(
    inFile path: FilePath, _ storage: any Storage
  ) throws(RescueError) -> Backup {
    guard BackupName(path.name) == nil else {
      return try Vault(path.folder, in: storage).backup(path.name.description)
    }
    guard let manifest = try BackupReader(path, in: storage).manifest else {
      throw RescueError(
        .invalidInput, "'\(path)' does not say what backup it is, and its name tells nothing",
        meaning: "nobody knows of what and of when it is; nothing was changed",
        advice: "look at what is in it: dbrescue vault extract \(path.shellQuoted) --output NEW")
    }
    let name = BackupName(
      database: FilePath(manifest.database), created: manifest.created,
      userVersion: manifest.content.userVersion, id: manifest.id)
    var backup = try Backup(at: path, named: name, in: storage)
    backup.proof = ProofLog(in: path.folder, storage).proofs[name.id]
    return backup
  }

  /// Reads a backup in full, and the files stored beside it when it is raw.
  package func verify(_ backup: Backup) -> [BackupVerification] {
    let sidecars = backup.manifest?.sidecars ?? []
    let parts = sidecars.compactMap { BackupName.Part(rawValue: $0.suffix) }
    return [verify(backup.path)]
      + parts.map { verify(folder.appending(backup.name.with($0).path)) }
  }

  private func verify(_ path: FilePath) -> BackupVerification {
    do {
      return try BackupReader(path, in: storage).verify()
    } catch {
      let check = BackupManifest.Check(
        BackupReader.readBack, passed: false, detail: error.message)
      return BackupVerification(
        path: path, state: .damaged, checks: [check], damage: [], flaws: [error.message],
        isUnread: error.kind != .invalidInput, isForbidden: error.kind == .permission)
    }
  }

  private func open(_ name: BackupName) -> Backup {
    let path = folder.appending(name.path)
    do throws(RescueError) {
      do throws(RescueError) {
        return try Backup(at: path, named: name, in: storage)
      } catch  where error.kind == .inputOutput {
        // A disk that fails for a moment makes no backup worse.
        return try Backup(at: path, named: name, in: storage)
      }
    } catch {
      return Backup(unreadable: path, named: name, because: error, in: storage)
    }
  }

  /// The names of the backup files of this database; none where there is no folder.
  func names() throws(RescueError) -> [BackupName] {
    try allNames().compactMap { file in
      guard let name = BackupName(file) else { return nil }
      guard let database else { return name }
      let expected = database.bytes.prefix(BackupName.databaseByteCountMax)
      return name.database.bytes.elementsEqual(expected) ? name : nil
    }
  }

  /// All names in the folder; none where there is no folder.
  func allNames() throws(RescueError) -> [FilePath] {
    do { return try storage.names(in: folder) } catch  where error.cause == .missing {
      return []
    } catch {
      throw RescueError(error)
    }
  }
}
