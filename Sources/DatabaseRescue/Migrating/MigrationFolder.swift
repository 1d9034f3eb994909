// SPDX-License-Identifier: Apache-2.0
// A folder of numbered SQL files, read whole and found to make sense before anything runs.

import SQLiteFormat

/// A folder of numbered SQL files, without gaps: version after version.
public struct MigrationFolder: Sendable {
  /// The folder.
  public let path: FilePath
  /// The files, by version.
  public let files: [MigrationFile]

  /// The version that the first file starts from.
  var start: Int { (files.first?.version ?? 1) - 1 }
  /// The version that the last file leads to.
  public var end: Int { files.last?.version ?? 0 }

  /// The largest `user_version`.
  private static let versionMax = Int(Int32.max)

  /// Reads a folder.
  ///
  /// - Throws: ``RescueError`` of the kind `.invalidInput` that names every file that cannot be
  ///   used, and why.
  public init(_ path: FilePath, world: World = World()) throws(RescueError) {
    self.path = path
    var problems: [String] = []
    var files: [MigrationFile] = []
    for name in try Self.names(in: path, world.storage) {
      guard let version = MigrationFile.version(of: name), 1...Self.versionMax ~= version else {
        problems.append(
          "'\(name)' does not begin with the number of a version, as 0004_add_rpe.sql does")
        continue
      }
      guard let bytes = try Self.bytes(of: path.appending(name), world.storage, &problems) else {
        continue
      }
      let file = MigrationFile(bytes, named: name, version: version, problems: &problems)
      if let file { files.append(file) }
    }
    self.files = files.sorted {
      ($0.version, $0.name.description) < ($1.version, $1.name.description)
    }
    problems += Self.problems(in: self.files)
    if self.files.isEmpty, problems.isEmpty {
      problems.append("in '\(path)' is no file whose name ends in .sql")
    }
    try Self.require(problems)
  }

  private static func require(_ problems: [String]) throws(RescueError) {
    guard let first = problems.first else { return }
    throw RescueError(
      .invalidInput, first, meaning: "nothing was done",
      advice: (problems.dropFirst().map { "also: \($0)" } + ["correct the files, then try again"])
        .joined(separator: "\n"))
  }

  /// Gaps and duplicates.
  private static func problems(in files: [MigrationFile]) -> [String] {
    zip(files, files.dropFirst()).compactMap { file, next in
      if next.version == file.version {
        return "'\(file.name)' and '\(next.name)' have the same number"
      }
      guard next.version > file.version + 1 else { return nil }
      return "after '\(file.name)' comes '\(next.name)': there is none for version "
        + "\(file.version + 1)"
    }
  }

  private static func names(
    in folder: FilePath, _ storage: any Storage
  ) throws(RescueError) -> [FilePath] {
    do {
      guard try storage.status(of: folder)?.kind == .folder else {
        throw RescueError(
          .missing, "there is no folder '\(folder)'", meaning: "nothing was done",
          advice: "give the folder of the numbered .sql files")
      }
      return try storage.names(in: folder).filter { name in
        name.bytes.first != UInt8(ascii: ".")
          && FilePath(name.description.lowercased()).hasSuffix(MigrationFile.ending)
      }
    } catch {
      throw RescueError(error, doing: "read '\(folder)'", meaning: "nothing was done")
    }
  }

  /// The bytes of a file; nil, and a problem, where they cannot be had.
  private static func bytes(
    of path: FilePath, _ storage: any Storage, _ problems: inout [String]
  ) throws(RescueError) -> Bytes? {
    do {
      guard try storage.status(of: path)?.kind == .file else {
        problems.append("'\(path.name)' is not a file")
        return nil
      }
      let file = try storage.open(path, .read)
      guard file.byteCount <= MigrationFile.byteCountMax else {
        problems.append("'\(path.name)' is too long for a migration")
        return nil
      }
      return try file.read(at: 0, count: file.byteCount)
    } catch {
      problems.append(RescueError(error, doing: "read '\(path)'").message)
      return nil
    }
  }
}
