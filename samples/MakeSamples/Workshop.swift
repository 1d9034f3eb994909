// SPDX-License-Identifier: Apache-2.0
// The healthy databases that samples start from, and the tools that change them.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat

/// The files of one sample by what follows its name: the database under the empty suffix, `-wal`,
/// `-journal`.
typealias SampleFiles = [String: Bytes]

/// Makes the files of samples.
final class Workshop {
  /// Small pages, so that a small database has trees of several levels.
  static let pageSize = 1024

  /// A healthy database of the newest version.
  let healthy: Bytes
  private let scratch: ScratchFolder
  private let pages: [Oracle.Page]

  init() throws {
    scratch = try ScratchFolder()
    let path = scratch["healthy.db"]
    try Self.create(path, version: 4)
    healthy = try path.contents()
    pages = try Oracle(path).pages
  }

  private static func create(_ path: FilePath, version: Int) throws {
    try FitnessLog.create(path, version: version, workouts: 18, seed: 4, pageSize: pageSize)
  }

  /// A database of a version, changed by a body while it is closed.
  func database(
    version: Int = 4, _ change: (FilePath) throws -> Void = { _ in }
  ) throws -> SampleFiles {
    let path = scratch["work.db"]
    try path.removeFileSet()
    try Self.create(path, version: version)
    try change(path)
    var files: SampleFiles = [:]
    for suffix in [""] + FilePath.journalSuffixes where try path.adding(suffix: suffix).exists {
      files[suffix] = try path.adding(suffix: suffix).contents()
    }
    // SQLite draws these by chance; samples have the same bytes on every run.
    files["-wal"] = files["-wal"].map { JournalBytes.withSalts((0x5A17, 0x5EED), wal: $0) }
    files["-journal"] = files["-journal"].map { JournalBytes.withNonce(0x5EED, journal: $0) }
    return files
  }

  /// A database of a version, changed by SQL.
  func database(version: Int = 4, sql: String) throws -> SampleFiles {
    try database(version: version) { path in
      let connection = try Connection(path, mode: .readWrite, schemaBy: .us)
      try connection.execute("PRAGMA secure_delete = OFF; \(sql)")
    }
  }

  /// The healthy database with some damage.
  func damaged(_ damage: Damage) throws -> SampleFiles {
    try Self.damaged(healthy, damage)
  }

  /// Bytes with some damage, which must show.
  static func damaged(_ bytes: Bytes, _ damage: Damage) throws -> SampleFiles {
    let result = damage.applied(to: bytes, pageSize: pageSize)
    guard result != bytes else { throw UnfitFixture("'\(damage)' changes nothing") }
    return ["": result]
  }

  /// The root page of a table or index of the healthy database.
  func root(of object: String) throws -> Int {
    try page(of: object, "internal", at: 0)
  }

  /// A page of the healthy database, by its place among those of its kind in their tree.
  func page(of object: String, _ kind: String, at place: Int) throws -> Int {
    let found = pages.filter { $0.object == object && $0.kind == kind }
    guard found.indices.contains(place) else {
      throw UnfitFixture("\(object) has only \(found.count) \(kind) pages")
    }
    return found[place].number
  }

  /// A page of an overflow chain that is not its last.
  func overflowPage(of object: String) throws -> Int {
    let page = pages.first {
      $0.object == object && $0.kind == "overflow"
        && healthy.bigEndian(at: ($0.number - 1) * Self.pageSize) != 0
    }
    guard let page else { throw UnfitFixture("\(object) has no chain of two overflow pages") }
    return page.number
  }

  /// Where the lowest byte of a rowid lies in an index: at the end of a leaf's first entry.
  func rowIDByte(ofIndex index: String) throws -> Int {
    let start = (try page(of: index, "leaf", at: 1) - 1) * Self.pageSize
    let cell = start + healthy.bigEndian16(at: start + 8)
    return cell + Int(healthy[cell])
  }
}
