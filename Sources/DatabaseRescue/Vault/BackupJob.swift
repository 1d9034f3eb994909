// SPDX-License-Identifier: Apache-2.0
// The making of one backup, up to the point where it gets its name.

internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The making of one backup, up to the point where it gets its name.
struct BackupJob {
  typealias Check = BackupManifest.Check
  typealias Describe = (any PageSource) throws(RescueError) -> BackupContent
  typealias CheckCopy = (FilePath) throws(RescueError) -> [Check]

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

  private var storage: any Storage { writer.world.storage }

  /// Stores and proves the database.
  ///
  /// - Returns: The containers that were made, in the order in which they get their names.
  func store(
    describing describe: Describe, checking check: CheckCopy
  ) throws(RescueError) -> ([BackupName.Part], BackupManifest) {
    if writer.options.isRaw {
      return try storeRaw([], describing: describe)
    }
    do throws(RescueError) {
      try makeImage()
    } catch  where [.invalidInput, .permission].contains(error.kind) {
      try run.remove(.source)
      try run.remove(.image)
      let reason = Check(Self.readable, passed: false, detail: error.message)
      return try storeRaw([reason], describing: describe)
    }
    return ([.main], try storeImage(describing: describe, checking: check))
  }

  // MARK: - Reading the database

  /// How often a copy of the files is tried while somebody writes to them.
  private static let copyAttemptsMax = 3
  /// How much of a file is copied at a time.
  private static let copyByteCount = 1024 * 1024

  /// Has SQLite copy the database, as it is after recovery.
  private func makeImage() throws(RescueError) {
    let source = try recoverableSource()
    // Made before SQLite opens it, so that nobody else can read it.
    _ = try open(run.path(.image), .createNew)
    try OnlineBackup.image(of: source, into: run.path(.image), wait: writer.options.wait)
    try run.remove(.source)
  }

  /// Where SQLite can read the database without changing anything that others need.
  ///
  /// A crashed transaction leaves a journal, which SQLite plays back into the main file and
  /// deletes, even when the main file then turns out not to be a database. So it gets a
  /// private copy of both. The journal of a living writer is left alone by SQLite itself.
  private func recoverableSource() throws(RescueError) -> FilePath {
    for _ in 0..<Self.copyAttemptsMax {
      let current = try DatabaseFiles(files.path, in: storage)
      guard try current.hasHotJournal(in: storage) else { return files.path }
      for part in BackupName.Part.allCases where current.status[part] != nil {
        do throws(RescueError) {
          try copy(files.path(of: part), to: run.path(.source).adding(suffix: part.rawValue))
        } catch  where error.kind == .missing {
          break  // Somebody recovered it just now, as the next look at the files will show.
        }
      }
      if try current.areUnchanged(in: storage) { return run.path(.source) }
      try run.remove(.source)
    }
    throw RescueError(
      .busy, "'\(files.path)' changes while it is read",
      meaning: "no backup was made; the database is untouched",
      advice: "close the app that uses the database, or try again later")
  }

  private func copy(_ path: FilePath, to newPath: FilePath) throws(RescueError) {
    let source = try open(path, .read)
    let output = try BackupOutput(newPath, in: storage)
    while true {
      let bytes: Bytes
      do {
        bytes = try source.read(at: output.byteCount, count: Self.copyByteCount)
      } catch {
        throw RescueError(error, in: path)
      }
      if bytes.isEmpty { return }
      try output.append(bytes)
    }
  }

  // MARK: - An image

  private func storeImage(
    describing describe: Describe, checking check: CheckCopy
  ) throws(RescueError) -> BackupManifest {
    let image = try open(run.path(.image), .read)
    var manifest = manifest(
      of: files.name, byteCount: image.byteCount, raw: false, content: try describe(image))
    var container = try Container(
      manifest, file: run.container, at: run.path(.container(.main)), level: writer.options.level)
    manifest.image.sha256 = try container.write(image, from: run.path(.image))
    manifest.checks = [try container.readBack()]
    try run.remove(.image)
    if writer.options.verification == .full {
      manifest.checks += try tryRestore(container, checking: check)
    }
    manifest.clean = isClean(manifest)
    try container.finish(manifest, in: storage)
    return manifest
  }

  /// Restores to a private copy, and has it checked.
  private func tryRestore(
    _ container: Container, checking check: CheckCopy
  ) throws(RescueError) -> [Check] {
    let path = run.path(.trial)
    try container.inflate(to: try BackupOutput(path, in: storage))
    let checks = TrialRestore.checks(of: path)
    let more = try check(path)
    try run.remove(.trial)
    return checks + more
  }

  private func isClean(_ manifest: BackupManifest) -> Bool {
    manifest.content.isSound && manifest.checks.allSatisfy(\.passed)
      && (writer.options.verification == .quick
        || manifest.checks.contains { $0.name == TrialRestore.integrityCheck })
  }

  // MARK: - The files as they are

  private func storeRaw(
    _ reasons: [Check], describing describe: Describe
  ) throws(RescueError) -> ([BackupName.Part], BackupManifest) {
    var sidecars: [BackupManifest.Sidecar] = []
    for part in files.sidecars {
      let path = run.path(.container(part))
      let source = try open(files.path(of: part), .read)
      var manifest = manifest(
        of: files.name.adding(suffix: part.rawValue), byteCount: source.byteCount, raw: true,
        content: BackupContent())
      var container = try Container(
        manifest, file: try open(path, .createNew), at: path, level: writer.options.level)
      manifest.image.sha256 = try container.write(source, from: files.path(of: part))
      manifest.checks = [try container.readBack()]
      try container.finish(manifest, in: storage)
      sidecars.append(
        BackupManifest.Sidecar(suffix: part.rawValue, image: manifest.image))
    }
    let main = try storeRawDatabase(reasons, beside: sidecars, describing: describe)
    return (files.sidecars + [.main], main)
  }

  private func storeRawDatabase(
    _ reasons: [Check], beside sidecars: [BackupManifest.Sidecar], describing describe: Describe
  ) throws(RescueError) -> BackupManifest {
    let path = run.path(.container(.main))
    let source = try open(files.path(of: .main), .read)
    var checks = reasons
    var content = BackupContent()
    do throws(RescueError) { content = try describe(source) } catch {
      checks.append(Check(Self.described, passed: false, detail: error.message))
    }
    var manifest = manifest(
      of: files.name, byteCount: source.byteCount, raw: true, content: content)
    manifest.sidecars = sidecars
    var container = try Container(
      manifest, file: run.container, at: path, level: writer.options.level)
    manifest.image.sha256 = try container.write(source, from: files.path(of: .main))
    checks.append(try container.readBack())
    let isUnchanged = try files.areUnchanged(in: storage)
    checks.append(
      Check(
        Self.unchanged, passed: isUnchanged,
        detail: isUnchanged
          ? "no file changed while it was read" : "a file changed while it was read"))
    manifest.checks = checks
    try container.finish(manifest, in: storage)
    return manifest
  }

  // MARK: - Parts

  private func manifest(
    of name: FilePath, byteCount: Int, raw: Bool, content: BackupContent
  ) -> BackupManifest {
    BackupManifest(
      database: name.description, created: created, id: run.id, tool: writer.tool,
      image: BackupManifest.Image(byteCount: byteCount), raw: raw, content: content)
  }

  private func open(
    _ path: FilePath, _ mode: OpenMode
  ) throws(RescueError) -> any StoredFile {
    do { return try storage.open(path, mode) } catch { throw RescueError(error) }
  }
}

/// One backup file in the making.
private struct Container {
  private var archive: ArchiveWriter
  private var imageByteCount = 0
  private var digest: Digest?

  /// Begins a file with what is known first.
  init(
    _ manifest: BackupManifest, file: any StoredFile, at path: FilePath, level: Int
  ) throws(RescueError) {
    archive = ArchiveWriter(file: file, path: path, id: manifest.id, level: level)
    try archive.write(opening: try manifest.abridged.encoded())
  }

  /// Writes the data, and makes it durable.
  mutating func write(
    _ image: any PageSource, from name: FilePath
  ) throws(RescueError) -> Digest {
    imageByteCount = image.byteCount
    let digest = try archive.write(image: image, from: name)
    self.digest = digest
    try archive.synchronize()
    return digest
  }

  /// The data as it is in the file now.
  private var written: Archive {
    var written = Archive(file: archive.file, id: archive.id)
    written.members = archive.members
    written.imageByteCount = imageByteCount
    return written
  }

  /// Inflates all data again and compares it with what was read from the database.
  func readBack() throws(RescueError) -> BackupManifest.Check {
    let written = written
    var hash = SHA256()
    try written.forEachMember { (member, reading) throws(RescueError) in
      guard let bytes = reading.bytes, reading.flaw == nil else {
        throw differs("member \(member.number) \(reading.flaw ?? "is damaged")")
      }
      hash.update(bytes)
    }
    guard written.gaps.isEmpty, hash.digest() == digest else {
      throw differs("the whole has another SHA-256")
    }
    return BackupManifest.Check(
      BackupReader.readBack, passed: true,
      detail: "\(written.members.count) members hold what was stored")
  }

  /// Writes the database to a file of ours.
  func inflate(to output: BackupOutput) throws(RescueError) {
    try written.forEachMember { (member, reading) throws(RescueError) in
      guard let bytes = reading.bytes else { throw differs("it cannot be read a second time") }
      try output.append(bytes)
    }
  }

  /// Writes what was measured, makes it durable, and reads it back.
  mutating func finish(
    _ manifest: BackupManifest, in storage: any Storage
  ) throws(RescueError) {
    try archive.finish(manifest: try manifest.encoded(), imageByteCount: imageByteCount)
    try archive.synchronize()
    let reader = try BackupReader(archive.path, in: storage)
    guard reader.state == .complete, reader.hasFinalManifest, reader.manifest == manifest else {
      throw differs(reader.flaws.first ?? "the manifest is another")
    }
  }

  private func differs(_ reason: String) -> RescueError {
    RescueError(
      .inputOutput, "the backup does not read back as it was written: \(reason)",
      meaning: "no backup was made; the database is untouched",
      advice: "the disk or the memory is failing: choose another vault")
  }
}
