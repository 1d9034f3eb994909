// SPDX-License-Identifier: Apache-2.0
// The built program, migrating with files that go wrong in every way of the table.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MigrateFaultTests {
  let session: Session
  let file: FilePath
  /// The database as it was before.
  let before: FilePath
  let folder: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    before = session["before.db"]
    folder = session["migrations"]
    try SystemStorage().createFolder(folder)
  }

  @Test(arguments: MigrateFault.all, [DatabaseBuilder.JournalMode.delete, .wal])
  func `files are kept or refused, and the database is as it is said`(
    _ fault: MigrateFault, _ journal: DatabaseBuilder.JournalMode
  ) throws {
    for policy in MigrationFaultTests.Policy.allCases { try hold(fault, journal, policy) }
  }

  private func hold(
    _ fault: MigrateFault, _ journal: DatabaseBuilder.JournalMode,
    _ policy: MigrationFaultTests.Policy
  ) throws {
    for path in [file, before] { try path.removeFileSet() }
    _ = try Command("/bin/rm", ["-rf", file.adding(suffix: ".rescue").description]).run()
    try DatabaseBuilder(journal: journal, MigrationFault.steps).build(at: file)
    try file.copyFileSet(to: before)
    for (name, sql) in fault.files {
      try folder.appending(name).replaceContents(with: Bytes(sql.utf8))
    }
    let bytes = try file.contents()
    let line = ["migrate", file.description, "--migrations", folder.description] + fault.flags
    let forecast = try session.run(line + ["--dry-run"])
    #expect(forecast.status == fault.status, "\(forecast)")
    #expect(try file.contents() == bytes, "a dry run has changed something")

    let outcome = try session.run(line + ["--on-failure", policy.rawValue])
    let isLeft = fault.end == .restored && policy == .stop
    #expect(outcome.status == fault.status + (isLeft ? 1 : 0), "\(policy): \(outcome)")
    let all = outcome.text + outcome.errorText
    for words in fault.says { #expect(all.contains(words), "\(words): \(all)") }
    let version = try Oracle(file).value("PRAGMA user_version")
    switch fault.end {
    case _ where isLeft: #expect(version != .integer(3))
    case .kept: #expect(version == .integer(fault.version))
    case .untouched:
      let isUntouched = try file.contents() == bytes
      #expect(isUntouched || journal == .wal, "\(outcome)")
      #expect(try Oracle.firstDifference(expected: before, actual: file) == nil, "\(outcome)")
    case .unchanged, .restored:
      #expect(try Oracle.firstDifference(expected: before, actual: file) == nil, "\(outcome)")
    }
    try expectNothingLeft()
  }

  @Test func `of two that migrate at once one does, and the other is busy or finds nothing to do`()
    throws
  {
    try DatabaseBuilder(MigrationFault.steps).build(at: file)
    try folder.appending("0004_a.sql").replaceContents(
      with: Bytes("ALTER TABLE item ADD COLUMN unit TEXT; INSERT INTO log VALUES ('once', 4)".utf8))
    let line = ["migrate", file.description, "--migrations", folder.description]
    let runs = try (0..<2).map { _ in try session.dbrescue(line).start() }
    let outcomes = try runs.map { try $0.wait() }
    #expect(outcomes.contains { $0.status == 0 }, "\(outcomes)")
    for outcome in outcomes { #expect([0, 75].contains(outcome.status), "\(outcome)") }
    #expect(try Oracle(file).value("PRAGMA user_version") == .integer(4))
    #expect(try Oracle(file).count(of: "log") == 201)
    try expectNothingLeft()
  }

  /// A run that has ended leaves nothing but backups, what it has displaced, and its record.
  private func expectNothingLeft() throws {
    let rescue = file.adding(suffix: ".rescue")
    guard try rescue.exists else { return }
    let left = try SystemStorage().names(in: rescue).filter {
      !["backups", "quarantine", "migrations.jsonl"].contains($0)
    }
    #expect(left == [])
  }
}
