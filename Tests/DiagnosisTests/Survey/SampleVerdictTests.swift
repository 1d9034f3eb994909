// SPDX-License-Identifier: Apache-2.0
// Every sample gets the verdict that its table promises, as far as the bytes alone decide it.

import DatabaseRescue
@testable import Diagnosis
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct SampleVerdictTests {
  /// A row of the table in `samples/README.md`.
  struct Sample: Sendable, CustomStringConvertible {
    let name: String
    let exitStatus: Int32
    var description: String { name }
    var path: FilePath { Checkout.samples.appending(FilePath(name)) }
  }

  static let samples: [Sample] = {
    guard let bytes = try? Checkout.samples.appending("README.md").contents() else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map { $0.filter { $0 != "`" && $0 != " " } }
      guard cells.count == 4, let exitStatus = Int32(cells[3]) else { return nil }
      return Sample(name: cells[0], exitStatus: exitStatus)
    }
  }()

  @Test func `the table is found`() {
    #expect(Self.samples.count > 25)
  }

  @Test(arguments: samples)
  func `the verdict is the one of the table`(_ sample: Sample) throws {
    let survey = try Survey(sample.path)
    // Versions and contracts are another matter: to the bytes such a database is healthy.
    let expected = (10...12).contains(sample.exitStatus) ? 0 : sample.exitStatus
    #expect(
      survey.verdict.exitStatus == expected,
      "\(survey.findings.map { "\($0.severity) \($0.code.name) \($0.message)" })")
  }

  @Test(arguments: samples.filter { $0.exitStatus < 13 })
  func `a sound sample holds SQLite's rows`(_ sample: Sample) throws {
    #expect(try Survey(sample.path).firstDifference(from: Oracle(sample.path)) == nil)
  }

  @Test(arguments: [
    "bad-cell-pointers.db", "swapped-leaves.db", "wiped-header.db", "junk-prepended.db",
    "index-disagrees.db", "zeroed-index-leaf.db",
  ])
  func `damage without loss leaves every row of the healthy sample`(_ name: String) throws {
    let rebuilt = try Reconstruction(Checkout.samples.appending(FilePath(name)))
    let healthy = try Oracle(Checkout.samples.appending("healthy-v4.db"))
    #expect(try rebuilt.survey.firstDifference(from: healthy) == nil)
    #expect(rebuilt.holdsEveryRow)
  }

  @Test func `a sound index counts the rows that are lost`() throws {
    let rebuilt = try Reconstruction(Checkout.samples.appending("zeroed-leaf.db"))
    let sets = try #require(rebuilt.survey.tree(named: "sets"))
    let count = try Oracle(Checkout.samples.appending("healthy-v4.db")).count(of: "sets")
    #expect(count > sets.records)
    #expect(rebuilt.loss(of: sets) == .exactly(count - sets.records))
  }

  @Test func `a sound index gives back the leaves of a table whose root is lost`() throws {
    let rebuilt = try Reconstruction(Checkout.samples.appending("lost-root.db"))
    let sets = try #require(rebuilt.survey.tree(named: "sets"))
    let count = try Oracle(Checkout.samples.appending("healthy-v4.db")).count(of: "sets")
    #expect(sets.records == 0)
    #expect(rebuilt.recordsRegained(by: sets) == count)
    #expect(rebuilt.loss(of: sets) == .none)
  }

  @Test func `rows of another table do not make up for the rows in whose place they lie`() throws {
    let rebuilt = try Reconstruction(Checkout.samples.appending("wrong-page.db"))
    let sets = try #require(rebuilt.survey.tree(named: "sets"))
    let count = try Oracle(Checkout.samples.appending("healthy-v4.db")).count(of: "sets")
    #expect(sets.misplaced.count > 0)
    #expect(rebuilt.loss(of: sets) == .atLeast(count - sets.records - sets.misplaced.count))
  }
}
