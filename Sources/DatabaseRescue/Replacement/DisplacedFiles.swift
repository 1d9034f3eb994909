// SPDX-License-Identifier: Apache-2.0
// What the files were that a run has displaced, noted beside them: an undo brings back what was there,
// and not what somebody has made of it since.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files that a run has displaced, as they were then.
struct DisplacedFiles: Codable {
  /// One of the files.
  private struct File: Codable, Equatable {
    /// What follows the name of the database in its name.
    let suffix: String
    /// How long it was.
    let byteCount: Int
    /// The SHA-256 of all of it; nil where some of it could not be read.
    let sha256: String?

    func isSame(as other: File) -> Bool {
      byteCount == other.byteCount
        && (sha256 == nil || other.sha256 == nil || sha256 == other.sha256)
    }
  }

  /// What they are noted in, in the folder where they are kept.
  static let name: FilePath = "was-displaced.jsonl"
  /// The files that a page may come from; `-shm` is a cache.
  private static let suffixes = Displacement.suffixes.filter { $0.lowercased() != "-shm" }

  /// The layout of this document that is written.
  private static let version = 1

  /// The layout of this document.
  private var version = Self.version
  /// Whether the database that took their place began empty.
  let beganEmpty: Bool
  private var files: [File] = []
  /// Keeps them open: closing one gives back the locks that this process has on it.
  private var open: [any StoredFile] = []

  private enum CodingKeys: String, CodingKey { case version, beganEmpty, files }

  /// Looks at the files of a database that are in a folder under its name.
  ///
  /// - Throws: ``RescueError`` when the run is to stop.
  init(
    of name: FilePath, in folder: FilePath, beganEmpty: Bool, _ world: World
  ) throws(RescueError) {
    self.beganEmpty = beganEmpty
    guard let entries = try? world.storage.openFolder(folder) else { return }
    for suffix in Self.suffixes {
      let name = name.adding(suffix: suffix)
      // Where a link leads, nothing is displaced.
      guard (try? entries.status(of: name))??.kind == .file,
        let file = try? world.storage.open(folder.appending(name), .read)
      else { continue }
      let digest = try EvidenceDigest(of: file) { (_) throws(RescueError) in
        try world.requireGoingOn()
      }
      files.append(
        File(
          suffix: suffix, byteCount: file.byteCount,
          sha256: digest.isWhole ? digest.digest.description : nil))
      open.append(file)
    }
  }

  /// Notes them, durably as soon as the folder is.
  func write(to folder: FilePath, _ storage: any Storage) throws {
    let file = try storage.open(folder.appending(Self.name), .createNew)
    try file.write(Bytes(JSONEncoder().encode(self)), at: 0)
    try file.synchronize()
  }

  /// What was noted of the files in a folder; nil where earlier versions kept them, which noted
  /// nothing.
  ///
  /// - Throws: ``RescueError`` when that cannot be read.
  init?(notedIn folder: FilePath, _ storage: any Storage) throws(RescueError) {
    let path = folder.appending(Self.name)
    do {
      guard try storage.status(of: path) != nil else { return nil }
      let file = try storage.open(path, .read)
      let bytes = try file.read(at: 0, count: min(file.byteCount, 1 << 16))
      if case .integer(let version) = JSON(reading: bytes)?["version"], version > Self.version {
        throw RescueError.newer(path, meaning: Change.nothing.meaning)
      }
      self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    } catch let error as RescueError {
      throw error
    } catch let error as StorageError {
      throw RescueError(error, doing: "read '\(path)'", meaning: Change.nothing.meaning)
    } catch {
      throw RescueError(
        .invalidInput, "'\(path)' cannot be read: it was changed",
        meaning: "whether the files beside it are those that were displaced is not known; "
          + "nothing was changed",
        advice: "diagnose what is in that folder, and put it back by hand where it is sound")
    }
  }

  /// The names of the files that are not any more what they were, that are gone or that are new.
  func changed(until now: DisplacedFiles, of database: FilePath) -> [FilePath] {
    Self.suffixes.filter { suffix in
      let (then, now) = (file(suffix), now.file(suffix))
      guard let then, let now else { return (then?.byteCount ?? now?.byteCount ?? 0) > 0 }
      return !then.isSame(as: now)
    }.map { database.adding(suffix: $0) }
  }

  private func file(_ suffix: String) -> File? { files.first { $0.suffix == suffix } }
}
