// SPDX-License-Identifier: Apache-2.0
// The database that our own reader makes of the files, against the copy that SQLite makes of them.

internal import Diagnosis
internal import SQLiteFormat

/// The database that our own reader makes of the files of one moment.
struct ExaminedImage {
  /// The files, as they were before they were read.
  private let files: DatabaseFiles
  /// The database; nil where SQLite is not given these very files.
  private let image: Image?
  /// Why SQLite must not open the database; nil where it may.
  let reasonNotToOpen: String?

  /// The name of the check that the copy is the database that was examined.
  static let asExamined = "as examined"
  /// How often files are read that change meanwhile.
  private static let readingsMax = 3

  /// Reads the files; one that is in use may change meanwhile, and nothing is said of it then.
  ///
  /// - Throws: ``RescueError`` when they cannot be opened.
  init(_ path: FilePath, in world: World) throws(RescueError) {
    for _ in 0..<Self.readingsMax {
      let found = try Self(DatabaseFiles(path, in: world.storage), in: world)
      if let found {
        self = found
        return
      }
    }
    self = try Self(unknown: path, world)
  }

  /// Reads the files; nil where they change meanwhile.
  private init?(_ files: DatabaseFiles, in world: World) throws(RescueError) {
    let found: (image: Image?, reason: String?)?
    do throws(RescueError) { found = try Self.survey(files, in: world) } catch {
      // One that was made shorter meanwhile ends before it should.
      guard try files.areUnchanged(in: world.storage) else { return nil }
      throw error
    }
    guard let found, try files.areUnchanged(in: world.storage) else { return nil }
    self.files = files
    // Where our own reader makes the copy, there is nothing to compare.
    image = try files.needPrivateCopy(in: world.storage) ? nil : found.image
    reasonNotToOpen = found.reason
  }

  /// Says nothing of a database that somebody writes to all the time.
  private init(unknown path: FilePath, _ world: World) throws(RescueError) {
    files = try DatabaseFiles(path, in: world.storage)
    image = nil
    reasonNotToOpen = nil
  }

  /// The database, and what speaks against giving it to SQLite; nil where the files change already
  /// while their log or journal is looked at.
  private static func survey(
    _ files: DatabaseFiles, in world: World
  ) throws(RescueError) -> (image: Image?, reason: String?)? {
    let set = try files.input.open(in: world)
    let header = (try? set.main.read(at: 0, count: DatabaseHeader.byteCount))
      .flatMap { DatabaseHeader($0) }
    let image = header?.geometry.map { Image(set, geometry: $0) }
    if image?.missingLog != nil {
      return (image, "its -wal is missing, and SQLite would remove the -shm that tells of it")
    }
    do {
      if let header, let other = try set.neighboursBehind(header).first {
        return (image, "\(other.message); SQLite would leave it out")
      }
    } catch {
      throw RescueError(error, in: files.path)
    }
    guard files.sidecars.contains(.wal) || image?.hotJournal != nil || hasStrangeJournal(set) else {
      return (image, nil)
    }
    if let image, image.isLogProven { return (image, nil) }
    // A mixture of two states proves nothing, and takes long to be put in order.
    guard try files.areUnchanged(in: world.storage) else { return nil }
    let survey = try world.survey(set)
    if let fault = survey.journalFault { return (survey.image, fault) }
    guard let suffix = survey.misleadingSidecar else { return (survey.image, nil) }
    return (
      survey.image, "the \(suffix) may be that of another database, and SQLite would apply it"
    )
  }

  /// Whether a journal lies beside the database that begins neither as one does nor with the zeros of one
  /// that is kept between transactions.
  private static func hasStrangeJournal(_ files: FileSet) -> Bool {
    let size = RollbackJournal.magic.count
    guard let bytes = try? files.journal?.read(at: 0, count: size), bytes.count == size else {
      return false
    }
    return !bytes.matches(RollbackJournal.magic) && bytes.contains { $0 != 0 }
  }

  /// What is to be said of a copy that SQLite has made: nil where it is the same, or where somebody
  /// has written to the files meanwhile.
  ///
  /// - Throws: ``RescueError`` when the files cannot be looked at, or the copy not be read: that
  ///   says nothing of what it holds.
  func check(
    of copy: any PageSource, in storage: any Storage
  ) throws(RescueError) -> BackupManifest.Check? {
    guard let image, image.files.failures.count == 0 else { return nil }
    do throws(ReadFailure) {
      if try isEqual(image, to: copy) { return nil }
      // What a writer has just put into the log, it shows to others a moment later.
      if let before = image.beforeLastCommit, try isEqual(before, to: copy) { return nil }
    } catch {
      guard try files.areUnchanged(in: storage) else { return nil }
      throw RescueError(error, in: files.path)
    }
    guard image.files.failures.count == 0, try files.areUnchanged(in: storage) else { return nil }
    return BackupManifest.Check(
      Self.asExamined, passed: false,
      detail: "what SQLite reads of the files is not what they hold")
  }

  private func isEqual(
    _ image: Image, to copy: any PageSource
  ) throws(ReadFailure) -> Bool {
    let size = image.geometry.pageSize
    let stated = image.header?.countedPages
    let count = min(stated ?? image.pageCount, image.pageCount)
    guard copy.byteCount >= count * size else { return false }
    for number in 1...max(1, count) {
      guard let page = PageNumber(number), page != image.geometry.lockBytePage,
        let ours = try? image.bytes(of: page)
      else { continue }
      let theirs = try copy.read(at: (number - 1) * size, count: size)
      guard page == .first ? isFirstPage(theirs, ours) : theirs == ours else { return false }
    }
    return true
  }

  /// Whether two first pages differ in nothing but what SQLite changes when it copies: the version
  /// of the format, the change counter, the page count, the schema cookie, and by whom it was written.
  private func isFirstPage(_ copy: Bytes, _ page: Bytes) -> Bool {
    guard copy.count == page.count else { return false }
    let changed = DatabaseHeader.counters + [DatabaseHeader.versions, 28..<32]
    return copy.indices.allSatisfy { index in
      copy[index] == page[index] || changed.contains { $0.contains(index) }
    }
  }
}
