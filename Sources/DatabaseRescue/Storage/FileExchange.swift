// SPDX-License-Identifier: Apache-2.0
// New files that take their places together, so that a kill at any moment leaves all of the old
// ones or all of the new ones.
//
// 1. The new files lie complete in a private folder; they and the old ones have second names there.
// 2. A record in that folder says what is exchanged. From here on it is undone by whoever finds it.
// 3. The new files get their names, and the names become durable.
// 4. The record goes: the exchange is done, and the old files go with the private folder.
//
// What a call that fails interrupts is undone at once; what a kill interrupts, when the next
// private folder is made in the same place. A record holds plain names: of files in the private
// folder, and of files beside it.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// New files that take their places together: all of them, or none.
struct FileExchange {
  /// One place, and what is to be there.
  struct Change {
    /// The place.
    let path: FilePath
    /// The new file, in the private folder; nil when the place is to be empty.
    let new: FilePath?
  }

  /// A change as it is recorded.
  private struct Entry: Codable {
    /// Bytes, as a name need not be text.
    let name: [UInt8]
    let new: [UInt8]?
    let hadOld: Bool
  }

  /// A change with everything that undoing it takes.
  private struct Step {
    let path: FilePath
    let new: FilePath?
    let hadOld: Bool
    /// The second name of the old file.
    let kept: FilePath
    /// The second name of the new file, which takes the place of an old one.
    let next: FilePath
  }

  private static let record: FilePath = "exchange.json"

  private let folder: FilePath
  private let storage: any Storage
  private let steps: [Step]

  private init(
    _ entries: [(FilePath, FilePath?, Bool)], in folder: FilePath, _ storage: any Storage
  ) {
    self.folder = folder
    self.storage = storage
    steps = entries.enumerated().map { index, entry in
      Step(
        path: entry.0, new: entry.1, hadOld: entry.2,
        kept: folder.appending(FilePath("old-\(index)")),
        next: folder.appending(FilePath("next-\(index)")))
    }
  }

  /// Carries out changes, in their order.
  ///
  /// Unless `replacing`, a place that is taken is an error. Places in other folders than that of
  /// the private folder are exchanged all the same, but nobody undoes them after a kill.
  ///
  /// - Throws: ``StorageError``; everything is then as it was. Where that could not be seen to,
  ///   ``RescueError``, which says so: it is as it was when the next private folder has been made in
  ///   the same place.
  static func carryOut(
    _ changes: [Change], replacing: Bool, in folder: borrowing PrivateFolder, _ storage: any Storage
  ) throws {
    var entries: [(FilePath, FilePath?, Bool)] = []
    for change in changes {
      let isTaken = try isTaken(change.path, storage)
      if isTaken || change.new != nil { entries.append((change.path, change.new, isTaken)) }
    }
    let exchange = FileExchange(entries, in: folder.path, storage)
    do throws(StorageError) {
      try exchange.prepare(replacing)
      for step in exchange.steps { try exchange.carryOut(step, replacing) }
      try exchange.synchronizePlaces()
      try exchange.close()
    } catch {
      let failure = error
      do throws(StorageError) { try exchange.undo() } catch {
        // What cannot be undone now is undone with the folder.
        throw RescueError(failure, leaving: exchange.steps.map(\.path))
      }
      throw failure
    }
  }

  /// Undoes what the owner of a private folder has not finished; does nothing where there is none.
  static func undo(
    in folder: any StoredFolder, of place: any StoredFolder, _ storage: any Storage
  ) throws(StorageError) {
    guard try folder.status(of: record) != nil else { return }
    let entries: [Entry]
    do {
      let bytes = try folder.open(record).read(at: 0, count: 1 << 16)
      entries = try JSONDecoder().decode([Entry].self, from: Data(bytes))
    } catch {
      throw StorageError(operation: "read", path: folder.path.appending(record), errno: 5)
    }
    let all = entries.compactMap { entry -> (FilePath, FilePath?, Bool)? in
      guard let name = FilePath(plain: entry.name) else { return nil }
      let new = entry.new.flatMap { FilePath(plain: $0) }.map(folder.path.appending)
      return (place.path.appending(name), new, entry.hadOld)
    }
    try FileExchange(all, in: folder.path, storage).undo()
  }

  // MARK: Stages

  private func prepare(_ replacing: Bool) throws(StorageError) {
    for step in steps {
      if let new = step.new {
        try storage.open(new, .readWrite).synchronize()
        if replacing { _ = try storage.link(new, to: step.next) }
      }
      // Where files have one name only, the old one moves when its turn comes.
      if replacing, step.hadOld { _ = try storage.link(step.path, to: step.kept) }
    }
    // Somewhere else than beside the folder, there is nobody who would find a record.
    if steps.allSatisfy({ $0.path.folder == folder.folder }) { try writeRecord() }
    try storage.synchronizeFolder(folder)
  }

  private func writeRecord() throws(StorageError) {
    let entries = steps.map { step in
      Entry(
        name: step.path.name.bytes, new: step.new?.name.bytes, hadOld: step.hadOld)
    }
    guard let bytes = try? JSONEncoder().encode(entries) else { return }
    let partial = folder.appending(Self.record).adding(suffix: ".partial")
    let file = try storage.open(partial, .createNew)
    try file.write(Bytes(bytes), at: 0)
    try file.synchronize()
    try storage.rename(partial, to: folder.appending(Self.record))
  }

  private func carryOut(_ step: Step, _ replacing: Bool) throws(StorageError) {
    guard replacing else {
      if let new = step.new { try putInFreePlace(new, step.path) }
      return
    }
    if step.hadOld, try storage.status(of: step.kept) == nil {
      try storage.rename(step.path, to: step.kept)
    }
    guard let new = step.new else { return try storage.remove(step.path) }
    let hasNext = try storage.status(of: step.next) != nil
    try storage.rename(hasNext ? step.next : new, to: step.path)
  }

  private func putInFreePlace(_ new: FilePath, _ path: FilePath) throws(StorageError) {
    if try storage.link(new, to: path) { return }
    if try Self.isTaken(path, storage) {
      throw StorageError(operation: "rename to", path: path, errno: StorageError.exists)
    }
    try storage.rename(new, to: path)
  }

  private func close() throws(StorageError) {
    try storage.remove(folder.appending(Self.record))
    try storage.synchronizeFolder(folder)
  }

  private func undo() throws(StorageError) {
    for step in steps.reversed() { try undo(step) }
    try synchronizePlaces()
    try close()
  }

  private func undo(_ step: Step) throws(StorageError) {
    let present = try storage.openFolder(step.path.folder).status(of: step.path.name)
    let isNew = if let present { try isNew(present, step) } else { false }
    let inner = try storage.openFolder(folder)
    guard let kept = try inner.status(of: step.kept.name) else {
      // Nothing was there, or what was there has not been touched.
      if !step.hadOld, isNew { try storage.remove(step.path) }
      return
    }
    if let present, present.identity == kept.identity { return }
    guard isNew || present == nil else {
      // Somebody made another one meanwhile. Neither of the two may go.
      throw StorageError(operation: "rename to", path: step.path, errno: StorageError.exists)
    }
    try storage.rename(step.kept, to: step.path)
  }

  /// Whether what is in a place is the new file, which keeps its name in the folder where files can
  /// have two.
  private func isNew(_ present: FileStatus, _ step: Step) throws(StorageError) -> Bool {
    guard let new = step.new else { return false }
    guard let status = try storage.status(of: new) else { return true }
    return status.identity == present.identity
  }

  private func synchronizePlaces() throws(StorageError) {
    for folder in Set(steps.map(\.path.folder)) { try storage.synchronizeFolder(folder) }
  }

  private static func isTaken(
    _ path: FilePath, _ storage: any Storage
  ) throws(StorageError) -> Bool {
    do throws(StorageError) {
      return try storage.openFolder(path.folder).status(of: path.name) != nil
    } catch  where error.cause == .missing {
      return false
    }
  }
}

extension RescueError {
  /// The error of an exchange that failed, and could not be undone.
  fileprivate init(_ failure: StorageError, leaving places: [FilePath]) {
    self.init(failure)
    let names = places.map { "'\($0)'" }.joined(separator: " and ")
    change = Change(
      .addition,
      "it could not be seen to that \(names) \(places.count == 1 ? "is as it was" : "are as they were")",
      next: "once the disk works, give the same command again: it takes back what was begun")
  }
}

extension FilePath {
  /// A plain name; nil for one that leads anywhere.
  fileprivate init?(plain name: [UInt8]) {
    self.init(bytes: name)
    guard !bytes.isEmpty, self != ".", self != "..", !bytes.contains(UInt8(ascii: "/")) else {
      return nil
    }
  }
}
