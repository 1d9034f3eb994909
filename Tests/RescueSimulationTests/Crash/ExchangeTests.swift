// SPDX-License-Identifier: Apache-2.0
// A pair of files that takes the place of another one, cut short at every call and operation:
// afterwards there is the old pair or the new one.

import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct ExchangeTests {
  /// A fresh database and its quarantine file, as far as they are there.
  struct Pair: Hashable, Sendable {
    var database: Bytes?
    var quarantine: Bytes?

    init(_ database: Bytes?, _ quarantine: Bytes?) {
      self.database = database
      self.quarantine = quarantine
    }

    /// What lies in a folder.
    init(in folder: FilePath) throws {
      func contents(_ name: FilePath) throws -> Bytes? {
        let path = folder.appending(name)
        return try path.exists ? path.contents() : nil
      }
      self.init(try contents("new.db"), try contents("new.db.quarantine.db"))
    }

    func write(to folder: FilePath) throws {
      for (name, bytes) in [("new.db", database), ("new.db.quarantine.db", quarantine)] {
        if let bytes { try folder.appending(FilePath(name)).replaceContents(with: bytes) }
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let old: Pair
    let new: Pair
    var testDescription: String {
      "\(old.database == nil ? "nothing" : old.quarantine == nil ? "one" : "two") to "
        + (new.quarantine == nil ? "one" : "two")
    }
  }

  static let cases = [
    Case(old: Pair(nil, nil), new: Pair([3], [4])), Case(old: Pair([1], [2]), new: Pair([3], [4])),
    Case(old: Pair([1], [2]), new: Pair([3], nil)), Case(old: Pair([1], nil), new: Pair([3], [4])),
    Case(old: Pair(nil, [2]), new: Pair([3], nil)),
  ]

  /// Puts a new pair in place, as a salvage does.
  private static func exchange(_ new: Pair, in folder: FilePath, _ storage: any Storage) throws {
    let random = Mutex(SeededRandom(seed: 5))
    let world = World(storage: storage, random: { random.withLock { $0.next() } })
    var files = RunFiles()
    let output = try SalvageOutput(
      folder.appending("new.db"), replacing: true, in: &files, storage: storage)
    let place = try PrivateFolder(in: folder, world: world)
    func make(_ name: FilePath, _ bytes: Bytes?) throws -> FilePath? {
      guard let bytes else { return nil }
      try storage.open(place.file(name), .createNew).write(bytes, at: 0)
      return place.file(name)
    }
    guard let database = try make("salvage.db", new.database) else { return }
    try output.publish(
      database, partialQuarantine: make("quarantine.db", new.quarantine), in: place, storage)
  }

  /// What the next run in the folder finds.
  ///
  /// A program that another test starts has the lock of a private folder until it has become that
  /// program: what is left of the folder then goes a moment later.
  private static func next(in folder: FilePath) throws -> Pair {
    for _ in 0..<50 {
      withExtendedLifetime(try PrivateFolder(in: folder, world: World()).path) {}
      if try litter(in: folder).isEmpty { break }
      World().pause(.milliseconds(20))
    }
    return try Pair(in: folder)
  }

  @Test(arguments: cases)
  func `whatever call fails, the old pair is there`(_ example: Case) throws {
    try ScratchFolder.with { scratch in
      let count = try Self.calls(of: example)
      #expect(count > 20)
      for call in 0..<count {
        for errno in [EIO, ENOSPC] {
          let folder = scratch[FilePath("\(call)-\(errno)")]
          try SystemStorage().createFolder(folder)
          try example.old.write(to: folder)
          let recorder = try DiskRecorder(folder, failing: Fault(call: call, errno: errno))
          let result = Result {
            try Self.exchange(example.new, in: folder, SystemStorage(watchedBy: recorder))
          }
          let expected = (try? result.get()) == nil ? example.old : example.new
          #expect(try Pair(in: folder) == expected, "call \(call)")
          #expect(try Self.next(in: folder) == expected, "call \(call)")
          #expect(try Self.litter(in: folder) == [], "call \(call)")
        }
      }
    }
  }

  @Test(arguments: cases)
  func `a disk that goes leaves a pair for the next run`(_ example: Case) throws {
    try ScratchFolder.with { scratch in
      for call in 0..<(try Self.calls(of: example)) {
        let folder = scratch[FilePath("\(call)")]
        try SystemStorage().createFolder(folder)
        try example.old.write(to: folder)
        let storage = SystemStorage(watchedBy: DyingDisk(after: call))
        try? Self.exchange(example.new, in: folder, storage)
        let pair = try Self.next(in: folder)
        #expect([example.old, example.new].contains(pair), "call \(call)")
      }
    }
  }

  @Test(arguments: cases)
  func `whatever a crash leaves, the next run finds a pair`(_ example: Case) throws {
    try ScratchFolder.with { scratch in
      let folder = scratch["played"]
      try SystemStorage().createFolder(folder)
      try example.old.write(to: folder)
      let recorder = try DiskRecorder(folder)
      try Self.exchange(example.new, in: folder, SystemStorage(watchedBy: recorder))
      let operations = recorder.operations
      var isMixed = false
      for count in 0...operations.count {
        let seeds = (0..<24 as Range<UInt64>).map { Arrival.some(seed: $0) }
        for (index, arrival) in ([.everything, .nothing, .names, .content] + seeds).enumerated() {
          let place = scratch[FilePath("\(count)-\(index)")]
          try recorder.start.crashed(after: operations.prefix(count), arrival).write(to: place)
          let atOnce = try Pair(in: place)
          isMixed = isMixed || (atOnce != example.old && atOnce != example.new)
          let pair = try Self.next(in: place)
          let expected = count == operations.count ? [example.new] : [example.old, example.new]
          #expect(expected.contains(pair), "after \(count), \(arrival)")
        }
      }
      // Without anything to finish or undo, this test would show nothing.
      #expect(isMixed == (example.old.quarantine != example.new.quarantine))
    }
  }

  /// What is neither of the two; an empty folder may stay where its removal is the call that failed.
  private static func litter(in folder: FilePath) throws -> [FilePath] {
    let storage = SystemStorage()
    return try storage.names(in: folder).filter { name in
      let path = folder.appending(name)
      if try storage.status(of: path)?.kind == .folder {
        return try !storage.names(in: path).isEmpty
      }
      return !name.bytes.starts(with: "new.db".utf8)
    }
  }

  private static func calls(of example: Case) throws -> Int {
    try ScratchFolder.with { scratch in
      try example.old.write(to: scratch.path)
      let recorder = try DiskRecorder(scratch.path)
      try exchange(example.new, in: scratch.path, SystemStorage(watchedBy: recorder))
      return recorder.calls.count
    }
  }
}

/// A disk that does nothing any more after some calls.
private final class DyingDisk: SystemCallWatch {
  private let left: Mutex<Int>

  init(after calls: Int) { left = Mutex(calls) }

  func failure(before call: SystemCall) -> Int32? {
    left.withLock { left in
      left -= 1
      return left < 0 ? EIO : nil
    }
  }

  func succeeded(_ call: SystemCall) {}
}
