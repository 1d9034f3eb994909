// SPDX-License-Identifier: Apache-2.0
// Which files a database has been migrated with: one line of JSON each, beside its backups, so that
// nothing is added to the app's schema.

import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which files a database has been migrated with.
///
/// A line is only ever added, and the last one of a version counts. The database itself depends on
/// nothing in it: without the record, files that were applied are taken as they are, and are in the
/// record from the next migration on.
struct MigrationLedger {
  private struct Entry: Codable {
    let version: Int
    let name: String
    let digest: Digest
    let date: Date
  }

  private let folder: RescueFolder
  private let storage: any Storage
  private let entries: [Int: Entry]

  private var path: FilePath { Self.path(in: folder) }

  /// Where the record of a database lies.
  static func path(in folder: RescueFolder) -> FilePath {
    folder.path.appending("migrations.jsonl")
  }

  /// Reads the record of a database; an empty one where there is none, or it cannot be read.
  init(of folder: RescueFolder, _ storage: any Storage) {
    self.folder = folder
    self.storage = storage
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let file = try? storage.open(Self.path(in: folder), .read)
    let bytes = file.flatMap { try? $0.read(at: 0, count: $0.byteCount) } ?? []
    entries = bytes.split(separator: UInt8(ascii: "\n"))
      .compactMap { try? decoder.decode(Entry.self, from: Data($0)) }
      .reduce(into: [:]) { $0[$1.version] = $1 }
  }

  /// Refuses files that have been applied and are other ones now.
  ///
  /// - Throws: ``RescueError`` of the kind `.invalidInput`.
  func requireUnedited(
    _ files: [MigrationFile], appliedUpTo version: Int
  ) throws(RescueError) {
    let edited = files.filter { file in
      guard file.version <= version, let entry = entries[file.version] else { return false }
      return entry.digest != file.digest
    }
    guard let first = edited.first, let entry = entries[first.version] else { return }
    throw RescueError(
      .invalidInput,
      "'\(first.name)' was applied to this database at \(entry.date.formatted(.iso8601)), and has "
        + "been edited since",
      meaning: "databases that have it and those that get it now would differ; nothing was done",
      advice: (edited.dropFirst().map { "also: '\($0.name)'" } + [
        "bring the file back as it was, and write the change as a file with the next number",
        "where the change does not matter, remove '\(path)': nothing is known of applied files then",
      ]).joined(separator: "\n"))
  }

  /// Notes the files that a database has been migrated with, and those before of which nothing is
  /// known.
  ///
  /// - Throws: ``RescueError`` when they cannot be written.
  func add(
    _ files: [MigrationFile], from start: Int, upTo version: Int, at date: Date
  ) throws(RescueError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let new = files.filter {
      $0.version <= version && ($0.version > start || entries[$0.version] == nil)
    }
    guard !new.isEmpty else { return }
    do {
      var lines = Bytes()
      for file in new {
        let entry = Entry(
          version: file.version, name: file.name.description, digest: file.digest,
          date: date.wholeSeconds)
        lines += Bytes(try encoder.encode(entry)) + [UInt8(ascii: "\n")]
      }
      try folder.requireNoLinks(storage)
      try storage.createFolder(folder.path)
      try storage.append(lines: lines, to: path)
    } catch {
      throw RescueError(
        error, doing: "note in '\(path)' which files were applied",
        meaning: "it will not be noticed when they are edited")
    }
  }
}
