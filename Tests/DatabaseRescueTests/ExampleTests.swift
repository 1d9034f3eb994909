// SPDX-License-Identifier: Apache-2.0
// The start of the fitness log, as the sample does it with what is public of the library.

import AppStart
import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@Suite struct ExampleTests {
  private let scratch: ScratchFolder
  private let database: FilePath
  private let contract: Contract
  private let rescue: Rescue

  init() throws {
    scratch = try ScratchFolder()
    database = scratch["fitness.db"]
    contract = try ContractSource.load(Checkout.samples.appending("fitness-log-v4.sql"))
    rescue = Rescue(
      world: World(environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]))
  }

  private struct Unwell: Error {}

  private func app(
    texts: UserTexts = UserTexts(), rescue other: Rescue? = nil,
    migrate: @escaping @Sendable (FilePath) async throws -> Void = {
      try FitnessLog.migrate($0)
    }
  ) -> AppStart {
    AppStart(
      database, contract: contract, rescue: other ?? rescue, texts: texts, migrate: migrate)
  }

  private func isReady(_ screen: AppStart.Screen) -> Bool {
    if case .home(database) = screen { true } else { false }
  }

  private func blocked(_ screen: AppStart.Screen) throws -> BlockingScreen {
    guard case .blocked(let screen) = screen else { throw Unwell() }
    return screen
  }

  @Test func `an app that starts on an older copy of its database is told so`() async throws {
    try FitnessLog.create(database, version: 4, workouts: 12)
    let old = try database.contents()
    try Connection(database, mode: .app).execute("DELETE FROM notes")
    _ = try rescue.backUp(database)
    let written = try SystemStorage().open(database, .readWrite)
    try written.truncate(to: 0)
    try written.write(old, at: 0)
    let opening = await rescue.open(database, contract: contract) { _ in }
    guard case .ready(let ready) = opening else { throw Unwell() }
    #expect(ready.findings.map(\.name).contains("DBR-F130"))
  }

  @Test func `an app starts on a database that its migration brought to the new version`()
    async throws
  {
    try FitnessLog.create(database, version: 3, workouts: 12)
    let shown = Mutex<[String]>([])
    let screen = await app().begin { line in shown.withLock { $0.append(line) } }
    #expect(isReady(screen), "\(screen)")
    let lines = shown.withLock(\.self)
    let stages = lines.compactMap { $0.split(separator: " ").dropLast().first }
    #expect(lines.first == "Checking your data 0 %")
    #expect(lines.contains("Making a backup …") && lines.contains("Updating your data …"))
    #expect(lines.last?.hasPrefix("Checking the result") == true, "\(stages)")
    #expect(try rescue.backups(of: database).list().count == 1)

    let again = await app(migrate: { _ in Issue.record("migrated twice") }).begin()
    #expect(isReady(again))
    #expect(try rescue.backups(of: database).list().count == 1)
  }

  @Test func `an app makes its database where there never was one`() async throws {
    let screen = await app(migrate: { try FitnessLog.create($0, version: 4, workouts: 0) }).begin()
    #expect(isReady(screen), "\(screen)")
    #expect(try !rescue.backups(of: database).folder.exists)
  }

  @Test func `an app does not begin anew where its database is gone`() async throws {
    try FitnessLog.create(database, version: 3, workouts: 12)
    #expect(isReady(await app().begin()))
    try database.removeFileSet()
    let anew = app(migrate: { _ in Issue.record("a new database was begun") })
    let screen = try blocked(await anew.begin())
    #expect(screen.lines.contains("The app's data file is not where it was"))
    // The backup is from before the migration: it is put back, and migrated again.
    #expect(isReady(await app().choose(1, on: screen)))
  }

  @Test func `an app whose migration forgets the column shows a screen with a code`()
    async throws
  {
    try FitnessLog.create(database, version: 3, workouts: 12)
    let forgetful = app(migrate: { try FitnessLog.migrate($0, mistakes: [.forgetColumn]) })
    let screen = try blocked(await forgetful.begin())
    #expect(
      screen.lines.prefix(4) == [
        "The app could not update its data", "", "Your data is as it was before the update.",
        "Please contact support and read out this code.",
      ])
    let code = try SupportCode(parsing: screen.lines[4])
    #expect(screen.lines.last == "[1] Try again")
    let record = try #require(try RunLog(at: scratch["runs.jsonl"], in: World()).record(for: code))
    #expect(record.operation == "open")
    #expect(record.migration?.result == "restored")
    #expect(try Oracle(database).value("PRAGMA user_version") == .integer(3))
    // An app that was put right goes on from there.
    #expect(isReady(await app().choose(1, on: screen)))
  }

  @Test func `a migration that throws leaves what was before, and its words in no log`()
    async throws
  {
    struct Private: Error { let value = "Jane Doe" }
    try FitnessLog.create(database, version: 3, workouts: 12)
    let opening = await rescue.open(database, contract: contract) { path in
      try Connection(path, mode: .app).execute("DELETE FROM notes")
      throw Private()
    }
    guard case .blocked(let blockade) = opening else { throw Unwell() }
    #expect(blockade.thrown is Private)
    #expect(blockade.migration?.result == .restored)
    let log = String(decoding: try scratch["runs.jsonl"].contents(), as: UTF8.self)
    #expect(log.contains("the app threw Private"))
    #expect(!log.contains("Jane"))
  }

  @Test func `every line of the screen can be in another language`() async throws {
    let german = UserTexts(
      Dictionary(
        uniqueKeysWithValues: UserTexts.Key.allCases.map { ($0, "‹\($0.rawValue)› %@") }))
    try FitnessLog.create(database, version: 3, workouts: 12)
    let shown = Mutex<[String]>([])
    let screen = try blocked(
      await app(
        texts: german, migrate: { try FitnessLog.migrate($0, mistakes: [.dropRows]) }
      ).begin { line in shown.withLock { $0.append(line) } })
    for line in screen.lines where !line.isEmpty && !line.hasPrefix("DBR-") {
      #expect(line.contains("‹"), "\(line)")
    }
    for line in shown.withLock(\.self) { #expect(line.hasPrefix("‹"), "\(line)") }
    #expect(Set(UserTexts.english.keys) == Set(UserTexts.Key.allCases))
  }

  @Test func `a database that is damaged, newer or no database is not opened`() async throws {
    let cases: [(FilePath, String)] = [
      ("zeroed-leaf.db", "The app's data file is damaged"),
      ("newer-v5.db", "This data was saved by a newer version of the app"),
      ("not-a-database.jpg", "The app's data file is damaged"),
      ("drifted-forgot-column.db", "The app could not update its data"),
    ]
    for (sample, title) in cases {
      try database.replaceContents(with: Checkout.samples.appending(sample).contents())
      let before = try database.contents()
      let screen = try blocked(
        await app(migrate: { _ in Issue.record("migrated \(sample)") }).begin())
      #expect(screen.lines.first == title, "\(sample)")
      let isUnchanged = try database.contents() == before
      #expect(isUnchanged, "\(sample)")
    }
  }

  @Test func `a start that is cancelled before it has changed anything has changed nothing`()
    async throws
  {
    try FitnessLog.create(database, version: 3, workouts: 12)
    let before = try database.contents()
    let task = Task { [app = app(migrate: { _ in Issue.record("migrated") })] in
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      return await app.begin()
    }
    let screen = try blocked(await task.value)
    #expect(screen.lines.first == "The app was stopped while it got its data ready")
    let isUnchanged = try database.contents() == before
    #expect(isUnchanged)
  }

  @Test func `a migration that is cancelled is waited for, and undone`() async throws {
    try FitnessLog.create(database, version: 3, workouts: 12)
    let begun = AsyncStream<Void>.makeStream()
    let slow = app(migrate: { path in
      try Connection(path, mode: .app).execute("DELETE FROM notes")
      begun.continuation.finish()
      try await Task.sleep(for: .seconds(600))
    })
    let task = Task { await slow.begin() }
    for await _ in begun.stream {}
    task.cancel()
    let screen = try blocked(await task.value)
    #expect(screen.lines.contains("Your data is as it was before the update."))
    #expect(try Oracle(database).value("PRAGMA user_version") == .integer(3))
    #expect(try Oracle(database).count(of: "notes") > 0)
  }

  @Test func `a start after a migration that was killed goes back to before it`() async throws {
    try FitnessLog.create(database, version: 3, workouts: 12)
    let rows = try Oracle(database).count(of: "sets")
    // What a process leaves that dies in the middle: the record, and half of the work.
    let copy = scratch["copy"]
    let record = database.adding(suffix: ".rescue").appending("guard.json")
    _ = await rescue.open(database, contract: contract) { path in
      try Connection(path, mode: .app).execute("DELETE FROM sets WHERE id % 2")
      try copy.replaceContents(with: record.contents())
      throw Unwell()
    }
    try record.replaceContents(with: copy.contents())
    try Connection(database, mode: .app).execute("DELETE FROM sets WHERE id % 2")
    #expect(isReady(await app().begin()))
    #expect(try Oracle(database).count(of: "sets") == rows)
  }
}
