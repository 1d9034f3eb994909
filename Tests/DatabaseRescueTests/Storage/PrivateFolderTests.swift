// SPDX-License-Identifier: Apache-2.0
// Only what a claim proves to be ours is removed, and nothing is reached through a link.

import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

@Suite struct PrivateFolderTests {
  private let scratch: ScratchFolder
  private let storage = SystemStorage()
  private let world = World()

  init() throws { scratch = try ScratchFolder() }

  /// A folder of ours as a process leaves it that was killed, under a path.
  private func leaveFolder(at path: FilePath) throws {
    try storage.createFolder(path)
    try Claim(path.name, in: storage.openFolder(path)).write(id: 1)
    try path.appending("copy.db").replaceContents(with: [1])
  }

  private func sweep() throws {
    let folder = try PrivateFolder(in: scratch.path, world: world)
    withExtendedLifetime(folder.path) {}
  }

  @Test func `what a process left that was killed is removed by the next one`() throws {
    let left = scratch["dbrescue-abc"]
    try leaveFolder(at: left)
    try leaveFolder(at: left.appending("dbrescue-inner"))
    try sweep()
    #expect(try storage.names(in: scratch.path) == [])
  }

  @Test(arguments: [Arrival.everything, .nothing, .names, .content])
  func `whenever a process is killed that makes a folder, the next one removes what it left`(
    _ arrival: Arrival
  ) throws {
    let recorder = try DiskRecorder(scratch.path)
    do {
      let watched = World(storage: SystemStorage(watchedBy: recorder))
      let folder = try PrivateFolder(in: scratch.path, world: watched)
      withExtendedLifetime(folder.path) {}
    }
    let operations = recorder.operations
    for count in 0...operations.count {
      try ScratchFolder.with { other in
        try recorder.start.crashed(after: operations.prefix(count), arrival).write(to: other.path)
        let folder = try PrivateFolder(in: other.path, world: world)
        #expect(
          try storage.names(in: other.path) == [folder.path.name],
          "\(arrival) of the first \(count) of \(operations)")
      }
    }
  }

  /// Fails the third time that a folder is to be made durable: before the claim goes.
  private final class FailingOnce: SystemCallWatch {
    private let count = Mutex(0)

    func failure(before call: SystemCall) -> Int32? {
      guard case .synchronizeFolder = call.effect else { return nil }
      return count.withLock { count in
        count += 1
        return count == 3 ? 5 : nil
      }
    }

    func succeeded(_ call: SystemCall) {}
  }

  @Test func `a folder goes at its end also on a disk that fails once`() throws {
    let failing = World(storage: SystemStorage(watchedBy: FailingOnce()))
    do {
      let folder = try PrivateFolder(in: scratch.path, world: failing)
      withExtendedLifetime(folder.path) {}
    }
    #expect(try storage.names(in: scratch.path) == [])
  }

  @Test func `an empty folder that others can have made is not removed`() throws {
    for name in ["dbrescue-main", "dbrescue-notes-of-2024"] as [FilePath] {
      try storage.createFolder(scratch[name])
      try sweep()
      #expect(try scratch[name].exists)
    }
  }

  @Test func `a folder in use is not removed`() throws {
    let used = try PrivateFolder(in: scratch.path, world: world)
    try sweep()
    #expect(try storage.names(in: scratch.path) == [used.path.name])
  }

  @Test func `a folder with our kind of name that we did not make is not removed`() throws {
    let project = scratch["dbrescue-main"]
    try storage.createFolder(project)
    try project.appending("main.swift").replaceContents(with: [1])
    let before = try FolderContents(of: scratch.path)
    try sweep()
    #expect(try before.changes(until: FolderContents(of: scratch.path)) == [])
  }

  @Test func `a folder that was copied with its claim is not removed`() throws {
    // As an archive does that holds what a killed run left elsewhere.
    let left = scratch["elsewhere/dbrescue-abc"]
    try leaveFolder(at: left)
    let copy = scratch["dbrescue-abc"]
    try storage.createFolder(copy)
    for name in try storage.names(in: left) {
      try copy.appending(name).replaceContents(with: left.appending(name).contents())
    }
    let before = try FolderContents(of: scratch.path)
    try sweep()
    #expect(try before.changes(until: FolderContents(of: scratch.path)) == [])
  }

  @Test func `a folder that others may use is not removed`() throws {
    let left = scratch["dbrescue-abc"]
    try leaveFolder(at: left)
    try Command("/bin/chmod", ["755", left.description]).run().expectSuccess()
    try sweep()
    #expect(try left.appending("copy.db").exists)
  }

  @Test func `a link with our kind of name is not followed`() throws {
    try leaveFolder(at: scratch["elsewhere/dbrescue-abc"])
    try link(scratch["dbrescue-abc"], to: scratch["elsewhere/dbrescue-abc"])
    try sweep()
    #expect(try scratch["elsewhere/dbrescue-abc/copy.db"].exists)
    #expect(try scratch["dbrescue-abc"].exists)
  }

  @Test func `links in a folder of ours go without what they lead to`() throws {
    try storage.createFolder(scratch["precious"])
    try scratch["precious/thesis.txt"].replaceContents(with: [1])
    let left = scratch["dbrescue-abc"]
    try leaveFolder(at: left)
    try link(left.appending("folder"), to: scratch["precious"])
    try link(left.appending("file"), to: scratch["precious/thesis.txt"])
    try sweep()
    #expect(try storage.names(in: scratch.path) == ["precious"])
    #expect(try scratch["precious/thesis.txt"].exists)
  }

  private func link(_ path: FilePath, to target: FilePath) throws {
    try Command("/bin/ln", ["-s", target.description, path.description]).run().expectSuccess()
  }
}

extension Command.Outcome {
  fileprivate func expectSuccess() { #expect(status == 0) }
}
