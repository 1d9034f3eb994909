// SPDX-License-Identifier: Apache-2.0
// The making of one backup, up to the point where it gets its name.

internal import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The making of one backup, up to the point where it gets its name.
struct BackupJob {
  typealias Check = BackupManifest.Check
  typealias Describe = BackupWriter.Describe
  typealias CheckCopy = BackupWriter.CheckCopy

  /// The name of the check that a raw backup did not have to be raw.
  static let readable = "readable by SQLite"
  /// The name of the check that nobody wrote while raw files were read.
  static let unchanged = "source unchanged"
  /// The name of the check that something could be said of the content.
  static let described = "content"

  let writer: BackupWriter
  let run: BackupRun
  let files: DatabaseFiles
  let created: Date
  /// The backups that there were before this one began: one that another run makes meanwhile may be of a
  /// later moment.
  let known: [BackupName]

  var storage: any Storage { writer.world.storage }

  /// Stores and proves the database.
  ///
  /// - Returns: The containers that were made, in the order in which they get their names.
  func store(
    describing describe: Describe, checking check: CheckCopy
  ) throws(RescueError) -> ([BackupName.Part], BackupManifest) {
    if writer.options.isRaw {
      return try storeRaw([], describing: describe)
    }
    if let reason = try files.reasonNotToOpen(in: storage) {
      return try storeRaw(
        [Check(Self.readable, passed: false, detail: reason)], describing: describe)
    }
    let counter = try changeCounter()
    let examined = try ExaminedImage(files.path, in: writer.world)
    if let reason = examined.reasonNotToOpen {
      return try storeRaw(
        [Check(Self.readable, passed: false, detail: reason)], describing: describe)
    }
    do throws(RescueError) {
      try makeImage()
    } catch  where [.invalidInput, .permission].contains(error.kind) {
      try run.remove(.source)
      try run.remove(.image)
      let reason = Check(Self.readable, passed: false, detail: error.message)
      return try storeRaw([reason], describing: describe)
    }
    let difference = try examined.check(of: open(run.path(.image), .read), in: storage)
    let manifest = try storeImage(
      noting: difference, countedBefore: counter, describing: describe, checking: check)
    return ([.main], manifest)
  }

  // MARK: - Reading the database

  /// How often a copy of the files is tried while somebody writes to them.
  private static let copyAttemptsMax = 3

  /// Has SQLite copy the database, as it is after recovery.
  ///
  /// A crashed transaction leaves a journal, which SQLite would play back into the main file and
  /// delete, with any file that the journal names. So our own reader plays it back, into a private
  /// copy. The journal of a living writer is left alone by SQLite itself.
  ///
  /// To read a database in WAL mode, SQLite makes a `-shm` beside it. Where it may not, it gets a
  /// private copy, too.
  private func makeImage() throws(RescueError) {
    let source = try privateCopy { (files) throws(RescueError) in
      try files.needPrivateCopy(in: storage)
    }
    do throws(RescueError) {
      try makeImage(of: source)
    } catch  where source == files.path {
      // A journal can have become hot since it was looked at.
      let isHot = try JournalInPlace(beside: files.resolved, in: storage) == .hot
      guard isHot || error.kind == .permission else { throw error }
      try run.remove(.image)
      try makeImage(of: try privateCopy { _ in true })
    }
    try run.remove(.source)
  }

  private func makeImage(of source: FilePath) throws(RescueError) {
    // Made before SQLite opens it, so that nobody else can read it.
    _ = try open(run.path(.image), .createNew)
    try OnlineBackup.image(
      of: source, into: run.path(.image), wait: writer.options.wait,
      isCancelled: writer.world.isCancelled, progress: writer.world.progress)
  }

  /// The path of a copy without a journal; the database's own path where none is needed.
  private func privateCopy(
    isNeeded: (DatabaseFiles) throws(RescueError) -> Bool
  ) throws(RescueError) -> FilePath {
    for _ in 0..<Self.copyAttemptsMax {
      let current = try DatabaseFiles(files.path, in: storage)
      guard try isNeeded(current) else { return files.path }
      do throws(RescueError) {
        try copyRolledBack(current)
      } catch  where error.kind == .missing {
        // Somebody recovered it just now, as the next look at the files will show.
      } catch {
        // One that was made shorter meanwhile ends before it should.
        guard try !current.areUnchanged(in: storage) else { throw error }
      }
      if try current.areUnchanged(in: storage) { return run.path(.source) }
      try run.remove(.source)
    }
    throw RescueError(
      .busy, "'\(files.path)' changes while it is read",
      meaning: "no backup was made; the database is untouched",
      advice: "close the app that uses the database, or try again later")
  }

  /// Copies the database as its journal says that it was, and its log.
  private func copyRolledBack(_ current: DatabaseFiles) throws(RescueError) {
    let set = try current.input.open(in: writer.world)
    let main: any PageSource
    do { main = try set.rolledBackMain() } catch {
      throw RescueError(error, in: current.path(of: .journal))
    }
    guard main.byteCount <= current.byteCount else {
      throw RescueError(
        .invalidInput, "the -journal counts pages that none of the files has",
        meaning: "SQLite would fill the database with zeros; the database is untouched")
    }
    try copy(main, of: current.resolved, to: run.path(.source))
    if let wal = set.wal {
      try copy(wal, of: current.path(of: .wal), to: run.path(.source).adding(suffix: "-wal"))
    }
  }

  private func copy(
    _ source: any PageSource, of path: FilePath, to newPath: FilePath
  ) throws(RescueError) {
    let output = try BackupOutput(newPath, in: storage)
    do {
      try source.forEachPiece { bytes, _ in try output.append(bytes) }
    } catch let error as ReadFailure {
      throw RescueError(error, in: path)
    } catch {
      throw RescueError(error, doing: "copy '\(path)'", meaning: "the database is untouched")
    }
  }

  // MARK: - An image

  private func storeImage(
    noting difference: Check?, countedBefore counter: ChangeCounter?,
    describing describe: Describe, checking check: CheckCopy
  ) throws(RescueError) -> BackupManifest {
    let image = try open(run.path(.image), .read)
    let earlier = try EarlierBackup.newest(
      in: Vault(writer.vault, of: files.name, in: storage), madeBy: writer.tool)
    var stored = try store(ClearedImage(image) ?? image, like: earlier, describing: describe)
    if stored.isCleared, !stored.manifest.content.isSound {
      // Pages that are said to be free may be in use.
      do { try run.container.truncate(to: 0) } catch { throw RescueError(error) }
      stored = try store(image, like: earlier, describing: describe)
    }
    var manifest = stored.manifest
    manifest.checks += [difference].compactMap(\.self)
    try run.remove(.image)
    manifest.content.changeCounter = counter?.atLeast
    manifest.content.place = descent.tellingPlace.digest
    manifest.content.isElsewhere = descent.tellingPlace.ownsVault ? nil : true
    manifest.lineage = try lineage(of: manifest.content, counter)
    if writer.options.verification == .full {
      try stored.container.finish(manifest, in: storage)
      manifest.checks += try tried(manifest, stored, describing: describe, checking: check)
      // What modules were not asked when the pages were read, they were asked now.
      manifest.content.findings.removeAll(where: \.isLeftToModules)
    }
    manifest.clean = isClean(manifest)
    try stored.container.finish(manifest, in: storage)
    return manifest
  }

  /// Restores the finished container on trial, and has everything checked that it gives back.
  private func tried(
    _ manifest: BackupManifest, _ stored: Stored, describing describe: Describe,
    checking check: CheckCopy
  ) throws(RescueError) -> [Check] {
    let copy = run.path(.trial)
    let trial = TrialRestore(
      container: run.path(.container(.main)), copy: copy, world: writer.world)
    try trial.restore()
    // Beside SQLite's checks it is described anew: surveyed, and its rows read once more.
    writer.world.progress(.began(.verifying, byteCount: manifest.image.byteCount))
    let found = Background { [world = writer.world] () throws(RescueError) in
      try ImageChecks.of(
        copy, since: stored.since, changed: stored.changedTables, until: world.isCancelled)
    }
    let own = try found.during { () throws(RescueError) in
      try trial.check(manifest.content) { (pages) throws(RescueError) in
        try describe(pages, stored.since).content
      }
    }
    var checks = [own] + (try found.value())
    if !checks.allSatisfy(\.passed) {
      try storage.requireReadable(copy, doing: ImageChecks.doing, meaning: ImageChecks.meaning)
    }
    checks += try check(copy)
    try run.remove(.trial)
    return checks
  }

  /// An image in its container, which is not yet finished.
  private struct Stored {
    var container: BackupContainer
    var manifest: BackupManifest
    /// Whether free pages were stored as zeros.
    var isCleared: Bool
    /// The earlier backup, with where it differs.
    var since: EarlierBackup?
    /// The tables that differ from it; nil when any may.
    var changedTables: [Name]?
  }

  /// Stores the image, and says what is in it.
  private func store(
    _ image: any PageSource, like earlier: EarlierBackup?, describing describe: Describe
  ) throws(RescueError) -> Stored {
    var manifest = manifest(
      of: files.name, byteCount: image.byteCount, raw: false,
      content: ImageOutline.content(of: run.path(.image)))
    var container = try BackupContainer(
      manifest, file: run.container, at: run.path(.container(.main)), level: writer.options.level)
    writer.world.progress(.began(.backingUp, byteCount: image.byteCount))
    let (stored, readBack) = try container.write(
      writer.world.watched(image), from: run.path(.image), like: earlier)
    let since = earlier?.vouching(at: created, for: writer.options.recheckAfter)?
      .with(stored.changes)
    manifest.examined = since?.examined
    // It is surveyed, and then the rows are read once more for their digests.
    writer.world.progress(.began(.examining, byteCount: image.byteCount))
    let description = try describe(writer.world.watched(image, readings: 2), since)
    manifest.image.sha256 = stored.digest ?? earlier?.manifest.image.sha256
    manifest.content = description.content
    manifest.checks = [readBack]
    return Stored(
      container: container, manifest: manifest, isCleared: image is ClearedImage, since: since,
      changedTables: description.changedTables)
  }

  private func isClean(_ manifest: BackupManifest) -> Bool {
    manifest.content.isSound && manifest.lineage?.isDoubtful != true
      && manifest.checks.allSatisfy(\.passed)
      && (writer.options.verification == .quick
        || manifest.checks.contains { $0.name == ImageChecks.integrityCheck })
  }

  // MARK: - Parts

  func manifest(
    of name: FilePath, byteCount: Int, raw: Bool, content: BackupContent
  ) -> BackupManifest {
    var manifest = BackupManifest(
      database: name.description, created: created, id: run.id, tool: writer.tool,
      image: BackupManifest.Image(byteCount: byteCount), raw: raw, content: content)
    let together = known.count { $0.created == manifest.created }
    manifest.ordinal = together > 0 ? together : nil
    // What cannot be told is left out: a backup without it is as good.
    manifest.access = (try? storage.status(of: files.path)).flatMap(\.self)?.access
    return manifest
  }

  func open(
    _ path: FilePath, _ mode: OpenMode
  ) throws(RescueError) -> any StoredFile {
    do { return try storage.open(path, mode) } catch { throw RescueError(error) }
  }
}
