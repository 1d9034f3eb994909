// SPDX-License-Identifier: Apache-2.0
// The folder that an action is played in, and what is found there afterwards.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A folder with a database, its backups, a run log and a place for private copies.
struct Stage: Sendable {
  let root: FilePath

  var database: FilePath { root.appending("app.db") }
  var output: FilePath { root.appending("new.db") }
  var log: FilePath { root.appending("log/runs.jsonl") }
  var temporary: FilePath { root.appending("tmp") }
  var rescueFolder: FilePath { root.appending("app.db.rescue") }

  /// Plays in a folder of its own, which is gone afterwards.
  static func with<Value>(_ body: (Stage) throws -> Value) throws -> Value {
    try ScratchFolder.with { scratch in try body(Stage(root: scratch.path)) }
  }

  /// Makes a database with one row, and the folders that a run needs.
  func makeSmallDatabase() throws {
    try makeFolders()
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: database)
  }

  /// Makes the folders of the log and of private copies.
  func makeFolders() throws {
    for folder in [log.folder, temporary] { try SystemStorage().createFolder(folder) }
  }

  var environment: [String: String] {
    ["DBRESCUE_LOG": log.description, "TMPDIR": temporary.description]
  }

  /// The library in this folder; a seed makes its codes and names the same every time.
  func rescue(
    seed: UInt64, storage: any Storage = SystemStorage(),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) -> Rescue {
    let random = Mutex(SeededRandom(seed: seed))
    let now = Date(timeIntervalSince1970: 1_795_000_000 + Double(seed % 1_000_000) * 60)
    return Rescue(
      world: World(
        storage: storage, now: { now }, random: { random.withLock { $0.next() } },
        environment: environment, isCancelled: isCancelled))
  }

  /// What is in the place of a database.
  func state(of path: FilePath) -> DatabaseInPlace { DatabaseInPlace(at: path) }

  /// The databases in quarantine.
  func quarantined() throws -> [DatabaseInPlace] {
    let folder = rescueFolder.appending("quarantine")
    guard try folder.exists else { return [] }
    return try SystemStorage().names(in: folder).map {
      state(of: folder.appending($0).appending("app.db"))
    }
  }

  /// Whether a migration has been begun that has no end.
  var isGuarded: Bool { get throws { try rescueFolder.appending("guard.json").exists } }

  /// What nobody should have left behind.
  func litter(expecting known: Set<FilePath>) throws -> [String] {
    let storage = SystemStorage()
    let usual: Set<FilePath> = ["app.db", "app.db.rescue", "log", "tmp"]
    let sidecars = Set(FilePath.sidecarSuffixes.map { FilePath("app.db" + $0) })
    var litter = try storage.names(in: root).filter {
      !usual.contains($0) && !sidecars.contains($0) && !known.contains($0)
    }
    litter += try storage.names(in: temporary)
    guard try rescueFolder.exists else { return litter.map(\.description) }
    litter += try storage.names(in: rescueFolder).filter {
      // A migration that was cut off leaves its record, until somebody decides.
      !["backups", "quarantine", "guard.json", "migrations.jsonl"].contains($0)
    }
    for folder in ["backups", "quarantine"] as [FilePath] {
      let path = rescueFolder.appending(folder)
      guard try path.exists else { continue }
      for name in try storage.names(in: path) {
        if folder == "backups" {
          // A vault that was pruned keeps its lock, and one that was proven its proofs.
          let isOfVault = [".lock", ".proofs.jsonl"].contains(name)
          if name.bytes.first == UInt8(ascii: "."), !isOfVault { litter.append(name) }
        } else {
          litter += try storage.names(in: path.appending(name)).filter {
            $0.hasSuffix(".partial")
          }
        }
      }
    }
    return litter.map(\.description)
  }
}

/// What a database with its journals is at one moment: for SQLite, and byte for byte.
struct DatabaseInPlace: Equatable {
  /// The content, where SQLite finds it sound.
  let content: [String]?
  /// The bytes of the files that hold something.
  let bytes: [String: Bytes]

  init(at path: FilePath) {
    var bytes: [String: Bytes] = [:]
    for suffix in [""] + FilePath.journalSuffixes {
      let content = try? path.adding(suffix: suffix).contents()
      if let content, !content.isEmpty { bytes[suffix] = content }
    }
    self.bytes = bytes
    content = Self.content(of: path)
  }

  private static func content(of path: FilePath) -> [String]? {
    guard (try? path.exists) == true, let oracle = try? Oracle(path),
      (try? oracle.integrityErrors) == []
    else { return nil }
    return try? oracle.wholeContent
  }

  /// Two are the same when SQLite finds the same in them, or else when their files are.
  static func == (left: Self, right: Self) -> Bool {
    guard left.content == nil, right.content == nil else { return left.content == right.content }
    return left.bytes == right.bytes
  }

  /// Whether there is nothing at all.
  var isAbsent: Bool { bytes.isEmpty }
}
