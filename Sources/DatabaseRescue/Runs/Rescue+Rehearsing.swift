// SPDX-License-Identifier: Apache-2.0
// A chain of migrations on private copies of many databases.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One rehearsal, and what it has found out so far.
struct RehearsalRun {
  /// A database that can be copied as often as it takes.
  private struct Source {
    let start: RehearsalStart
    let survey: Survey
    /// The folder of one that was made up.
    let folder: HeldFolder?
  }

  let rescue: Rescue
  let chain: RehearsedChain
  let options: RehearsalOptions
  /// Told of each way that was gone.
  let tell: (RehearsalCase) -> Void
  private(set) var report: RehearsalReport

  private var world: World { rescue.world }

  init(
    _ chain: RehearsedChain, _ options: RehearsalOptions, with rescue: Rescue,
    tell: @escaping (RehearsalCase) -> Void
  ) {
    self.rescue = rescue
    self.chain = chain
    self.options = options
    self.tell = tell
    report = RehearsalReport(seed: options.seed)
  }

  /// Rehearses from every start; from every version that the files make, where none is given.
  mutating func run(from paths: [FilePath]) throws(RescueError) {
    if case .files(let folder) = chain { _ = try end(of: folder) }
    for path in paths {
      try world.requireGoingOn()
      let name = path.name.description
      do throws(RescueError) {
        try rehearse(try source(at: path))
      } catch {
        try skip(name, because: error)
      }
    }
    guard paths.isEmpty, case .files(let folder) = chain, folder.start == 0 else { return }
    for version in 1..<max(2, try end(of: folder)) {
      try world.requireGoingOn()
      do throws(RescueError) {
        try rehearse(try built(folder, version))
      } catch {
        try skip("version \(version)", because: error)
      }
    }
  }

  private func end(of folder: MigrationFolder) throws(RescueError) -> Int {
    var migration = MigrationOptions()
    (migration.contract, migration.target) = (options.contract, options.target)
    return try MigrationCourse.end(of: folder, migration)
  }

  /// Notes a start that nothing can be rehearsed from.
  private mutating func skip(_ name: String, because error: RescueError) throws(RescueError) {
    if error.kind == .interrupted { throw error }
    var none = RehearsalCase(start: name, way: .straight, from: nil)
    none.outcome = .impossible
    none.problems = [error.message]
    add(none)
  }

  private mutating func add(_ way: RehearsalCase) {
    report.cases.append(way)
    tell(way)
  }

  // MARK: Starts

  private static let schemaEndings = [".sql", ".json", ".json5"]

  private func source(at path: FilePath) throws(RescueError) -> Source {
    let lower = FilePath(path.name.description.lowercased())
    guard Self.schemaEndings.contains(where: { lower.hasSuffix($0) }) else {
      let input = try InputFiles(path, storage: world.storage)
      let survey = try world.survey(input.open(in: world))
      return Source(
        start: RehearsalStart(
          name: path.name.description, kind: .database,
          version: survey.header.map { Int($0.userVersion) }, seeding: nil),
        survey: survey, folder: nil)
    }
    let contract = try ContractSource.load(path, world: world)
    let schema = try FreshSchema(contract: contract)
    return try made(path.name.description, .schema, contract.books) {
      (file) throws(RescueError) in
      do {
        let missing = try FreshDatabase(at: file, schema: schema).finish()
        guard let object = missing.first else { return }
        throw RescueError(
          .invalidInput, "'\(path.name)' does not build: \(object.name): \(object.reason)",
          meaning: "nothing was rehearsed from it", advice: "mend the script or contract")
      } catch {
        throw RescueError(error, doing: "build a database of '\(path.name)'")
      }
    }
  }

  /// A database of a version, as the files before it make it.
  private func built(
    _ folder: MigrationFolder, _ version: Int
  ) throws(RescueError) -> Source {
    let runner = MigrationRunner(
      files: folder.files.filter { $0.version <= version }, start: 0, timeout: options.timeout)
    return try made("version \(version)", .built) { (file) throws(RescueError) in
      do throws(StorageError) { _ = try world.storage.open(file, .createNew) } catch {
        throw RescueError(error)
      }
      let end = try runner.undertaking(onTo: version).run(
        Undertaking.Place(
          database: file, backup: nil, mark: "\(world.random())", world: world)
      ).end
      guard !end.succeeded else { return }
      throw RescueError(
        .invalidInput, "an empty database does not become version \(version): \(end.description)",
        meaning: "nothing was rehearsed from it", advice: "correct the file that is named")
    }
  }

  /// A database that `make` makes without rows, with rows that are made up.
  private func made(
    _ name: String, _ kind: RehearsalStart.Kind, _ books: [Framework: FrameworkBook] = [:],
    _ make: (FilePath) throws(RescueError) -> Void
  ) throws(RescueError) -> Source {
    let folder = HeldFolder(try PrivateFolder(world: world))
    let file = folder.folder.file("start.db")
    try make(file)
    let seeding = try DatabaseSeeder.fill(file, seed: options.seed, books: books, world)
    let survey = try world.survey(InputFiles(file, storage: world.storage).open(in: world))
    return Source(
      start: RehearsalStart(
        name: name, kind: kind, version: survey.header.map { Int($0.userVersion) },
        seeding: seeding), survey: survey, folder: folder)
  }

  // MARK: Ways

  private mutating func rehearse(_ source: Source) throws(RescueError) {
    report.starts.append(source.start)
    switch chain {
    case .command(let words):
      let way = try go(.straight, from: source) { (copy, way) throws(RescueError) in
        let words = words.map { $0.replacing(RehearsedChain.placeholder, with: copy.path) }
        let command = Undertaking(words, timeout: options.timeout, printingTo: .errors)
        try take(command, on: copy, contract: options.contract, &way)
      }
      add(way)
    case .files(let folder):
      let end = try end(of: folder)
      var count = 0
      let straight = try go(.straight, from: source, to: end) { (copy, way) throws(RescueError) in
        let course = try self.course(of: source, through: folder, to: end)
        count = course.files.count
        try takeStraight(course, on: copy, &way)
      }
      add(straight)
      guard count > 1 else { return }
      let steps = try go(.steps, from: source, to: end) { (copy, way) throws(RescueError) in
        try takeSteps(try self.course(of: source, through: folder, to: end), on: copy, &way)
      }
      add(steps)
    }
  }

  private func course(
    of source: Source, through folder: MigrationFolder, to end: Int
  ) throws(RescueError) -> MigrationCourse {
    try MigrationCourse(
      through: folder, from: source.start.version ?? 0, to: end, FilePath(source.start.name))
  }

  /// Goes one way on a copy of its own.
  private func go(
    _ kind: RehearsalCase.Way, from source: Source, to end: Int? = nil,
    _ take: (PrivateCopy, inout RehearsalCase) throws(RescueError) -> Void
  ) throws(RescueError) -> RehearsalCase {
    try world.requireGoingOn()
    var way = RehearsalCase(start: source.start.name, way: kind, from: source.start.version)
    way.to = end
    do throws(RescueError) {
      let copy = try PrivateCopy(
        of: source.survey, named: FilePath(source.start.name), world)
      try take(copy, &way)
    } catch {
      if error.kind == .interrupted { throw error }
      way.outcome = .impossible
      way.problems = [error.message]
    }
    return way
  }

  private func takeStraight(
    _ course: MigrationCourse, on copy: PrivateCopy, _ way: inout RehearsalCase
  ) throws(RescueError) {
    guard !course.files.isEmpty else {
      let found = try migratable(copy, way.start, options.contract)
      way.rowCounts = found.survey.userTables.sorted { $0.key < $1.key }.map { name, tree in
        .init(table: name, oldName: nil, before: tree.records, after: tree.records)
      }
      guard found.verdict != .healthy else { return }
      way.outcome = .refused
      way.problems = found.findings.filter { $0.severity >= .warning }.map(\.message)
      return
    }
    var migration = MigrationOptions()
    (migration.transactions, migration.timeout) = (options.transactions, options.timeout)
    try take(
      course.undertaking(migration, tell: { _ in }), on: copy, contract: options.contract, &way)
  }

  private func takeSteps(
    _ course: MigrationCourse, on copy: PrivateCopy, _ way: inout RehearsalCase
  ) throws(RescueError) {
    for file in course.files {
      let runner = MigrationRunner(
        files: [file], start: file.version - 1, timeout: options.timeout)
      try take(
        runner.undertaking(onTo: file.version), on: copy,
        contract: file == course.files.last ? options.contract : nil, &way)
      guard way.outcome == .passed else {
        way.problems = way.problems.map { "\(file.name): \($0)" }
        return
      }
    }
  }

  /// Carries out an undertaking on a copy, and adds to a way what came of it.
  private func take(
    _ undertaking: Undertaking, on copy: PrivateCopy, contract: Contract?,
    _ way: inout RehearsalCase
  ) throws(RescueError) {
    let found = try migratable(copy, way.start, contract)
    let trial = try rescue.try(undertaking, on: copy, found, contract, terms: options.contract)
    way.add(trial.judgement, seconds: trial.seconds)
    if case .command = chain { way.to = trial.judgement.examination.foundVersion }
  }

  /// Examines a copy that is to be migrated.
  private func migratable(
    _ copy: PrivateCopy, _ name: String, _ contract: Contract?
  ) throws(RescueError) -> Examination {
    let found = try world.examine(copy.files, contract).examination
    try rescue.requireMigratable(found, FilePath(name))
    return found
  }
}

extension RunNotes {
  /// Notes the ways that a rehearsal has gone, and how it ended.
  mutating func take(_ report: RehearsalReport) {
    for way in report.cases {
      note(
        RunRecord.Step(
          name: PlainName("\(way.start) \(way.way.rawValue)"),
          outcome: PlainName(way.outcome.rawValue), seconds: way.seconds))
    }
    outcome = report.exitStatus == 0 ? .succeeded : .failed
    exitStatus = report.exitStatus
  }
}

extension FilePath {
  /// The path with another one wherever a text stands in it.
  fileprivate func replacing(_ text: String, with other: FilePath) -> FilePath {
    let text = Array(text.utf8)
    var result: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      if rest.starts(with: text) {
        result += other.bytes
        rest = rest.dropFirst(text.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return FilePath(bytes: result)
  }
}
