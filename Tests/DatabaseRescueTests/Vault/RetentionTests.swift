// SPDX-License-Identifier: Apache-2.0
// Which backups stay: every rule, on lists of names alone.

import SQLiteFormat
import Testing

@testable import DatabaseRescue

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct RetentionTests {
  /// Midnight of Monday, 2026-11-16.
  private static let monday = Date(timeIntervalSince1970: 1_794_787_200)
  private static let now = monday.addingTimeInterval(20 * 86_400)

  private static func entry(
    _ hours: Double, version: Int32 = 4, good: Bool = true, of database: FilePath = "app.db",
    at place: String? = nil
  ) -> Retention.Entry {
    let name = BackupName(
      database: database, created: monday.addingTimeInterval(hours * 3600), userVersion: version,
      id: BackupID(random: UInt64(bitPattern: Int64(hours * 100)) &* 0x9E37_79B9_7F4A_7C15))
    return Retention.Entry(name, of: place, isGood: good)
  }

  private func reasons(
    _ entries: [Retention.Entry], _ retention: Retention, isSound: Bool = true
  ) -> [PrunePlan.Reason] {
    retention.plan(for: entries.reversed(), now: Self.now, isSound: isSound).decisions
      .map(\.reason)
  }

  @Test func `the newest, one a day, one a week`() {
    let entries = (0..<20).reversed().map { Self.entry(Double($0) * 12) }
    // Two a day, the newest on Wednesday of the second week.
    let found = reasons(entries, Retention(last: 3, daily: 4, weekly: 2))
    let head: [PrunePlan.Reason] = [
      .lastGood, .last, .last, .superseded, .daily, .superseded, .daily,
    ]
    #expect(found == head + Array(repeating: .superseded, count: 13))
    let weekly = reasons(entries, Retention(last: 1, daily: 0, weekly: 2))
    #expect(weekly.firstIndex(of: .weekly) == 6 && weekly.filter { $0 == .weekly }.count == 1)
  }

  @Test func `a week begins on Monday, in UTC`() {
    let entries = [Self.entry(1), Self.entry(-1), Self.entry(-24 * 7 + 1), Self.entry(-24 * 7 - 1)]
    let found = reasons(entries, Retention(last: 1, daily: 0, weekly: 3))
    #expect(found == [.lastGood, .weekly, .superseded, .weekly])
  }

  @Test func `a week before 1970 begins on Monday, too`() {
    let old = { (hours: Double) in Self.entry(hours - 24 * 7 * 3200) }
    let entries = [Self.entry(0), old(1), old(-1), old(-2)]
    #expect(
      reasons(entries, Retention(last: 1, daily: 0, weekly: 9))
        == [.lastGood, .weekly, .weekly, .superseded])
  }

  @Test func `databases of one name at two places keep their last good ones`() {
    let entries = [
      Self.entry(9, at: "b"), Self.entry(8, at: "b"), Self.entry(7, at: "a"), Self.entry(6),
    ]
    let plan = Retention(last: 1, daily: 0, weekly: 0).plan(for: entries, now: Self.now)
    #expect(plan.decisions.map(\.reason) == [.lastGood, .superseded, .lastGood, .lastGood])
    #expect(plan.substitutes.map(\.entry) == [entries[0]])
  }

  @Test func `a damaged one that does not say where its database lies holds up all of its name`() {
    let entries = [
      Self.entry(9, good: false), Self.entry(8, at: "a"), Self.entry(7, at: "a"),
    ]
    let plan = Retention(last: 1, daily: 0, weekly: 0).plan(for: entries, now: Self.now)
    #expect(plan.isHeldUp && plan.removals.isEmpty)
    let older = [Self.entry(8, at: "a"), Self.entry(7, at: "a"), Self.entry(6, good: false)]
    #expect(
      Retention(last: 1, daily: 0, weekly: 0).plan(for: older, now: Self.now).removals
        == [older[1].name])
  }

  @Test func `of two of one second the one that was finished last is the newest`() {
    let names = (1...2).map {
      BackupName(
        database: "app.db", created: Self.monday, userVersion: 4, id: BackupID(random: UInt64($0)))
    }.sorted { $0.id.description > $1.id.description }
    let entries = [
      Retention.Entry(names[0], isGood: true, finished: 1),
      Retention.Entry(names[1], isGood: true, finished: 2),
    ]
    let plan = Retention(last: 1, daily: 0, weekly: 0).plan(for: entries, now: Self.now)
    #expect(plan.removals == [names[0]])
  }

  @Test func `the newest good one of each version stays`() {
    let entries = [
      Self.entry(9, version: 5), Self.entry(8, version: 4, good: false),
      Self.entry(7, version: 4), Self.entry(6, version: 4), Self.entry(5, version: 3),
    ]
    #expect(
      reasons(entries, Retention(last: 1, daily: 0, weekly: 0))
        == [.lastGood, .notGood, .newestOfVersion, .superseded, .newestOfVersion])
  }

  @Test func `nothing goes while the newest is not good`() {
    let entries = [Self.entry(9, good: false)] + (0..<9).reversed().map { Self.entry(Double($0)) }
    let plan = Retention(last: 1, daily: 0, weekly: 0).plan(for: entries, now: Self.now)
    #expect(plan.removals.isEmpty && plan.isHeldUp)
    #expect(Set(plan.decisions.map(\.reason)) == [.newestIsNotGood])
  }

  @Test func `nothing goes while the database has findings`() {
    let entries = (0..<9).reversed().map { Self.entry(Double($0)) }
    #expect(
      Set(reasons(entries, Retention(last: 1, daily: 0, weekly: 0), isSound: false))
        == [.databaseHasFindings])
  }

  @Test func `what is dated in the future stays, and makes nothing else old`() {
    let future = [Self.entry(24 * 900), Self.entry(24 * 800)]
    let entries = future + [Self.entry(3), Self.entry(2), Self.entry(1)]
    #expect(
      reasons(entries, Retention(last: 2, daily: 0, weekly: 0))
        == [.inFuture, .inFuture, .lastGood, .last, .superseded])
  }

  @Test func `one that is not good neither counts nor goes`() {
    let entries = [Self.entry(5), Self.entry(4, good: false), Self.entry(3), Self.entry(2)]
    #expect(
      reasons(entries, Retention(last: 2, daily: 0, weekly: 0))
        == [.lastGood, .notGood, .last, .superseded])
  }

  @Test func `databases that share a vault are decided about one by one`() {
    let entries = [
      Self.entry(5), Self.entry(4, of: "other.db"), Self.entry(3),
      Self.entry(2, good: false, of: "third.db"), Self.entry(1, of: "third.db"),
    ]
    let plan = Retention(last: 1, daily: 0, weekly: 0).plan(for: entries, now: Self.now)
    #expect(plan.removals == [entries[2].name])
    #expect(
      plan.decisions.map(\.reason)
        == [.lastGood, .lastGood, .superseded, .newestIsNotGood, .newestIsNotGood])
  }

  @Test func `whatever the list, the last good one stays, and so does all that is not good`() {
    let seed = UInt64.random(in: .min ... .max)
    var state = seed
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % bound
    }
    for round in 0..<500 {
      // Two backups of one moment would have one name.
      let moments = Set((0..<next(30)).map { _ in next(24 * 60) }).sorted()
      let entries = moments.map {
        Self.entry(Double($0), version: Int32(next(3)), good: next(3) > 0)
      }
      let retention = Retention(last: 1 + next(3), daily: next(4), weekly: next(3))
      let plan = retention.plan(for: entries, now: Self.now)
      let comment: Comment = "seed \(seed), round \(round)"
      #expect(plan.decisions.count == entries.count, comment)
      let removed = Set(plan.removals)
      #expect(entries.allSatisfy { $0.isGood || !removed.contains($0.name) }, comment)
      for version in Set(entries.filter(\.isGood).map(\.name.userVersion)) {
        let newest = entries.filter { $0.isGood && $0.name.userVersion == version }
          .map(\.name.created).max()
        let kept = plan.decisions.filter { $0.isKept && $0.entry.isGood }.map(\.entry.name)
        #expect(kept.contains { $0.created == newest && $0.userVersion == version }, comment)
      }
      // What stays stays: pruning again removes nothing more.
      let rest = plan.decisions.filter(\.isKept).map(\.entry)
      #expect(retention.plan(for: rest, now: Self.now).removals.isEmpty, comment)
    }
  }
}
