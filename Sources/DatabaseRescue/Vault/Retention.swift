// SPDX-License-Identifier: Apache-2.0
// Which backups are kept, and why: a function of what there is, without a look at any file.

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Which backups of a vault are kept.
///
/// Only a good backup is ever removed, and only while a newer good one is there: what is not good may
/// hold the only copy of rows, and a good one in doubt is worth more than the space it takes.
package struct Retention: Hashable, Sendable {
  /// How many of the newest are kept.
  package var last: Int
  /// Of how many days the newest is kept, counting days that have a backup.
  package var daily: Int
  /// Of how many weeks the newest is kept, counting weeks that have a backup.
  package var weekly: Int

  /// Makes a policy.
  package init(last: Int = 5, daily: Int = 7, weekly: Int = 4) {
    self.last = last
    self.daily = daily
    self.weekly = weekly
  }

  /// A backup, as far as it matters here.
  package struct Entry: Hashable, Sendable {
    /// Its name, which says of what database it is, and of which version.
    package var name: BackupName
    /// When it was made.
    package var created: Date
    /// A digest of where the database lies; nil where that is not known.
    package var place: String?
    /// Whether it can stand in for the database.
    package var isGood: Bool
    /// Whether a run that has not ended relies on it.
    package var isInUse: Bool
    /// Whether it is the way back from a migration that was refused and left.
    package var isWayBack: Bool
    /// How many of the same second there were before it.
    package var ordinal: Int
    /// When it was finished, in seconds, by which two of one second and one ordinal are told apart.
    package var finished: Double

    /// Makes an entry.
    package init(
      _ name: BackupName, created: Date? = nil, of place: String? = nil, isGood: Bool,
      isInUse: Bool = false, isWayBack: Bool = false, ordinal: Int = 0, finished: Double = 0
    ) {
      self.name = name
      self.created = created ?? name.created
      self.place = place
      (self.ordinal, self.finished) = (ordinal, finished)
      self.isGood = isGood
      self.isInUse = isInUse
      self.isWayBack = isWayBack
    }
  }

  /// Decides about the backups of a vault, each database for itself: several may have one name.
  ///
  /// - Parameters:
  ///   - entries: The backups, in any order.
  ///   - now: The time.
  ///   - isSound: Whether nothing is wrong with the databases themselves, as far as is known.
  /// - Returns: What becomes of each, newest first.
  package func plan(for entries: [Entry], now: Date, isSound: Bool = true) -> PrunePlan {
    let byDatabase = Dictionary(grouping: entries, by: \.database)
    // One that does not say where its database lies may be of any of that name.
    let unplaced = entries.filter { $0.place == nil && !$0.isGood }
    let decisions = byDatabase.values.flatMap { own in
      let others = unplaced.filter { $0.name.database == own[0].name.database && !own.contains($0) }
      return decide(own.sorted(by: Entry.isNewer), besides: others, now, isSound)
    }
    return PrunePlan(decisions: decisions.sorted { Entry.isNewer($0.entry, $1.entry) })
  }

  /// Decides about the backups of one database, newest first, beside which others may be its own.
  private func decide(
    _ entries: [Entry], besides others: [Entry], _ now: Date, _ isSound: Bool
  ) -> [PrunePlan.Decision] {
    if !isSound { return entries.map { PrunePlan.Decision($0, .databaseHasFindings) } }
    // A clock that went wrong must not make others look old.
    let newest = (entries + others).filter { $0.created <= now }.min(by: Entry.isNewer)
    guard newest?.isGood != false else {
      return entries.map { PrunePlan.Decision($0, .newestIsNotGood) }
    }
    var seen = Seen()
    let good = entries.filter { $0.isGood && $0.created <= now }
    let lastGood = good.first
    return entries.map { entry in
      if entry.created > now { return PrunePlan.Decision(entry, .inFuture) }
      if !entry.isGood { return PrunePlan.Decision(entry, .notGood) }
      let reason = keep(entry, &seen)
      return PrunePlan.Decision(
        entry,
        entry == lastGood ? .lastGood : reason ?? Self.need(of: entry) ?? .superseded)
    }
  }

  /// Why a backup is needed that no rule keeps; nil where it is not.
  private static func need(of entry: Entry) -> PrunePlan.Reason? {
    entry.isInUse ? .inUse : entry.isWayBack ? .wayBack : nil
  }

  /// What good backups have been seen so far, of newest first.
  private struct Seen {
    var count = 0
    var days: Set<Int> = []
    var weeks: Set<Int> = []
    var versions: Set<Int32> = []
  }

  /// Why a good backup is kept; nil when nothing speaks for it.
  private func keep(_ entry: Entry, _ seen: inout Seen) -> PrunePlan.Reason? {
    seen.count += 1
    let isFirstOfDay = seen.days.insert(entry.day).inserted
    let isFirstOfWeek = seen.weeks.insert(entry.week).inserted
    let isFirstOfVersion = seen.versions.insert(entry.name.userVersion).inserted
    if seen.count <= last { return .last }
    if isFirstOfDay, seen.days.count <= daily { return .daily }
    if isFirstOfWeek, seen.weeks.count <= weekly { return .weekly }
    return isFirstOfVersion ? .newestOfVersion : nil
  }
}

extension Retention.Entry {
  /// The day on which it was made, in days since 1970.
  fileprivate var day: Int { Int((created.timeIntervalSince1970 / 86_400).rounded(.down)) }

  /// The week in which it was made; weeks begin on Mondays, and 1970 began on a Thursday.
  fileprivate var week: Int { (day + 3 - ((day + 3) % 7 + 7) % 7) / 7 }
}

extension Retention.Entry {
  /// The database that it is of, as far as that is known.
  fileprivate var database: [String?] { [name.database.description, place] }

  /// Whether a backup comes before another, newest first.
  fileprivate static func isNewer(_ left: Self, _ right: Self) -> Bool {
    (left.created, left.ordinal, left.finished, left.name.id.description)
      > (right.created, right.ordinal, right.finished, right.name.id.description)
  }
}

/// What becomes of each backup of a vault.
package struct PrunePlan: Hashable, Sendable {
  /// Why a backup is kept or removed.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// It is the newest that can stand in for the database.
    case lastGood = "last-good"
    /// It is one of the newest.
    case last
    /// It is the newest of its day.
    case daily
    /// It is the newest of its week.
    case weekly
    /// It is the newest of its schema version.
    case newestOfVersion = "version"
    /// A run that has not ended relies on it.
    case inUse = "in-use"
    /// A migration was refused and left as it was: it is the way back.
    case wayBack = "way-back"
    /// It is dated later than now.
    case inFuture = "future"
    /// It is not good: it may be all that is left of some rows.
    case notGood = "not-good"
    /// The newest backup of the database is not good, so that older ones are needed.
    case newestIsNotGood = "newest-not-good"
    /// The database itself is damaged, so that older backups are needed.
    case databaseHasFindings = "database-has-findings"
    /// It is good, and newer ones have taken its place.
    case superseded

    /// The reason in words, to follow what becomes of the backup.
    package var text: String {
      switch self {
      case .lastGood: "the newest good one"
      case .last: "one of the newest"
      case .daily: "the newest of its day"
      case .weekly: "the newest of its week"
      case .newestOfVersion: "the newest of its version"
      case .inUse: "a run that has not ended relies on it"
      case .wayBack: "the way back from a migration that was refused"
      case .inFuture: "dated in the future"
      case .notGood: "not good, and perhaps all that is left of some rows"
      case .newestIsNotGood: "the newest backup is not good"
      case .databaseHasFindings: "the database has findings"
      case .superseded: "newer good ones have taken its place"
      }
    }
  }

  /// What becomes of one backup.
  package struct Decision: Hashable, Sendable {
    /// The backup.
    package var entry: Retention.Entry
    /// Why.
    package var reason: Reason

    /// Whether it stays.
    package var isKept: Bool { reason != .superseded }

    init(_ entry: Retention.Entry, _ reason: Reason) {
      self.entry = entry
      self.reason = reason
    }
  }

  /// The decisions, newest backup first.
  package var decisions: [Decision]

  /// Whether older backups stay because something is wrong with the newest, or with the database.
  package var isHeldUp: Bool {
    decisions.contains { [.newestIsNotGood, .databaseHasFindings].contains($0.reason) }
  }

  /// The good backups that stay in the place of those that go: the newest of the database, and the
  /// newest of the same day, week and version.
  var substitutes: [Decision] {
    let kept = decisions.filter {
      $0.isKept && ![.inFuture, .notGood, .inUse, .wayBack].contains($0.reason)
    }
    let found = decisions.filter { !$0.isKept }.map(\.entry).flatMap { entry in
      let same = kept.filter { $0.entry.database == entry.database }
      return [
        same.first { $0.reason == .lastGood }, same.first { $0.entry.day == entry.day },
        same.first { $0.entry.week == entry.week },
        same.first { $0.entry.name.userVersion == entry.name.userVersion },
      ].compactMap(\.self)
    }
    return kept.filter(found.contains)
  }

  /// The backups that are not good by now and were when an earlier plan was made.
  package func broken(since earlier: PrunePlan) -> [BackupName] {
    let before = Set(earlier.decisions.filter { $0.entry.isGood }.map(\.entry.name))
    return decisions.filter { !$0.entry.isGood && before.contains($0.entry.name) }.map(\.entry.name)
  }

  /// The backups that go, oldest first.
  package var removals: [BackupName] {
    decisions.filter { !$0.isKept }.reversed().map(\.entry.name)
  }
}
