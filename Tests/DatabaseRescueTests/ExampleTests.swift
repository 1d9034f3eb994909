// SPDX-License-Identifier: Apache-2.0
// The start of an app, as the sample does it with what is public of the library.

import AppStart
import DatabaseRescue
import Diagnosis
import RescueTestSupport
import Testing

@Suite struct ExampleTests {
  @Test func `an app starts on a database that its migration brought to the new version`() throws {
    try ScratchFolder.with { scratch in
      let start = try Start(in: scratch)
      guard case .ready = try start.begin(migrating: { try start.addTag(version: 2) }) else {
        Issue.record("the start is blocked")
        return
      }
      #expect(try start.rescue.backups(of: start.database).list().count == 1)
      guard case .ready = try start.begin(migrating: { Issue.record("migrated twice") }) else {
        Issue.record("the second start is blocked")
        return
      }
    }
  }

  @Test func `an app whose migration forgets the column shows a message with a code`() throws {
    try ScratchFolder.with { scratch in
      let start = try Start(in: scratch)
      guard
        case .blocked(let message) = try start.begin(migrating: {
          try start.change("PRAGMA user_version = 2")
        })
      else {
        Issue.record("the start is not blocked")
        return
      }
      #expect(message.lines.contains(message.code.description))
      #expect(message.body.contains("saved before the update"))
    }
  }

  /// A database of version 1, and an app that expects version 2.
  private struct Start {
    let database: FilePath
    let contract: Contract
    let rescue: Rescue

    init(in scratch: ScratchFolder) throws {
      database = scratch["app.db"]
      let made: DatabaseBuilder.Step = "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)"
      try DatabaseBuilder([
        made, "INSERT INTO notes (body) VALUES ('one')", "PRAGMA user_version = 1",
      ]).build(at: database)
      let expected = scratch["expected.db"]
      try DatabaseBuilder([made, "ALTER TABLE notes ADD tag TEXT", "PRAGMA user_version = 2"])
        .build(at: expected)
      contract = try ContractSource.load(expected)
      rescue = Rescue(
        world: World(environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]))
    }

    func begin(migrating: () throws -> Void) throws -> AppStart {
      try AppStart.begin(database, contract: contract, with: rescue, migrate: migrating)
    }

    func addTag(version: Int) throws {
      try change("ALTER TABLE notes ADD tag TEXT; PRAGMA user_version = \(version)")
    }

    func change(_ sql: String) throws { try Connection(database, mode: .app).execute(sql) }
  }
}
