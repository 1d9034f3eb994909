// SPDX-License-Identifier: Apache-2.0
// The folder beside a database that holds what this library keeps of it.
//
// app.db.rescue/backups/             backups
// app.db.rescue/quarantine/CODE/     displaced files, by the code of the run that displaced them
// app.db.rescue/plan.json            a replacement that has begun and is not finished
// app.db.rescue/.CODE.claim          the proof that a run with this code was here
// app.db.rescue/.CODE.…              the new file of that run, and what it is built from
//
// A run that is going to replace the database holds the lock of the folder. What neither a claim nor
// our log proves to be ours came with the database, as in an archive that was unpacked: it is
// evidence and stays.

public import Diagnosis
import SQLiteFormat

/// The folder beside a database that holds its backups and its displaced files.
public struct RescueFolder: Hashable, Sendable {
  /// How the name of a file ends that is not complete yet.
  static let partialSuffix = ".partial"

  /// The database, with links followed.
  public let database: FilePath

  /// The folder of a database, which may be missing.
  ///
  /// - Throws: ``RescueError`` when the path's links cannot be followed.
  public init(of database: FilePath, storage: any Storage) throws(RescueError) {
    do {
      self.database = try storage.place(of: database)
    } catch  where error.cause == .missing {
      self.database = database
    } catch {
      throw RescueError(error)
    }
  }

  /// The folder itself.
  public var path: FilePath { database.adding(suffix: ".rescue") }
  /// Where backups go unless told otherwise.
  public var backups: FilePath { Vault.defaultFolder(of: database) }
  /// The plan of an unfinished replacement.
  var plan: FilePath { path.appending("plan.json") }
  /// Where displaced files are kept.
  var quarantines: FilePath { path.appending("quarantine") }

  /// Where a run's displaced files are kept.
  public func quarantine(_ code: SupportCode) -> FilePath {
    quarantines.appending(FilePath(code.description))
  }

  /// Where a run builds its new file.
  func newFile(_ code: String) -> FilePath { path.appending(FilePath(".\(code).new")) }
  /// Where a run writes its plan before it counts.
  func partialPlan(_ code: String) -> FilePath {
    path.appending(FilePath(".\(code).plan\(Self.partialSuffix)"))
  }

  /// The error of a run that finds another one at work.
  var isBusy: RescueError {
    RescueError(
      .busy, "another run of dbrescue is changing '\(database)'", meaning: "nothing was changed",
      advice: "wait until it is done, then try again")
  }

  /// The command that brings back what a run has displaced.
  func undoCommand(_ code: SupportCode) -> String {
    "dbrescue undo \(code) \(database.shellQuoted)"
  }

  /// The change that a run has made which has replaced the database.
  func replaced(_ code: SupportCode) -> Change {
    Change(
      .something, "the database was replaced; what it was is in '\(quarantine(code))'",
      next: undoCommand(code))
  }

  /// Keeps the connections of others from the database.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when somebody is using it.
  func lockDatabase(_ storage: any Storage) throws -> HeldLock {
    if let lock = try storage.lockDatabase(database) { return lock }
    throw RescueError(
      .busy, "another process has '\(database)' open",
      meaning: "nothing was changed", advice: "close the app that uses it, then try again")
  }

  /// Ends a replacement: the plan goes first, as without its new file it would undo everything.
  func clear(_ code: String, _ storage: any Storage) throws(StorageError) {
    try storage.remove(plan)
    try? storage.remove(newFile(code))
    let folder = try storage.openFolder(path)
    try folder.synchronize()
    let claim = Claim(FilePath(code), in: folder)
    // A disk may fail for a moment; what cannot go then either, the next command removes.
    do { try sweep(claim) } catch { try? sweep(claim) }
  }

  /// Proves from now on that what a run makes under its code is ours.
  func claim(_ code: SupportCode, _ world: World) throws(StorageError) {
    let folder = try world.storage.openFolder(path)
    try Claim(FilePath(code.description), in: folder).write(id: world.random())
    // A claim does not survive a move to another disk, which the log does. It is enough here, and
    // that the log cannot be written is told at the end of the run.
    try? RunLog.apart(from: database, in: world)
      .append(RunBeginning(code, at: world.now(), file: database))
  }

  /// Those of these codes under which a run of ours was here.
  private func codesOfOurs(
    among codes: Set<String>, in folder: any StoredFolder, _ world: World
  ) throws(StorageError) -> Set<String> {
    var claimed: Set<String> = []
    for code in codes where try Claim(FilePath(code), in: folder).holds() { claimed.insert(code) }
    let others = codes.subtracting(claimed)
    guard !others.isEmpty, let log = try? RunLog.apart(from: database, in: world),
      let begun = try? log.begun(among: others)
    else { return claimed }
    return claimed.union(begun)
  }

  /// Whether a run of ours with this code was here.
  func isOurs(_ code: String, _ world: World) throws(StorageError) -> Bool {
    try !codesOfOurs(among: [code], in: world.storage.openFolder(path), world).isEmpty
  }

  /// Refuses a folder that is a symbolic link: what is done to it would be done elsewhere.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite`.
  func requireNoLinks(_ storage: any Storage) throws {
    try requireNoLinks(
      [path, quarantines], storage,
      meaning: "the old files would not be kept beside the database; nothing was changed",
      advice: "move it out of the way, and try again")
  }

  /// Refuses a vault beside the database that is a symbolic link, as one that came with it.
  ///
  /// - Throws: ``RescueError`` of the kind `.cannotWrite`.
  func requireOwnVault(_ storage: any Storage) throws(RescueError) {
    do {
      try requireNoLinks(
        [path, backups], storage, meaning: "the backup would go there; no backup was made",
        advice: "if that is meant, name the folder: --vault DIR")
    } catch {
      throw RescueError(error, doing: "look at '\(path)'")
    }
  }

  private func requireNoLinks(
    _ folders: [FilePath], _ storage: any Storage, meaning: String, advice: String
  ) throws {
    for folder in folders {
      guard let place = try opened(folder.folder, storage),
        let kind = try place.status(of: folder.name)?.kind, kind != .folder
      else { continue }
      throw RescueError(
        .cannotWrite, "'\(folder)' is not a folder of its own, but leads elsewhere",
        meaning: meaning, advice: advice)
    }
  }

  private func opened(
    _ path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> (any StoredFolder)? {
    do throws(StorageError) {
      return try storage.openFolder(path)
    } catch  where error.cause == .missing {
      return nil
    }
  }

  /// Removes what runs have left that ended before they replaced anything.
  ///
  /// Only who holds the lock and finds no plan may do so. What cannot be removed is litter, and
  /// hides no result.
  func sweep(_ world: World) {
    PrivateFolder.sweep(path, world.storage)
    guard let folder = try? world.storage.openFolder(path), let names = try? folder.names() else {
      return
    }
    let codes = Set(names.compactMap(Self.code)).union(emptyQuarantines(in: folder))
    for code in (try? codesOfOurs(among: codes, in: folder, world)) ?? [] {
      try? sweep(Claim(FilePath(code), in: folder))
    }
  }

  /// The codes of the quarantine folders that nothing was moved to.
  private func emptyQuarantines(in folder: any StoredFolder) -> [String] {
    guard (try? folder.status(of: quarantines.name))??.kind == .folder,
      let quarantines = try? folder.folder(quarantines.name),
      let names = try? quarantines.names()
    else { return [] }
    return names.filter { name in
      (try? quarantines.status(of: name))??.kind == .folder
        && (try? quarantines.folder(name).names())?.isEmpty == true
    }.map(\.description)
  }

  /// The code in the name of a file that a run has made in the folder.
  private static func code(in name: FilePath) -> String? {
    let parts = name.description.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].isEmpty, let code = try? SupportCode(parsing: parts[1]),
      code.description == parts[1]
    else { return nil }
    return code.description
  }

  private func sweep(_ claim: Claim) throws(StorageError) {
    let start = [UInt8(ascii: ".")] + claim.name.bytes + [UInt8(ascii: ".")]
    for name in try claim.folder.names() where name.bytes.starts(with: start) && name != claim.file
    {
      try claim.folder.remove(name)
    }
    try removeQuarantineUnlessUsed(claim.name, in: claim.folder)
    // Nothing may come back after a crash that is not claimed any more.
    try claim.folder.synchronize()
    try claim.withdraw()
  }

  /// Removes a quarantine folder that holds no displaced file, and with it what was only written
  /// in case there would be one.
  func removeQuarantineUnlessUsed(_ code: String, _ storage: any Storage) {
    guard let folder = try? storage.openFolder(path) else { return }
    try? removeQuarantineUnlessUsed(FilePath(code), in: folder)
  }

  /// Removes a quarantine folder with copies of what is still in its place.
  func removeQuarantine(_ code: String, _ storage: any Storage) {
    guard let folder = try? storage.openFolder(path) else { return }
    try? removeQuarantine(FilePath(code), in: folder) { _ in true }
  }

  private func removeQuarantineUnlessUsed(
    _ code: FilePath, in folder: any StoredFolder
  ) throws(StorageError) {
    try removeQuarantine(code, in: folder) { names in
      !names.contains { name in
        name.bytes.starts(with: database.name.bytes) && !name.hasSuffix(Self.partialSuffix)
      }
    }
  }

  private func removeQuarantine(
    _ code: FilePath, in folder: any StoredFolder, where isUnused: ([FilePath]) -> Bool
  ) throws(StorageError) {
    guard try folder.status(of: quarantines.name)?.kind == .folder else { return }
    let quarantines = try folder.folder(quarantines.name)
    guard try quarantines.status(of: code)?.kind == .folder else { return }
    let quarantine = try quarantines.folder(code)
    let names = try quarantine.names()
    guard isUnused(names) else { return }
    for name in names { try quarantine.remove(name) }
    try quarantines.removeFolder(code)
    try quarantines.synchronize()
    if try quarantines.names().isEmpty { try folder.removeFolder(self.quarantines.name) }
  }
}
