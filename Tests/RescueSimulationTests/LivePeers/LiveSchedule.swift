// SPDX-License-Identifier: Apache-2.0
// An app at work by a seeded schedule, with our commands in between: it opens, commits, checkpoints
// and closes its database, and somebody deletes, moves and copies what lies beside it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// One schedule, and what was wrong on the way.
struct LiveSchedule: ~Copyable {
  /// What lies beside the database that is not the app's doing.
  private enum Disturbance: Equatable {
    case none
    /// The app's log was deleted or moved away while it is open.
    case heldApart
    /// Another database's log lies beside it.
    case foreignLog
  }

  private let folder: ScratchFolder
  private let file: FilePath
  private let rescue: Rescue
  private let isWAL: Bool
  private var random: SeededRandom
  private var app: Connection?
  /// The rows that the app was told are there.
  private var acknowledged = 0
  private var disturbance = Disturbance.none
  private var steps: [String] = []
  /// What was wrong, each with the steps that led to it.
  private(set) var violations: [String] = []

  init(seed: UInt64, in folder: ScratchFolder) throws {
    self.folder = folder
    random = SeededRandom(seed: seed)
    file = folder["app.db"]
    isWAL = random.below(10) < 7
    rescue = Rescue(
      world: World(environment: [
        "DBRESCUE_LOG": folder["log"].description, "TMPDIR": folder["tmp"].description,
      ]))
    try DatabaseBuilder(
      pageSize: random.pick([1024, 4096]), journal: isWAL ? .wal : .delete,
      ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)", "CREATE INDEX i ON t (b)"]
    ).build(at: file)
    let changes = (0..<9).map { DatabaseBuilder.Step(stringLiteral: "CREATE TABLE u\($0) (x)") }
    for pageSize in [1024, 4096] {
      try DatabaseBuilder(
        pageSize: pageSize, ["CREATE TABLE t (a INTEGER PRIMARY KEY, b)"] + changes,
        leftover: .wal(["INSERT INTO t VALUES (1, 'other'), (2, 'rows')", "CREATE TABLE last (x)"])
      ).build(at: folder[FilePath("other\(pageSize).db")])
    }
  }

  /// Takes so many steps, and looks at the end whether all is there.
  mutating func run(_ count: Int) throws {
    for _ in 0..<count {
      try random.below(5) < 3 ? live() : rescueSomething()
    }
    try settle()
    if try Oracle(file).count(of: "t") != acknowledged { violate("rows are lost at the end") }
  }

  // MARK: - The app and others

  private mutating func live() throws {
    if disturbance == .foreignLog { return try settle() }
    switch random.below(9) {
    case 0, 1, 2: try commit()
    case 3 where app == nil: try open()
    case 4 where disturbance == .none: try close()
    case 5 where disturbance == .none:
      steps.append("checkpoint")
      let mode = random.pick(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
      try open()
      _ = try app?.value("PRAGMA wal_checkpoint(\(mode))")
    case 6 where disturbance == .none: try peer()
    case 7: try loseLog()
    case 8: try addLog()
    default: try settle()
    }
  }

  private mutating func open() throws {
    guard app == nil else { return }
    steps.append("open")
    let connection = try Connection(file, mode: .app)
    _ = try connection.value("SELECT count(*) FROM t")
    app = consume connection
  }

  private mutating func close() throws {
    steps.append("close")
    app = nil
    disturbance = .none
  }

  private static func insert(_ count: Int) -> String {
    """
    INSERT INTO t (b) SELECT hex(randomblob(20)) FROM (WITH RECURSIVE n(i) AS
      (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT \(count)) SELECT i FROM n)
    """
  }

  private mutating func commit() throws {
    try open()
    let count = 1 + random.below(40)
    steps.append("commit \(count)")
    try app?.execute(Self.insert(count))
    acknowledged += count
  }

  /// A second connection that commits and closes.
  private mutating func peer() throws {
    let count = 1 + random.below(20)
    steps.append("peer commits \(count)")
    let connection = try Connection(file, mode: .app)
    try connection.execute(Self.insert(count))
    acknowledged += count
  }

  /// Takes the app's log away under it.
  private mutating func loseLog() throws {
    let log = file.adding(suffix: "-wal")
    guard disturbance == .none, app != nil, try log.exists else { return }
    let storage = SystemStorage()
    switch random.below(3) {
    case 0:
      steps.append("copy the log")
      try folder["copy-wal"].replaceContents(with: log.contents())
      return
    case 1:
      steps.append("move the log away")
      try storage.rename(log, to: folder["moved"])
    default:
      steps.append("delete the log")
      try storage.remove(log)
      if random.below(2) == 0 { try storage.remove(file.adding(suffix: "-shm")) }
    }
    disturbance = .heldApart
  }

  /// Puts another database's log beside the file, which nobody has open.
  private mutating func addLog() throws {
    guard disturbance == .none else { return }
    try close()
    steps.append("another log")
    let pageSize = try Int(file.contents().bigEndian16(at: 16))
    let other = folder[FilePath("other\(pageSize).db-wal")]
    try file.adding(suffix: "-wal").replaceContents(with: other.contents())
    disturbance = .foreignLog
  }

  /// Undoes a disturbance, and closes the database.
  private mutating func settle() throws {
    if disturbance == .foreignLog { try SystemStorage().remove(file.adding(suffix: "-wal")) }
    // Who closes a log that was taken away still writes it to the database.
    try close()
  }

  // MARK: - Our commands

  private mutating func rescueSomething() throws {
    let log = file.adding(suffix: "-wal")
    let hadLog = try log.exists
    let isDisturbed = disturbance != .none
    let name = random.pick(["check", "diagnose", "backup", "salvage", "guard", "capture"])
    steps.append(name)
    do {
      switch name {
      case "check":
        expectHealthy(try rescue.check(InputFiles(file, storage: SystemStorage())).value)
      case "diagnose":
        let result = try rescue.diagnose(InputFiles(file, storage: SystemStorage()))
        expectHealthy(result.value.examination)
      case "backup": try backUp(asHeldBy: nil)
      case "salvage": try salvage()
      case "guard":
        let result = try rescue.guardMigration(of: file, command: ["/bin/true"]) { _ in .stop }
        if isDisturbed { violate("guard has gone on") }
        if !result.value.isKept { violate("guard finds \(result.value.problems)") }
      default:
        guard app != nil, disturbance != .foreignLog else { break }
        try backUp(asHeldBy: Self.process)
      }
    } catch let error as RescueError {
      if !isDisturbed { violate("a false alarm: \(error.message)") }
    }
    if try !hadLog && log.exists { violate("a log was made") }
    if let now = try app?.value("SELECT count(*) FROM t"), now != .integer(Int64(acknowledged)) {
      violate("the app has \(now) of \(acknowledged) rows")
    }
  }

  private mutating func backUp(asHeldBy process: Int32?) throws {
    let backup = try rescue.backUp(file, asHeldBy: process).value
    guard backup.isGood else {
      if disturbance == .none || process != nil { violate("a backup is not good") }
      return
    }
    if disturbance == .foreignLog { violate("a backup beside another log is good") }
    let copy = folder["restored.db"]
    try SystemStorage().remove(copy)
    try BackupReader(backup.path, in: SystemStorage()).restore(to: copy)
    let count = try Oracle(copy).count(of: "t")
    if count != acknowledged { violate("a good backup has \(count) of \(acknowledged) rows") }
  }

  private mutating func salvage() throws {
    let output = folder["salvaged.db"]
    let report = try rescue.salvage(
      InputFiles(file, storage: SystemStorage()), to: output, replacing: true
    ).value
    let count = try Oracle(output).count(of: "t")
    if count != acknowledged { violate("a salvage has \(count) of \(acknowledged) rows") }
    if disturbance == .none, !report.isComplete { violate("a salvage is not complete") }
    if disturbance == .heldApart { violate("a salvage has gone on") }
  }

  private mutating func expectHealthy(_ examination: Examination) {
    let isHealthy = examination.verdict == .healthy
    if disturbance == .none, !isHealthy {
      violate("a false alarm, \(examination.findings.map(\.message)),")
    }
    if disturbance != .none, isHealthy { violate("a false healthy") }
  }

  private mutating func violate(_ what: String) {
    violations.append("\(what) after \(steps.joined(separator: ", "))")
  }
}
