// SPDX-License-Identifier: Apache-2.0
// Runs what is measured, and prints what it took.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One measurement of everything.
struct Bench {
  let options: Options
  /// This program, beside which the command is.
  let program: FilePath
  /// Where everything is made.
  let folder: FilePath
  /// What is examined, copied and restored.
  let database: FilePath
  /// The same database after some edits, under the same name.
  let edited: FilePath
  /// Whether there is a gzip to compare with.
  let hasGzip: Bool
  /// How busy the machine was with other work when it began.
  let loadBefore = Self.load

  private let storage = SystemStorage()
  private let environment: [String: String]

  /// Prepares the folder and the database.
  init(options: Options, program: FilePath) throws {
    self.options = options
    self.program = program
    folder = options.folder.appending(options.isSmall ? "small" : "large")
    database = folder.appending("fitness.db")
    edited = folder.appending("edited").appending("fitness.db")
    // Runs of a measurement do not belong in anybody's log.
    environment = World().environment.merging(
      ["DBRESCUE_LOG": "\(folder.appending("runs.jsonl"))", "TMPDIR": "\(folder)"]) { $1 }
    hasGzip =
      (try? Job(command: ["gzip", "--version"]).run(environment: environment)) != nil
    try storage.createFolder(edited.folder)
  }

  /// Measures everything and prints the table.
  func run() throws {
    try makeDatabases()
    var measured: [String: Measurement] = [:]
    for group in groups where group.contains(where: { options.isWanted($0.name) }) {
      for round in 0...options.runs {
        for work in group {
          progress("\(work.name): \(round == 0 ? "warm-up" : "run \(round) of \(options.runs)")")
          let cost = try cost(of: work)
          if round > 0 { measured[work.name, default: Measurement()].costs.append(cost) }
          if let made = work.makes.last {
            measured[work.name, default: Measurement()].byteCount = try byteCount(of: made)
          }
        }
      }
    }
    // Only the databases are worth keeping.
    for made in groups.joined().flatMap(\.makes) { try remove(made) }
    progress("")
    print("\(database), \(try byteCount(of: database) / 1_000_000) MB\n")
    let rows = rows.filter { measured[$0.work] != nil }
    for line in ResultTable(rows, measured).lines { print(line) }
    print("")
    for note in notes { print("- \(note)") }
  }

  /// How many processes wanted to run at once, on average of the last minute.
  private static var load: Double {
    var load = 0.0
    return unsafe getloadavg(&load, 1) == 1 ? load : 0
  }

  /// How many cores there are.
  var coreCount: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  private func makeDatabases() throws {
    let workouts = options.isSmall ? 2_200 : 66_667
    try make(database) { ["create", "\($0)", "\(workouts)"] }
    try make(edited) { ["edit", "\(database)", "\($0)"] }
  }

  /// Makes a database where there is none yet.
  private func make(_ path: FilePath, _ words: (FilePath) -> [String]) throws {
    guard try storage.status(of: path) == nil else { return }
    progress("making the database")
    // Under another name first: a database that is only half there is not to be reused.
    let partial = path.adding(suffix: ".partial")
    try remove(partial)
    _ = try Job(command: ["\(program)", "peer"] + words(partial)).run(environment: environment)
    try storage.rename(partial, to: path)
  }

  /// Runs a work once, with nothing of an earlier run left, neither on disk nor on its way there.
  private func cost(of work: Work) throws -> Cost {
    for made in work.makes { try remove(made) }
    sync()
    var cost = Cost()
    for job in work.jobs { cost.add(try job.run(environment: environment)) }
    return cost
  }

  private func remove(_ path: FilePath) throws {
    switch try storage.status(of: path)?.kind {
    case nil: return
    case .folder: for name in try storage.names(in: path) { try remove(path.appending(name)) }
    default: try storage.remove(path)
    }
  }

  /// The size of a file, or of all files in a folder.
  private func byteCount(of path: FilePath) throws -> Int {
    guard let status = try storage.status(of: path) else { return 0 }
    guard status.kind == .folder else { return status.byteCount }
    return try storage.names(in: path).reduce(0) { try $0 + byteCount(of: path.appending($1)) }
  }

  /// Tells on the standard error what is going on, in a line that the next one replaces.
  private func progress(_ text: String) {
    if isatty(STDERR_FILENO) == 1 { standardError("\r\u{1B}[K\(text)") }
  }
}
