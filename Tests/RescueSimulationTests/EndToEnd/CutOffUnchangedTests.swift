// SPDX-License-Identifier: Apache-2.0
// A guard that is killed before its command has changed anything: that is said, and forgotten once it
// was.

import DatabaseRescue
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

@Suite struct CutOffUnchangedTests {
  @Test func `a migration that was cut off before it changed anything is told of once`() throws {
    let session = try Session()
    let (file, mark) = (session["app.db"], session["mark"])
    try DatabaseBuilder(MigrationFault.steps).build(at: file)
    let run = try session.dbrescue(
      ["guard", file.description, "--", "/bin/sh", "-c", "echo $$ > '\(mark)'; sleep 30"]
    ).start()
    while try !mark.exists || mark.contents().isEmpty { usleep(1000) }
    _ = kill(run.processID, SIGKILL)
    _ = try run.wait()
    let text = String(decoding: try mark.contents(), as: UTF8.self)
    let group = try #require(Int32(text.split(separator: "\n").first.map(String.init) ?? ""))
    _ = kill(-group, SIGKILL)
    while kill(-group, 0) == 0 { usleep(1000) }

    func isTold(_ text: String) -> Bool {
      text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        .contains("it has changed nothing for good")
    }
    let check = try session.run(["check", file.description])
    #expect(check.status == 0, "\(check)")
    #expect(isTold(check.text), "\(check)")
    #expect(!check.text.contains("half of it may be done"), "\(check)")
    let backup = try session.run(["backup", file.description])
    #expect(backup.status == 0, "\(backup)")
    #expect(isTold(backup.text + backup.errorText), "\(backup)")
    #expect(try !isTold(session.run(["check", file.description]).text))
  }
}
