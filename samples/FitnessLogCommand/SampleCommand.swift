// SPDX-License-Identifier: Apache-2.0
// What the sample app can be told to do.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat

/// One invocation of the sample app.
struct SampleCommand {
  static let usage = """
    usage:
      fitness-log create FILE [--schema-version 1…4] [--workouts N] [--seed S]
                              [--journal wal|delete] [--page-size BYTES]
      fitness-log migrate FILE [--to 4] [--forget-column] [--drop-rows] [--crash-midway]
      fitness-log write FILE --seconds S [--seed S]
      fitness-log contract [--schema-version 4]
      fitness-log damage FILE --kind KIND

    kinds of damage:
      \(Damage.usages.joined(separator: "\n  "))

    """

  private var arguments: ArgumentList

  init(_ arguments: [String]) {
    self.arguments = ArgumentList(arguments)
  }

  consuming func run() throws {
    switch try arguments.positional("a command") {
    case "create": try create()
    case "migrate": try migrate()
    case "write": try write()
    case "contract": try contract()
    case "damage": try damage()
    case let other: throw UsageError("there is no command '\(other)'")
    }
  }

  private mutating func create() throws {
    let file = try arguments.file()
    let version = try arguments.number("--schema-version") ?? 4
    let workouts = try arguments.number("--workouts") ?? 1200
    let seed = try arguments.number("--seed") ?? 1
    let pageSize = try arguments.number("--page-size") ?? 4096
    let journal = try arguments.choice("--journal", FitnessLog.Journal.init(rawValue:)) ?? .delete
    try arguments.finish()
    try FitnessLog.create(
      file, version: version, workouts: max(0, workouts), seed: UInt64(bitPattern: Int64(seed)),
      journal: journal, pageSize: pageSize)
  }

  private mutating func migrate() throws {
    let file = try arguments.file()
    let target = try arguments.number("--to") ?? 4
    let mistakes = FitnessLog.Mistake.allCases.filter { arguments.flag("--" + $0.rawValue) }
    try arguments.finish()
    try FitnessLog.migrate(file, to: target, mistakes: Set(mistakes))
  }

  private mutating func write() throws {
    let file = try arguments.file()
    guard let seconds = try arguments.choice("--seconds", Double.init), seconds >= 0 else {
      throw UsageError("'write' needs --seconds")
    }
    let seed = try arguments.number("--seed") ?? 1
    try arguments.finish()
    let commits = try FitnessLog.write(
      file, for: .seconds(min(seconds, 86_400)), seed: UInt64(bitPattern: Int64(seed)))
    print("\(commits) commits")
  }

  private mutating func contract() throws {
    let version = try arguments.number("--schema-version") ?? 4
    try arguments.finish()
    print(try FitnessLog.script(version: version), terminator: "")
  }

  private mutating func damage() throws {
    let file = try arguments.file()
    guard let damage = try arguments.choice("--kind", Damage.init(_:)) else {
      throw UsageError("'damage' needs --kind")
    }
    try arguments.finish()
    let bytes = try file.contents()
    let damaged = damage.applied(to: bytes, pageSize: Self.pageSize(of: bytes))
    guard damaged != bytes else { throw AppError("'\(damage)' changes nothing in '\(file)'") }
    try file.replaceContents(with: damaged)
  }

  /// What the header says; 4096 where it cannot be believed any more.
  private static func pageSize(of bytes: Bytes) -> Int {
    guard bytes.count >= 100 else { return 4096 }
    let size = Int(bytes.bigEndian(at: 16) >> 16)
    if size == 1 { return 65536 }
    return size >= 512 && size & (size - 1) == 0 ? size : 4096
  }
}
