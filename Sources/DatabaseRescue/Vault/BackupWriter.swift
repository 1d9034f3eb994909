// SPDX-License-Identifier: Apache-2.0
// Makes a backup that counts: stored, read back, tried, and only then given its name.

package import SQLiteFormat

/// Makes backups in one vault.
///
/// The order is fixed: free space, a copy of the database in the vault, a temporary file with the
/// data, every member of which is inflated, compared with the copy and read back; the finished file
/// restored on trial in the place of the copy, and checked; the manifest, reading that back, the
/// final name, the folder made durable. Whatever fails, the temporary files go and the vault is as
/// before.
public struct BackupWriter: Sendable {
  /// How much is done before a backup counts.
  public enum Verification: String, Hashable, Sendable, CaseIterable {
    /// Everything is inflated, compared with the copy that was stored, and read back; then the finished
    /// file is restored on trial, and SQLite and the caller check what it gave.
    case full
    /// The same without the trial.
    case quick
  }

  /// How a backup is made.
  public struct Options: Hashable, Sendable {
    /// The compression, from 1, fast, to 9, small.
    ///
    /// Level 9 makes files 3 % smaller than level 1, in twice the time.
    public var level = 1
    /// How much is done before a backup counts.
    public var verification = Verification.full
    /// For how long what was found out about a database is taken over for what of it has not
    /// changed by a byte; after that, everything is read and checked again.
    public var recheckAfter = Duration.seconds(7 * 86_400)
    /// How long to wait for locks on the database.
    public var wait = Duration.seconds(5)
    /// How many of a hundred rows a table may have lost since the newest good backup for this one
    /// to be good; nil for any number.
    public var lossMax: Int?
    /// The tables that may lose any number of rows.
    package var freeTables: Set<Name> = []
    /// New names that a contract has for tables, by their old ones.
    package var renamedTables: [Name: Name] = [:]
    /// Whether the backup counts although the database is older than its newest good backup, or has
    /// lost more rows than it may.
    public var acceptsOlder = false
    /// Whether the files are stored as they are even if SQLite could read them.
    package var isRaw = false

    /// Makes the usual options.
    public init() {}
  }

  /// Says what is in the bytes that are about to be stored, and what of it is different from an
  /// earlier backup; and again in those that were restored on trial.
  package typealias Describe =
    (any PageSource, EarlierBackup?) throws(RescueError) -> BackupDescription
  /// Checks a private copy, which it may change.
  package typealias CheckCopy = (FilePath) throws(RescueError) -> [BackupManifest.Check]

  let world: World
  let vault: FilePath
  let tool: String
  let options: Options

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - vault: The folder that backups go to; it is made where there is none.
  ///   - tool: The version of the program, for the manifest.
  ///   - options: How backups are made.
  ///   - world: Files, time and chance.
  package init(
    vault: FilePath, tool: String, options: Options = Options(), world: World = World()
  ) {
    self.vault = vault
    self.tool = tool
    self.options = options
    self.world = world
  }

  /// Backs up a database.
  ///
  /// A database that SQLite cannot read is stored raw: its files as they are. Nothing of
  /// the database is changed, also when a crashed transaction waits to be rolled back; only
  /// a `-shm` may appear.
  ///
  /// Raw files are read past SQLite's locks, and closing them drops the locks that this very
  /// process holds on the database: while it asks for a raw backup, or has one made of a
  /// database that SQLite cannot read, it must not have that database open itself.
  ///
  /// - Parameters:
  ///   - database: The database, which other processes may be using.
  ///   - describe: Says what is in the bytes that are about to be stored. For a raw
  ///     backup these are of the main file alone, and an error only becomes a failed check.
  ///   - check: More checks on the private copy to which the backup was restored on trial.
  /// - Returns: The backup, verified as the options ask.
  /// - Throws: ``RescueError``; the vault is then as it was before.
  package func backUp(
    _ database: FilePath,
    describing describe: Describe, checking check: CheckCopy = { _ in [] }
  ) throws(RescueError) -> Backup {
    let files = try DatabaseFiles(database, in: world.storage)
    try checkSpace(for: files)
    let run = try begin()
    let created = world.now()
    do throws(RescueError) {
      let known = try Vault(vault, of: files.name, in: world.storage).names()
        .filter { $0.part == .main }
      let job = BackupJob(
        writer: self, run: run, files: files, created: created, known: known)
      let (parts, manifest) = try job.store(describing: describe, checking: check)
      let name = BackupName(
        database: files.name, created: created, userVersion: manifest.content.userVersion,
        id: run.id)
      // What was stored and checked while somebody wished to stop is not what it seems.
      try world.requireGoingOn()
      let path = try run.publish(parts, as: name)
      return try Backup(at: path, named: name, in: world.storage)
    } catch {
      run.discard()
      var error = error
      error.change = run.remains
      throw error
    }
  }

  /// Begins a run in the vault, which is made where there is none, and goes again if that fails.
  private func begin() throws(RescueError) -> BackupRun {
    var new: [FilePath] = []
    do throws(StorageError) {
      for folder in [vault, vault.folder] where try world.storage.status(of: folder) == nil {
        new.append(folder)
      }
      try world.storage.createFolder(vault)
    } catch {
      throw RescueError(error, meaning: "no backup was made; the database is untouched")
    }
    do throws(RescueError) {
      return try BackupRun.begin(in: vault, of: world)
    } catch {
      // Only empty ones go.
      for folder in new { try? world.storage.removeFolder(folder) }
      throw error
    }
  }

  /// Checks that the copy of the database and the backup of it fit; what is restored on trial takes
  /// the place of the copy.
  private func checkSpace(for files: DatabaseFiles) throws(RescueError) {
    // The copy, and a backup of typical data; a raw backup needs no copy, but may not shrink.
    let content = files.byteCount
    var needed = (options.isRaw ? content : content + content / 10 * 7) + 1024 * 1024
    if !options.isRaw, !files.sidecars.isEmpty { needed += content }
    let free: Int
    do { free = try world.storage.freeBytes(at: existingFolder(of: vault)) } catch {
      throw RescueError(error)
    }
    guard needed <= free else {
      throw RescueError(
        .cannotWrite,
        "a backup needs about \(needed) bytes in '\(vault)', and \(free) are free",
        meaning: "no backup was made; the database is untouched",
        advice: "free some space, or choose another vault")
    }
  }

  private func existingFolder(of path: FilePath) throws(StorageError) -> FilePath {
    var path = path
    while try world.storage.status(of: path) == nil, path.folder != path { path = path.folder }
    return path
  }
}
