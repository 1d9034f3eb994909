// SPDX-License-Identifier: Apache-2.0
// All scenes by somebody who has not read how causes are judged, and what several of them need.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

extension Scene {
  static let blind: [Scene] =
    blindInterrupted + blindCopied + blindSidecars + blindTransfer + blindStrange + blindWritten
    + blindWriters + blindKeys + blindInTime + blindSchema + blindIndexes + blindSound
}

extension Stage {
  /// Has the program write, and tells everything that SQLite did to the folder for it.
  func record(_ statements: [String]) throws -> (disk: SimulatedDisk, operations: [DiskOperation]) {
    let recorder = try DiskRecorder(folder)
    try recorder.watch {
      let connection = try Connection(database, mode: .app)
      for statement in statements { try connection.execute(statement) }
    }
    return (recorder.start, recorder.operations)
  }

  /// Makes the folder hold what a disk holds.
  func become(_ disk: SimulatedDisk) throws {
    let copy = wings.appending("disk")
    try SystemStorage().createFolder(copy)
    try disk.write(to: copy)
    for name in try SystemStorage().names(in: folder) {
      try SystemStorage().remove(folder.appending(name))
    }
    for name in try SystemStorage().names(in: copy) {
      try folder.appending(name).replaceContents(with: copy.appending(name).contents())
    }
  }

  /// Has the program write, and kills it when a share of its writes to the database are done.
  func kill(at share: Double, of statements: String...) throws {
    let (disk, operations) = try record(statements)
    let main = disk.files["app.db"]
    let writes = operations.indices.filter { index in
      if case .write(let file, _, _) = operations[index] { file == main } else { false }
    }
    guard writes.count > 2 else { throw UnfitFixture("the database is hardly written") }
    let end = writes[min(writes.count - 1, Int(Double(writes.count) * share))]
    try become(disk.crashed(after: operations[..<end], .everything))
  }

  /// Has the program write without waiting for the disk, and takes its power away: of what was
  /// written to the database some has arrived, and some of that in a part of its sectors.
  func losePower(seed: UInt64, after statements: String...) throws {
    let (disk, operations) = try record(["PRAGMA synchronous = OFF"] + statements)
    try remember()
    let main = disk.files["app.db"]
    let changes = operations.filter { operation in
      switch operation {
      case .write(let file, _, _), .truncate(let file, _): file == main
      default: false
      }
    }
    let lost = disk.crashed(after: changes, .some(seed: seed))
    try become(lost)
  }

  /// The first bytes of one page of the database.
  func start(ofPage page: Int) -> Int { (page - 1) * program.pageSize }

  /// Makes another file, in a folder of its own, of these bytes, or of those of the database.
  func aside(_ name: FilePath, _ bytes: Bytes? = nil) throws -> FilePath {
    let path = wings.appending(name)
    try path.replaceContents(with: bytes ?? database.contents())
    return path
  }
}

/// The frames of a write-ahead log.
struct LogFrames {
  let log: Bytes
  let pageSize: Int

  init(_ log: Bytes) {
    self.log = log
    pageSize = log.count >= 32 ? Int(log.bigEndian(at: 8)) : 4096
  }

  var count: Int { max(0, log.count - 32) / (24 + pageSize) }
  func start(of frame: Int) -> Int { 32 + frame * (24 + pageSize) }
  func page(of frame: Int) -> Int { Int(log.bigEndian(at: start(of: frame))) }

  /// The page's newest frame, by page.
  var newest: [Int: Int] {
    (0..<count).reduce(into: [:]) { result, frame in result[page(of: frame)] = frame }
  }
}
