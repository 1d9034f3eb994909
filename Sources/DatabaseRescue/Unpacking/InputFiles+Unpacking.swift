// SPDX-License-Identifier: Apache-2.0
// A database that came in an archive, read from a private copy.

import Diagnosis
import SQLiteFormat

extension InputFiles {
  /// The same files; where the main file is a gzip, zip or tar archive with one database in it, that
  /// database with the journals beside it, as private files that go with the value.
  ///
  /// Of an archive that is cut off or damaged, what can be had is read. An archive in which there is
  /// nothing to read is given back as it is, and so is a backup of ours, which `restore` takes.
  ///
  /// - Throws: ``RescueError`` when the archive holds more than one database, or is locked, and when
  ///   more comes out of it than `World.pipeByteCountMax` or the disk allows.
  package func unpacked(in world: World) throws(RescueError) -> InputFiles {
    guard packing == nil else { return self }
    do {
      let source = try world.storage.open(main, .read)
      guard let kind = Packing.Kind(try head(of: source)) else { return self }
      var unpacking = Unpacking(main, kind, in: HeldFolder(try PrivateFolder(world: world)), world)
      guard let (database, packing) = try unpacking.run(on: source) else { return self }
      return try unpacked(to: database, packing, in: unpacking.folder, storage: world.storage)
    } catch {
      throw RescueError(error, doing: "unpack '\(main)'", meaning: "nothing was changed")
    }
  }

  /// The beginning of a file; nothing where the disk does not hand it out, which is no matter of archives.
  private func head(of source: any PageSource) throws(ReadFailure) -> Bytes {
    do {
      return try source.read(at: 0, count: 512)
    } catch {
      if error.isStop { throw error }
      return []
    }
  }
}

extension Packing.Kind {
  /// What archive begins like this; nil for none, and for a backup of ours.
  fileprivate init?(_ head: Bytes) {
    if head.matches([0x1F, 0x8B]) {
      guard !head.matches(Bytes("DR".utf8), at: 12) else { return nil }
      self = .gzip
    } else if head.matches(Bytes("PK\u{3}\u{4}".utf8)) {
      self = .zip
    } else if TarFile.begins(head) {
      self = .tar
    } else {
      return nil
    }
  }
}

/// The unpacking of one archive.
private struct Unpacking {
  /// What is left free on the disk.
  private static let reserve = 1 << 24
  /// How many names an error tells.
  private static let namesMax = 5

  let folder: HeldFolder
  private let archive: FilePath
  private let kind: Packing.Kind
  private let world: World
  private var byteCountLeft = 0
  /// What is wrong with the archive.
  private var damage: String?

  init(_ archive: FilePath, _ kind: Packing.Kind, in folder: HeldFolder, _ world: World) {
    (self.archive, self.kind, self.folder, self.world) = (archive, kind, folder, world)
  }

  /// Unpacks the database; nil where there is nothing.
  mutating func run(on source: any PageSource) throws -> (FilePath, Packing)? {
    let free = try world.storage.freeBytes(at: folder.folder.path) - Self.reserve
    byteCountLeft = min(world.pipeByteCountMax, max(free, 0))
    switch kind {
    case .zip:
      let zip = try ZipFile(source)
      damage = zip.damage
      return try take(from: zip.files, in: source)
    case .tar: return try take(from: TarFile(source), in: source)
    case .gzip:
      let name = archive.name.withoutEndingOfGzip
      let file = folder.folder.file(name)
      guard try copy(GunzipStream(source), to: file) > 0 else { return nil }
      let unzipped = try world.storage.open(file, .read)
      guard TarFile.begins(try unzipped.read(at: 0, count: 512)) else {
        return (file, packing(.gzip, of: name))
      }
      let taken = try take(from: TarFile(unzipped), in: unzipped)
      try world.storage.remove(file)
      return taken
    }
  }

  private func packing(_ kind: Packing.Kind, of member: FilePath) -> Packing {
    Packing(
      kind: kind, archive: archive.name.description, member: member.description, damage: damage)
  }

  private mutating func take(
    from tar: TarFile, in source: any PageSource
  ) throws -> (FilePath, Packing)? {
    damage = damage ?? tar.damage
    return try take(from: tar.files, in: source)
  }

  /// Unpacks the one database among files, with what lies beside it; nil where there is nothing.
  private mutating func take(
    from files: [ArchivedFile], in source: any PageSource
  ) throws -> (FilePath, Packing)? {
    let files = files.filter { !$0.isOfSystem }
    guard let file = try database(among: files, in: source), let name = file.name else {
      return nil
    }
    try requireReadable(file)
    let path = folder.folder.path.appending("unpacked").appending(name)
    try world.storage.createFolder(path.folder)
    guard try copy(file, in: source, to: path) > 0 else { return nil }
    for suffix in FilePath.journalSuffixes + ["-shm"] {
      let beside = file.place + Bytes(suffix.utf8)
      guard let journal = files.last(where: { $0.place == beside }) else { continue }
      try requireReadable(journal)
      _ = try copy(journal, in: source, to: path.adding(suffix: suffix))
    }
    return (path, packing(kind == .zip ? .zip : .tar, of: FilePath(bytes: file.path)))
  }

  /// The file that is a database, or that can be nothing else; nil where nothing is.
  private func database(
    among files: [ArchivedFile], in source: any PageSource
  ) throws -> ArchivedFile? {
    let databases = try files.filter { file in
      try world.requireGoingOn()
      if file.method == .locked || file.method == .other { return file.hasNameOfDatabase }
      let head = try ArchivedFileStream(file.beginning, in: source)?.head() ?? []
      return head.matches(Bytes("SQLite format 3\0".utf8))
    }
    if databases.isEmpty {
      let others = files.filter(\.hasNameOfDatabase)
      return others.count == 1 ? others[0] : files.count == 1 ? files[0] : nil
    }
    guard databases.count == 1 else {
      let names = databases.prefix(Self.namesMax).map {
        "'\(PlainName(FilePath(bytes: $0.path)))'"
      }
      throw RescueError(
        .invalidInput,
        "'\(archive)' holds \(databases.count) databases: \(names.joined(separator: ", "))"
          + (databases.count > names.count ? ", …" : ""),
        meaning: "which of them is meant is not known; nothing was changed",
        advice: "unpack it, and give one of them")
    }
    return databases[0]
  }

  private func requireReadable(_ file: ArchivedFile) throws(RescueError) {
    guard file.method == .locked || file.method == .other else { return }
    throw RescueError(
      .invalidInput,
      file.method == .locked
        ? "'\(archive)' is locked with a password"
        : "'\(archive)' is packed in a way that is not read here",
      meaning: "its database is not damaged as far as anyone can tell; nothing was changed",
      advice: "unpack it, and give the database")
  }

  private mutating func copy(
    _ file: ArchivedFile, in source: any PageSource, to path: FilePath
  ) throws -> Int {
    guard let stream = ArchivedFileStream(file, in: source) else {
      throw RescueError(.internal, "there is no memory to unpack '\(archive)'")
    }
    return try copy(stream, to: path)
  }

  /// Writes what comes, as far as it comes.
  private mutating func copy(_ stream: some PieceStream, to path: FilePath) throws -> Int {
    let file = try world.storage.open(path, .createNew)
    var byteCount = 0
    do {
      while let bytes = try stream.next() {
        try world.requireGoingOn()
        byteCountLeft -= bytes.count
        guard byteCountLeft >= 0 else { throw tooLong }
        try file.write(bytes, at: byteCount)
        byteCount += bytes.count
      }
    } catch let failure as GunzipStream.Failure {
      switch failure {
      case .unreadable(let failure): throw failure
      case .memory: throw RescueError(.internal, "there is no memory to unpack '\(archive)'")
      case .cut: damage = "the archive is cut off, and its database with it"
      case .damaged, .notGzip: damage = damage ?? "the archive is damaged"
      }
    }
    return byteCount
  }

  private var tooLong: RescueError {
    RescueError(
      .invalidInput,
      "more comes out of '\(archive)' than \(world.pipeByteCountMax >> 20) MiB, or than fits in "
        + "'\(PrivateFolder.place(in: world))'",
      meaning: "an archive is unpacked into a private file first; nothing was changed",
      advice: "raise the limit with --max-size, set TMPDIR to another folder, or unpack it")
  }
}

extension PieceStream {
  /// The first bytes; fewer where there are no more.
  ///
  /// - Throws: ``ReadFailure`` when the archive cannot be read, which says nothing of what is in it.
  fileprivate func head() throws(ReadFailure) -> Bytes {
    do {
      return try next() ?? []
    } catch {
      guard case .unreadable(let failure) = error else { return [] }
      throw failure
    }
  }
}

extension ArchivedFile {
  /// How much of it is read to tell what it is.
  private static let beginningByteCount = 4096

  /// As much of it as tells what it is.
  fileprivate var beginning: ArchivedFile {
    ArchivedFile(
      path: path, range: range.prefix(Self.beginningByteCount), method: method, isCut: true)
  }

  fileprivate var hasNameOfDatabase: Bool {
    Packing.endingsOfDatabases.contains { name?.hasSuffix($0) ?? false }
  }
}

extension FilePath {
  /// The name of what a gzip file holds.
  fileprivate var withoutEndingOfGzip: FilePath {
    for (ending, rest) in [(".gz", ""), (".tgz", ".tar"), (".gzip", "")] where hasSuffix(ending) {
      let name = bytes.dropLast(ending.utf8.count)
      if !name.isEmpty { return FilePath(bytes: name).adding(suffix: rest) }
    }
    return self
  }
}
