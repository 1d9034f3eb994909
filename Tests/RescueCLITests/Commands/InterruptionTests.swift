// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while a database is written: nothing of it is left.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct InterruptionTests {
  @Test func `a salvage that is interrupted leaves nothing behind`() throws {
    let scratch = try ScratchFolder()
    let file = scratch["app.db"]
    try FitnessLog.create(file, workouts: 3000)
    let before = try FolderContents(of: scratch.path)
    let run = try Command(
      Products.dbrescue, ["salvage", file.description, "--output", "\(scratch["new.db"])"],
      environment: ["DBRESCUE_LOG": "/dev/null"]
    ).start()
    // A fresh database is there under another name as soon as rows are written.
    func isWriting() throws -> Bool {
      try SystemStorage().names(in: scratch.path).contains {
        $0.description.hasPrefix("dbrescue-")
      }
    }
    while try !isWriting() { usleep(1000) }
    run.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(outcome.errorText.contains("interrupted"), "\(outcome)")
    #expect(try before.changes(until: FolderContents(of: scratch.path)) == [], "\(outcome)")
  }
}
