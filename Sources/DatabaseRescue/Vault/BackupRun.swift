// SPDX-License-Identifier: Apache-2.0
// The temporary files of one backup run, and how other runs know that it is alive.

internal import SQLiteFormat

/// The temporary files of one backup run.
///
/// All are in the vault, named `.<id>.<what>.partial`. The ``Claim`` to these names is made first,
/// stays locked until the run ends, and is the last to go: where it is not locked, the run is dead,
/// and the rest of its files can be removed. Without it, they are not known to be ours.
final class BackupRun {
  /// What a temporary file holds.
  enum Content: Hashable {
    /// The backup itself, or that of another file of the database.
    case container(BackupName.Part)
    /// The files of the database as they are, for SQLite to recover without touching them.
    case source
    /// The copy of the database that is stored.
    case image
    /// The database that the finished backup was restored to, on trial.
    case trial

    var name: String {
      switch self {
      case .container(let part): "db\(part.rawValue).gz"
      case .source: "source"
      case .image: "image"
      case .trial: "trial"
      }
    }
  }

  /// How the name of a temporary file ends, not counting what SQLite adds.
  static let suffix = ".partial"
  /// How often another id is tried when one is taken.
  private static let attemptsMax = 8

  let id: BackupID
  /// The container of the database.
  let container: any StoredFile
  private let claim: Claim
  /// The file of the claim, locked.
  private let held: any StoredFile
  private let folder: FilePath
  private let storage: any Storage
  /// The files of the vault that this run renamed into place.
  private var published: [FilePath] = []

  private init(
    id: BackupID, container: any StoredFile, claim: Claim, held: any StoredFile, folder: FilePath,
    storage: any Storage
  ) {
    self.id = id
    self.container = container
    self.claim = claim
    self.held = held
    self.folder = folder
    self.storage = storage
  }

  /// Takes an id by claiming its names, and makes the container.
  static func begin(in folder: FilePath, of world: World) throws(RescueError) -> BackupRun {
    let storage = world.storage
    for _ in 0..<attemptsMax {
      let id = BackupID(random: world.random())
      let path = path(of: .container(.main), of: id, in: folder)
      do throws(StorageError) {
        let claim = Claim(FilePath(id.description), in: try storage.openFolder(folder))
        let held = try claim.write(id: world.random())
        do {
          // Another run that sweeps may have seen the claim before the lock was on it.
          guard try held.lock(), try claim.folder.status(of: claim.file) != nil else { continue }
          return BackupRun(
            id: id, container: try storage.open(path, .createNew), claim: claim, held: held,
            folder: folder, storage: storage)
        } catch {
          try? claim.withdraw()
          throw error
        }
      } catch  where error.cause == .exists {
        continue
      } catch {
        throw RescueError(error, meaning: "no backup was made; the database is untouched")
      }
    }
    throw RescueError(.busy, "no name for a temporary file is free in '\(folder)'")
  }

  /// The path of a temporary file.
  func path(_ content: Content) -> FilePath {
    Self.path(of: content, of: id, in: folder)
  }

  static func path(of content: Content, of id: BackupID, in folder: FilePath) -> FilePath {
    folder.appending(FilePath(".\(id).\(content.name)\(suffix)"))
  }

  /// The id in the name of a temporary file; nil when it is not one of ours.
  static func id(ofTemporary name: FilePath) -> BackupID? {
    let ends = [""] + FilePath.sidecarSuffixes
    guard name.bytes.first == UInt8(ascii: "."),
      ends.contains(where: { name.hasSuffix(suffix + $0) }),
      name.bytes.dropFirst(1 + BackupID.symbolCount).first == UInt8(ascii: ".")
    else { return nil }
    return BackupID(symbols: name.bytes.dropFirst().prefix(BackupID.symbolCount))
  }

  /// Removes a copy of the database, with what SQLite left beside it.
  func remove(_ content: Content) throws(RescueError) {
    do throws(StorageError) {
      for suffix in [""] + FilePath.sidecarSuffixes {
        try storage.remove(path(content).adding(suffix: suffix))
      }
    } catch {
      throw RescueError(error)
    }
  }

  /// Gives the containers their names, that of the database last, and makes the names durable.
  func publish(
    _ parts: [BackupName.Part], as name: BackupName
  ) throws(RescueError) -> FilePath {
    do throws(StorageError) {
      for part in parts {
        let path = folder.appending(name.with(part).path)
        let container = try storage.status(of: self.path(.container(part)))?.identity
        do throws(StorageError) {
          try storage.renameWithoutReplacing(self.path(.container(part)), to: path)
        } catch {
          // What failed may have been to take the old name away, and looking may fail too.
          if let container, presence(of: path, container) != .none { published.append(path) }
          throw error
        }
        published.append(path)
      }
      try storage.synchronizeFolder(folder)
      try claim.withdraw()
    } catch {
      throw RescueError(error)
    }
    return folder.appending(name.path)
  }

  /// What this run has made that is still there, as far as that can be seen; nil when nothing is.
  var remains: Change? {
    let left = published.map { ($0, presence(of: $0)) }.filter { $0.1 != .none }
    guard let (path, presence) = left.last else { return nil }
    let what =
      presence == .certain
      ? "is there all the same, and could not be removed"
      : "may be there all the same, as its folder could not be looked at"
    return Change(
      .addition, "the backup '\(path)' \(what)",
      next: "dbrescue vault verify \(folder.shellQuoted)")
  }

  /// Whether a file has its name.
  private enum Presence {
    case none, certain
    /// Whoever looked was refused.
    case unknown
  }

  /// Whether there is a file of this name, and of this identity where one is given.
  private func presence(of path: FilePath, _ identity: [UInt64]? = nil) -> Presence {
    do throws(StorageError) {
      guard let found = try storage.status(of: path) else { return .none }
      return identity == nil || found.identity == identity ? .certain : .none
    } catch {
      return .unknown
    }
  }

  /// Removes everything that this run made.
  func discard() {
    let parts = BackupName.Part.allCases.reversed().map { Content.container($0) }
    let temporary = ([.trial, .image, .source] + parts).flatMap { content in
      (FilePath.sidecarSuffixes + [""]).map { path(content).adding(suffix: $0) }
    }
    do throws(StorageError) {
      for path in published.reversed() + temporary { try storage.remove(path) }
      try claim.folder.synchronize()
      try claim.withdraw()
    } catch {
      return  // The error that led here is the one to report; what stays is found by a sweep.
    }
  }
}
