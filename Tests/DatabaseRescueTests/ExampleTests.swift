// SPDX-License-Identifier: Apache-2.0
// The example at the head of the API, as an app would write it.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct ExampleTests {
  @Test func `the example at the head of the API compiles and does what it says`() throws {
    try ScratchFolder.with { scratch in
      let database = scratch["app.db"]
      try DatabaseBuilder([
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT)",
        "INSERT INTO notes (body) VALUES ('one')",
      ]).build(at: database)
      let contract: Contract? = nil
      var shown: [SupportCode] = []
      func show(_ code: SupportCode) { shown.append(code) }

      let rescue = Rescue(
        world: World(environment: ["DBRESCUE_LOG": scratch["runs.jsonl"].description]))
      let backup = try rescue.backUp(database, contract: contract)
      // …migrate…
      let files = try InputFiles(database, storage: rescue.world.storage)
      let result = try rescue.check(files, contract: contract)
      if result.value.verdict != .healthy { show(result.code) }

      #expect(backup.value.isGood)
      #expect(shown.isEmpty)
    }
  }
}
