// SPDX-License-Identifier: Apache-2.0
// A disk that does not hand out a database: that says nothing of what is in it.

@testable import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct UnreadableFileTests {
  /// A disk that does not hand out the beginning of a file.
  private final class Unreadable: SystemCallWatch {
    private let path: FilePath

    init(_ path: FilePath) { self.path = path }

    func failure(before call: SystemCall) -> Int32? {
      guard call.path == path, case .read = call.effect else { return nil }
      return 5
    }

    func succeeded(_ call: SystemCall) {}
  }

  @Test func `bytes that cannot be read are an error, and no finding`() throws {
    try ScratchFolder.with { scratch in
      let file = scratch["app.db"]
      try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
      let storage = SystemStorage(watchedBy: Unreadable(file))
      let rescue = Rescue(
        world: World(
          storage: storage,
          environment: [
            "DBRESCUE_LOG": scratch["log"].description, "TMPDIR": scratch.path.description,
          ]))
      let input = try InputFiles(file, storage: storage)
      let check = #expect(throws: RescueError.self) { try rescue.check(input) }
      #expect(check?.kind == .inputOutput)
      let salvage = #expect(throws: RescueError.self) {
        try rescue.salvage(input, to: scratch["new.db"])
      }
      #expect(salvage?.kind == .inputOutput)
      let guarded = #expect(throws: RescueError.self) {
        try rescue.guardMigration(of: file, command: ["/bin/true"], onFailure: { _ in .stop })
      }
      #expect(guarded?.kind == .inputOutput)
    }
  }
}
