// SPDX-License-Identifier: Apache-2.0
// The built program, guarding migrations that go wrong in every way of the table.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MigrationFaultTests {
  /// What is done when a migration fails.
  enum Policy: String, Sendable, CaseIterable {
    case restore, stop
  }

  let session: Session
  let file: FilePath
  /// The database as it was before.
  let before: FilePath
  /// What the command puts in place.
  let result: FilePath

  init() throws {
    session = try Session()
    file = session["app.db"]
    before = session["before.db"]
    result = session["result.db"]
  }

  @Test(arguments: MigrationFault.all, [DatabaseBuilder.JournalMode.delete, .wal])
  func `a migration is kept or refused, and the database is as it is said`(
    _ fault: MigrationFault, _ journal: DatabaseBuilder.JournalMode
  ) throws {
    guard fault.journals.contains(journal) else { return }
    for policy in Policy.allCases { try hold(fault, journal, policy) }
  }

  private func hold(
    _ fault: MigrationFault, _ journal: DatabaseBuilder.JournalMode, _ policy: Policy
  ) throws {
    try prepare(fault, journal)
    let bytes = try file.contents()
    let outcome = try run(fault, policy)
    let isLeft = fault.end == .restored && policy == .stop
    #expect(outcome.status == fault.status + (isLeft ? 1 : 0), "\(policy): \(outcome)")
    let all = outcome.text + outcome.errorText
    for words in fault.says { #expect(all.contains(words), "\(words): \(all)") }
    if isLeft, let words = fault.tellsUsers { #expect(all.contains(words), "\(all)") }
    try expect(fault.end, bytes, isLeft: isLeft, outcome)

    let record = try #require(try session.records().last)
    #expect(record.exitStatus == outcome.status)
    let migration = try #require(record.migration)
    #expect(migration.program == "sh")
    #expect(migration.problems.isEmpty == (fault.status == 0))
    #expect(record.flags.restored == (fault.end == .restored && policy == .restore))
    // A run that has ended leaves nothing but backups, and what it has displaced.
    let folder = file.adding(suffix: ".rescue")
    let left = try SystemStorage().names(in: folder).filter {
      !["backups", "quarantine"].contains($0)
    }
    #expect(left == [])
  }

  private func prepare(_ fault: MigrationFault, _ journal: DatabaseBuilder.JournalMode) throws {
    for path in [file, before, result] { try path.removeFileSet() }
    try DatabaseBuilder(journal: journal, MigrationFault.steps).build(at: file)
    try file.copyFileSet(to: before)
    try file.copyFileSet(to: result)
    switch fault.result {
    case .none: break
    case .changed(let sql):
      try Connection(result, mode: .readWrite, schemaBy: .us).execute(sql)
    case .leftover(let leftover):
      if case .hotJournal = leftover {
        try Connection(result, mode: .readWrite, schemaBy: .us)
          .execute("PRAGMA journal_mode = DELETE")
      }
      try leftover.leave(at: result)
    case .leftoverOfOther(let leftover):
      try result.removeFileSet()
      try DatabaseBuilder(MigrationFault.stepsOfOther, leftover: leftover).build(at: result)
    }
  }

  private func run(_ fault: MigrationFault, _ policy: Policy) throws -> Command.Outcome {
    let put = """
      put() {
        cat '\(result)' > "$DBRESCUE_DATABASE" || exit 1
        beside
      }
      beside() {
        for suffix in -wal -journal; do
          if test -e '\(result)'$suffix; then
            cat '\(result)'$suffix > "$DBRESCUE_DATABASE"$suffix
          fi
        done
      }
      """
    var flags = fault.flags
    if let terms = fault.contract {
      let contract = session["contract.json"]
      try contract.replaceContents(with: Bytes(Self.contract(terms).utf8))
      flags += ["--contract", contract.description]
    }
    let outcome = try session.run(
      ["guard", file.description, "--on-failure", policy.rawValue] + flags
        + ["--", "/bin/sh", "-c", put + "\n" + fault.script])
    // What goes on after the run shows within that time.
    if fault.script.contains("sleep 2") { _ = try Command("/bin/sleep", ["2.5"]).run() }
    return outcome
  }

  /// What version 4 is expected to be; the table `log` is not known any more.
  private static func contract(_ terms: String) -> String {
    """
    {
      schema: 1, name: 'items', userVersion: 4, \(terms)
      allowExtraObjects: true,
      freshSchema: [
        'CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, \
    price REAL CHECK (price > 0), note TEXT, unit TEXT)',
        'CREATE INDEX item_name ON item (name)',
        'CREATE TABLE tag (item INTEGER REFERENCES item (id), tag TEXT, PRIMARY KEY (item, tag))',
      ],
    }
    """
  }

  private func expect(
    _ end: MigrationFault.End, _ bytes: Bytes, isLeft: Bool, _ outcome: Command.Outcome
  ) throws {
    guard !isLeft else { return }
    switch end {
    case .untouched:
      let isUntouched = try file.contents() == bytes
      #expect(isUntouched, "\(outcome)")
    case .unchanged: break
    case .restored:
      #expect(try file.contents()[18..<20] == bytes[18..<20], "the journal mode is another one")
      #expect(try file.contents()[16..<18] == bytes[16..<18], "the page size is another one")
      for suffix in FilePath.journalSuffixes { #expect(try !file.adding(suffix: suffix).exists) }
    case .kept:
      #expect(try Oracle.firstDifference(expected: result, actual: file) == nil)
      return
    }
    #expect(try Oracle.firstDifference(expected: before, actual: file) == nil, "\(outcome)")
  }
}
