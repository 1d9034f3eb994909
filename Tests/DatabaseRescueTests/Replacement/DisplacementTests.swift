// SPDX-License-Identifier: Apache-2.0
// The moves of a replacement by files, from the first one and from each at which a kill can stop them.

import RescueTestSupport
import SQLiteFormat
import Testing

@testable import DatabaseRescue

@Suite struct DisplacementTests {
  private static let code = "DBR-CODE"
  private let scratch: ScratchFolder
  private let folder: RescueFolder
  private let storage = SystemStorage()

  private var database: FilePath { scratch["app.db"] }
  private var log: FilePath { scratch["app.db-wal"] }
  private var quarantine: FilePath { folder.quarantines.appending(FilePath(Self.code)) }
  private var kept: FilePath { quarantine.appending("app.db") }
  private var keptLog: FilePath { quarantine.appending("app.db-wal") }
  private var new: FilePath { folder.newFile(Self.code) }
  private var displacement: Displacement { Displacement(folder, Self.code, storage) }

  /// A database with its log, and the new file and the plan of a replacement.
  init() throws {
    scratch = try ScratchFolder()
    folder = try RescueFolder(of: scratch["app.db"], storage: storage)
    try storage.createFolder(folder.path)
    try write("old", to: database)
    try write("log", to: log)
    try write("new", to: new)
    try write("plan", to: folder.plan)
  }

  private func write(_ text: String, to path: FilePath) throws {
    try path.replaceContents(with: Bytes(text.utf8))
  }

  private func text(_ path: FilePath) throws -> String? {
    guard try storage.status(of: path) != nil else { return nil }
    return String(decoding: try path.contents(), as: UTF8.self)
  }

  private func expectReplaced() throws {
    #expect(try text(database) == "new" && text(log) == nil)
    #expect(try text(kept) == "old" && text(keptLog) == "log")
    #expect(try text(folder.plan) == nil && text(new) == nil)
  }

  private func expectUntouched() throws {
    #expect(try text(database) == "old" && text(log) == "log")
    #expect(try text(folder.plan) == nil && text(new) == nil)
    #expect(try !folder.quarantines.exists)
  }

  @Test func `the old files are in quarantine, and the new one in their place`() throws {
    try displacement.carryOut()
    try expectReplaced()
  }

  @Test func `where nothing was, the new file gets the name`() throws {
    try storage.remove(database)
    try storage.remove(log)
    try displacement.carryOut()
    #expect(try text(database) == "new" && text(kept) == nil)
    #expect(try text(folder.plan) == nil && text(new) == nil)
  }

  @Test func `a kill before any move, or with second names only, leaves what was`() throws {
    try displacement.resume()
    try expectUntouched()

    try write("new", to: new)
    try write("plan", to: folder.plan)
    try storage.createFolder(quarantine)
    #expect(try storage.link(database, to: kept))
    try displacement.resume()
    try expectUntouched()
  }

  @Test(arguments: [false, true])
  func `a kill after the database has gone is carried to the end`(isLogGone: Bool) throws {
    try storage.createFolder(quarantine)
    try storage.rename(database, to: kept)
    if isLogGone { try storage.rename(log, to: keptLog) }
    try displacement.resume()
    try expectReplaced()
  }

  @Test func `a kill after the last move leaves nothing to do but to tidy up`() throws {
    try storage.createFolder(quarantine)
    try storage.rename(database, to: kept)
    try storage.rename(log, to: keptLog)
    #expect(try storage.link(new, to: database))
    try displacement.resume()
    try expectReplaced()
  }

  @Test func `what somebody made meanwhile is kept beside the old database`() throws {
    try storage.createFolder(quarantine)
    try storage.rename(database, to: kept)
    try storage.rename(log, to: keptLog)
    try write("made meanwhile", to: database)
    try displacement.resume()
    try expectReplaced()
    #expect(try text(kept.adding(suffix: ".newer")) == "made meanwhile")
  }

  @Test func `without the new file the old ones come back`() throws {
    try storage.createFolder(quarantine)
    try storage.rename(database, to: kept)
    try storage.rename(log, to: keptLog)
    try storage.remove(new)
    try displacement.resume()
    #expect(try text(database) == "old" && text(log) == "log")
    #expect(try text(folder.plan) == nil && text(kept) == nil)
  }
}
