// SPDX-License-Identifier: Apache-2.0
// Whatever is healthy is found healthy, backed up and salvaged as it is.

import DatabaseRescue
import Dispatch
import RescueTestSupport
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `DBRESCUE_ZOO=all` tries the large ones too; another value only those whose names hold it.
@Suite(.serialized) struct ZooTests {
  private static let choice = ProcessInfo.processInfo.environment["DBRESCUE_ZOO"]

  static let specimens: [Specimen] = Specimen.all.filter { specimen in
    switch choice {
    case nil: !specimen.isLarge
    case "all": true
    case .some(let part): specimen.description.contains(part)
    }
  }

  @Test(.enabled(if: TestedProgram.canBeTried, "\(TestedProgram.notTried)"))
  func `a healthy database is called healthy, backed up and salvaged whole`() {
    let tally = Tally("zoo", examples: 200)
    let specimens = Self.specimens
    DispatchQueue.concurrentPerform(iterations: specimens.count) { index in
      let specimen = specimens[index]
      let violations: [Violation]
      do { violations = try Self.violations(of: specimen) } catch {
        violations = [Violation("could not be tried", "\(error)")]
      }
      for kind in Set(violations.map(\.kind)) {
        let found = violations.filter { $0.kind == kind }
        tally.add(found[0]) {
          "\(specimen): \(found[0].detail)"
            + (found.count > 1 ? " and \(found.count - 1) more" : "")
        }
      }
      tally.count()
    }
    print(tally.table)
    #expect(tally.violationCount == 0)
  }

  @Test func `there are enough of them, and no two have one name`() {
    #expect(Set(Specimen.all.map(\.description)).count == Specimen.all.count)
    #expect(Specimen.all.count >= 60)
  }

  private static func violations(of specimen: Specimen) throws -> [Violation] {
    try ScratchFolder.with { scratch in
      for name in ["files", "tmp", "log", "vault", "out"] as [FilePath] {
        try SystemStorage().createFolder(scratch[name])
      }
      let database = scratch["files/app.db"]
      try specimen.build(at: database)
      let evidence = try FolderContents(of: scratch["files"])
      let commands = [
        ["check", "files/app.db"], ["backup", "files/app.db", "--vault", "vault"],
        [
          "restore", "files/app.db", "--from", "latest", "--vault", "vault", "--output",
          "out/restored.db",
        ],
        ["salvage", "files/app.db", "--output", "out/salvaged.db"],
      ]
      let endings = try Trial.run(
        commands.map { try Trial($0, seconds: 10 * TestedProgram.patience) }, in: scratch.path,
        environment: [
          "TMPDIR": scratch["tmp"].description,
          "DBRESCUE_LOG": scratch["log/runs.jsonl"].description,
        ])
      var violations = zip(commands, endings).compactMap { command, ending in
        ending.violation(
          of: command[0], expecting: command[0] == "salvage" ? specimen.salvageStatus : 0)
      }
      for (command, ending) in zip(commands, endings) {
        // SQLite alone takes two seconds to make the ten thousand tables of a result.
        let seconds: Double = specimen.isLarge && command[0] == "salvage" ? 6 : 2
        violations += ending.excesses(of: command[0], seconds: seconds)
      }
      // SQLite makes this one where a log is read that others may be writing.
      let changes = evidence.changes(until: try FolderContents(of: scratch["files"]))
      violations += changes.filter { $0 != "added app.db-shm" }.map {
        Violation("input changed", $0)
      }
      for (name, output) in [("restored", "out/restored.db"), ("salvaged", "out/salvaged.db")] {
        let path = scratch[FilePath(output)]
        guard try path.exists else { continue }
        // What only the app can compute is left out, and said; all else is the same.
        let isPartial = name == "salvaged" && specimen.salvageStatus != 0
        violations += try specimen.differences(expected: database, actual: path)
          .filter { !isPartial || !["object lost", "table lost"].contains($0.kind) }
          .map { Violation("\(name): \($0.kind)", $0.detail) }
      }
      return violations
    }
  }
}
