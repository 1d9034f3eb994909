// SPDX-License-Identifier: Apache-2.0
// What is said of files that a process has open, and that nobody else can reach.

@testable import Diagnosis
import Testing

@Suite struct LiveUseTests {
  @Test(
    arguments: [
      (.database, true, "process 7 has a file that was this database open that was deleted"),
      (.log, true, "process 7 has a -wal of this database open that was deleted"),
      (.index, false, "process 7 has the -shm of this database open that lies elsewhere"),
      (
        .journal, false,
        "process 7 has the -journal of a transaction of this database open that lies elsewhere"
      ),
    ] as [(LiveUse.HeldFile.Role, Bool, String)])
  func `each file that is held apart is a finding of its own`(
    _ role: LiveUse.HeldFile.Role, _ isDeleted: Bool, _ words: String
  ) {
    let held = LiveUse.HeldFile(role: role, process: 7, byteCount: 4096, isDeleted: isDeleted)
    let findings = LiveUse(heldApart: [held]).findings
    #expect(findings.map(\.code) == [.fileHeldApart])
    #expect(findings.first?.message == "\(words), with 4096 bytes")
  }

  @Test func `where nobody holds a file apart, nothing is said`() {
    #expect(LiveUse().findings.isEmpty)
  }
}
