// SPDX-License-Identifier: Apache-2.0
// What a run leaves in the rescue folder while it replaces a database, and how that is told from
// what came with the database.

import Diagnosis
import SQLiteFormat

extension RescueFolder {
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

  /// How long is waited before a second look at who has the database open.
  private static let secondLook = Duration.milliseconds(50)

  /// Keeps the connections of others from the database.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when somebody is using it.
  func lockDatabase(_ world: World) throws -> HeldLock {
    let lock = try world.storage.lockDatabase(database)
    // In a rollback mode, one that is idle holds no lock, and would go on with the old file.
    var processes = lock == nil ? [] : world.storage.writers(of: database)
    if !processes.isEmpty {
      // Until it runs a program of its own, a child has open what its parent has.
      world.pause(Self.secondLook)
      processes.formIntersection(world.storage.writers(of: database))
    }
    if let lock, processes.isEmpty { return lock }
    let user = processes.min().map { "process \($0)" } ?? "another process"
    throw RescueError(
      .busy, "\(user) has '\(database)' open",
      meaning: "nothing was changed", advice: "close the app that uses it, then try again")
  }

  /// Ends a replacement; doing so twice changes nothing.
  func clear(_ code: String, _ storage: any Storage) throws(StorageError) {
    // A disk may fail for a moment.
    do { try clearOnce(code, storage) } catch { try clearOnce(code, storage) }
  }

  /// The plan goes first: without its new file it would undo everything.
  private func clearOnce(_ code: String, _ storage: any Storage) throws(StorageError) {
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
