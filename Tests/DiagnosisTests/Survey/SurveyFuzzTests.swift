// SPDX-License-Identifier: Apache-2.0
// Random damage: a survey never traps and never hangs, and what it calls sound is what SQLite reads.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `DBRESCUE_FUZZ` is how many mutations are tried, `DBRESCUE_FUZZ_SEED` the first seed: to repeat
/// a failure, give its seed and a count of 1.
@Suite struct SurveyFuzzTests {
  private static func setting(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  private static let batch: UInt64 = 100
  static let batches: [Range<UInt64>] = {
    let first = setting("DBRESCUE_FUZZ_SEED") ?? 1
    let end = first + (setting("DBRESCUE_FUZZ") ?? 1500)
    return stride(from: first, to: end, by: Int(batch)).map { $0..<min($0 + batch, end) }
  }()

  private static let recipes = [
    "wal-committed", "wal-shrinks", "hot-journal", "freelist", "fragmented-pages",
    "long-values-512", "auto-vacuum-full", "without-rowid", "generated-columns", "constraints",
    "integer-keys", "every-value-UTF-16le", "reserved-bytes", "added-columns", "rtree",
  ]

  private static let databases: [(name: String, files: DatabaseFiles)] = {
    let built = try? ScratchFolder.with { scratch in
      try recipes.map { name in
        let recipe = try Recipe.named(name)
        let path = try recipe.build(in: scratch.path)
        return (name, try DatabaseFiles(path, pageSize: recipe.builder.pageSize))
      }
    }
    return built ?? []
  }()

  @Test func `the databases are there`() {
    #expect(Self.databases.count == Self.recipes.count)
  }

  @Test(arguments: batches)
  func `damage never traps, hangs or goes unnoticed where it changes rows`(
    _ seeds: Range<UInt64>
  ) throws {
    for seed in seeds {
      var random = SeededRandom(seed: seed)
      var (name, files) = random.pick(Self.databases)
      let damage = (0...random.below(3)).map { _ in files.damage(using: &random) }
      let label = "seed \(seed), \(name): \(damage.joined(separator: "; "))"
      let main = CountingSource(files[""] ?? [])
      let survey = Survey(main, wal: files["-wal"], journal: files["-journal"])
      let findings = survey.faults
      // A page is read some times for each tree that could have it, and not for each other page.
      #expect(main.bytesRead < 500 * max(main.byteCount, 1 << 16), "\(label)")
      guard findings.isEmpty else { continue }
      // Written out without what a terminal would not show.
      let difference = try difference(of: survey, from: files).map { difference in
        difference.filter { !$0.isASCII || $0 >= " " }
      }
      #expect(difference == nil, "\(label)")
    }
  }

  private func difference(of survey: Survey, from files: DatabaseFiles) throws -> String? {
    try ScratchFolder.with { scratch in
      let path = scratch["mutated.db"]
      try files.write(to: path)
      do {
        return try survey.firstDifference(from: Oracle(path))
      } catch let error as SQLiteError {
        return "SQLite refuses it: \(error.message)"
      }
    }
  }
}

/// A file that counts what is read of it.
private final class CountingSource: PageSource {
  private let source: MemorySource
  private let count = Atomic(0)

  init(_ bytes: Bytes) {
    source = MemorySource(bytes)
  }

  var byteCount: Int { source.byteCount }
  var bytesRead: Int { count.load(ordering: .relaxed) }

  func read(at offset: Int, count wanted: Int) throws(ReadFailure) -> Bytes {
    let bytes = source.read(at: offset, count: wanted)
    count.add(bytes.count, ordering: .relaxed)
    return bytes
  }
}
