// SPDX-License-Identifier: Apache-2.0
// Replacing the content of a database through SQLite, as one transaction, under whose lock the old
// content is kept first: no commit of another process falls between the two.

import Diagnosis
import SQLiteFormat

extension Replacement.Method {
  /// How a database is to be replaced by one with pages of this size.
  ///
  /// From within where SQLite would see the same database that we have read, and can change it. The
  /// files of a damaged one are evidence and move as they are; and so do those beside which
  /// SQLite would take a log for its own that belongs to another one, would not see what we do, or
  /// would play back a journal. A file that nobody may write to is replaced by another one, and so
  /// is one where the disk has room for nothing else.
  init(
    replacing examination: Examination, in input: InputFiles, byPagesOf newPageSize: Int?,
    ofByteCount newByteCount: Int? = nil, storage: any Storage
  ) {
    let survey = examination.survey
    let journal = try? JournalInPlace(beside: input.main, in: storage)
    let status = try? storage.status(of: input.main)
    let canOpen =
      examination.verdict.isStructureSound && input.hasUsualNames && journal != nil
      && journal != .hot && status.map { $0.mode & 0o222 != 0 } ?? true
    // SQLite cannot change the page size of a database in WAL mode.
    let pageSize = survey.geometry?.geometry.pageSize
    let fits = survey.header?.isWAL != true || newPageSize == nil || newPageSize == pageSize
    let hasRoom =
      newByteCount.map { count in
        let needed = Self.transaction.room(for: count, over: status?.byteCount ?? 0)
        return (try? storage.freeBytes(at: input.main.folder)).map { needed <= $0 } ?? true
      } ?? true
    self =
      canOpen && fits && hasRoom && survey.image?.isAsSQLiteSeesIt == true ? .transaction : .move
  }
}

extension Image {
  /// Whether SQLite does with the log what was done here.
  fileprivate var isAsSQLiteSeesIt: Bool {
    switch wal {
    case .absent, .empty: true
    // Behind a break there may be transactions that SQLite would write over.
    case .applied(let log): log.commitsAfterBreak == 0 && log.continued.isEmpty
    case .foreign, .outdated, .contradictory, .unusable: false
    }
  }
}

extension Replacement {
  func installThroughSQLite(
    over state: DatabaseState?, asWAL isWAL: Bool?, _ wait: Duration,
    _ last: (FilePath?) throws(RescueError) -> Void
  ) throws(RescueError) {
    let quarantine = folder.quarantine(code)
    let kept = quarantine.appending(folder.database.name)
    // Not a page is written before there is a copy.
    var isKept = false
    do {
      try writePlan()
      try world.storage.createFolder(quarantine)
      // Closing it gives SQLite's locks back, and so it stays open until they are not needed.
      let old = try world.storage.open(folder.database, .read)
      var present: DatabaseState?
      try withExtendedLifetime(old) {
        try OnlineBackup.copy(from: newFile, into: folder.database, asWAL: isWAL, wait: wait) {
          () throws(RescueError) in
          present = try require(state)
          try keep(old, as: kept, wait, last)
          isKept = true
        }
      }
      withExtendedLifetime(present) {}
    } catch {
      var error = RescueError(error, doing: "replace '\(folder.database)'")
      error.change = isKept ? changeFromWithin(kept) : .nothing
      try abandon(after: error)
    }
    do { try clear() } catch {
      var error = RescueError(error)
      error.change = folder.replaced(code)
      throw error
    }
  }

  /// Copies the old database, to which nobody can write meanwhile, into quarantine.
  private func keep(
    _ old: any StoredFile, as kept: FilePath, _ wait: Duration,
    _ last: (FilePath?) throws(RescueError) -> Void
  ) throws(RescueError) {
    let partial = kept.adding(suffix: RescueFolder.partialSuffix)
    do {
      let header = DatabaseHeader(try old.read(at: 0, count: DatabaseHeader.byteCount))
      if header?.isWAL == true {
        _ = try world.storage.open(partial, .createNew)
        try OnlineBackup.image(
          of: folder.database, into: partial, wait: wait, isCancelled: world.isCancelled)
        try world.storage.open(partial, .readWrite).synchronize()
      } else {
        // Nobody can even read it now. It has no journal that would count, and none was begun.
        try copy(old, to: partial)
      }
      try world.storage.rename(partial, to: kept)
      _ = try noteDisplaced(in: kept.folder)
      try world.storage.synchronizeFolder(kept.folder)
      // In WAL mode others can read; a copy would need a log of its own beside it.
      try last(header?.isWAL == true ? folder.database : kept)
      try world.requireGoingOn()
    } catch {
      throw RescueError(error, doing: "keep a copy of '\(folder.database)'")
    }
  }

  /// Ends a replacement that failed, and removes the copy of what is still in its place.
  ///
  /// - Throws: The error that led here, which says what has become of the database.
  private func abandon(after error: RescueError) throws(RescueError) -> Never {
    if error.change?.extent == .nothing { folder.removeQuarantine(code.description, world.storage) }
    // A plan that stays is finished by the next run.
    try? clear()
    throw error
  }

  /// What has become of the database, as its pages tell.
  ///
  /// A transaction that failed has not happened, as far as SQLite could see to it. Where the disk
  /// fails as well, or only making it durable has failed, that is not certain.
  private func changeFromWithin(_ kept: FilePath) -> Change {
    let (then, new) = (image(kept), image(newFile))
    guard let now = image(folder.database) else { return uncertain(kept) }
    if let then, now.holdsSamePages(as: then) { return .nothing }
    return if let new, now.holdsSamePages(as: new) { folder.replaced(code) } else {
      uncertain(kept)
    }
  }

  private func uncertain(_ kept: FilePath) -> Change {
    Change(
      .unknown,
      "it cannot be told whether the database was replaced; a copy of what it was is '\(kept)'",
      next: "dbrescue diagnose \(folder.database.shellQuoted)")
  }

  /// A database as it is now, whoever wishes the run to stop.
  private func image(_ path: FilePath) -> Image? {
    let world = world.unstoppable
    return try? world.survey(InputFiles(path, storage: world.storage).open(in: world)).image
  }
}

extension Image {
  /// Whether every page is the same, but for what SQLite counts changes and versions with.
  fileprivate func holdsSamePages(as other: Image) -> Bool {
    guard pageCount == other.pageCount, geometry.pageSize == other.geometry.pageSize else {
      return false
    }
    return pages.allSatisfy { number in
      guard var mine = try? bytes(of: number), var its = try? other.bytes(of: number) else {
        return false
      }
      guard number == .first, mine.count >= DatabaseHeader.byteCount, mine.count == its.count else {
        return mine == its
      }
      for range in DatabaseHeader.counters + [DatabaseHeader.versions] {
        mine.replaceSubrange(range, with: repeatElement(0, count: range.count))
        its.replaceSubrange(range, with: repeatElement(0, count: range.count))
      }
      return mine == its
    }
  }
}
