// SPDX-License-Identifier: Apache-2.0
// The one-word sum of the findings, and what else is said about a database in one word.

/// What is to be said of a database in one word.
public enum Verdict: String, Hashable, Sendable, CaseIterable, Codable {
  /// The structure is sound and the contract, if one was given, holds.
  case healthy
  /// Sound, but of an older version than the contract: needs migration.
  case outdated
  /// Sound, but from a newer app than the contract: neither migrate nor reset.
  case newer
  /// The right version with the wrong schema or a broken invariant.
  case drifted
  /// Structural damage; every row can be read.
  case damagedIntact = "damaged-intact"
  /// Structural damage; rows are lost or doubtful.
  case damagedLossy = "damaged-lossy"
  /// Not a database, encrypted without its key, or undetermined.
  case unreadable

  /// The word that is shown: both kinds of damage read `damaged`.
  public var word: String {
    switch self {
    case .damagedIntact, .damagedLossy: "damaged"
    default: rawValue
    }
  }

  /// Whether rows are lost or doubtful.
  public var losesRows: Bool { self == .damagedLossy || self == .unreadable }

  /// Whether the structure is sound, so that SQLite can open the database and read all of it.
  package var isStructureSound: Bool {
    switch self {
    case .healthy, .outdated, .newer, .drifted: true
    case .damagedIntact, .damagedLossy, .unreadable: false
    }
  }

  /// What the verdict means for the data, in one sentence without a full stop.
  public var meaning: String {
    switch self {
    case .healthy: "the structure is sound and everything expected is there"
    case .outdated: "sound, but older than the app expects: it needs a migration"
    case .newer: "sound, but written by a newer app: do not migrate it and do not reset it"
    case .drifted: "sound, but its schema, its migrations or an invariant are not those expected"
    case .damagedIntact: "the structure is damaged, but every row can be read"
    case .damagedLossy: "the structure is damaged, and rows are lost or doubtful"
    case .unreadable: "this cannot be read as a database"
    }
  }
}

/// How the version found relates to the version expected.
public enum VersionRelation: String, Hashable, Sendable, CaseIterable, Codable {
  /// No expectation was given, or no version could be read.
  case unknown
  /// The versions are equal.
  case equal
  /// The database is older than expected.
  case older
  /// The database is newer than expected.
  case newer
  /// It lacks migrations that are expected, and has some that are not.
  case diverged
  /// It is of another version, and nothing tells which of the two is the newer one.
  case other

  /// Whether one is known to be the older one.
  package var isOrdered: Bool { self == .older || self == .newer }

  /// What it means that a database of such a version has drifted; nil where nothing is known of it.
  var meaningOfDrift: String? {
    switch self {
    case .unknown, .older, .newer: nil
    case .equal: "the version is right, but the schema or an invariant is not"
    case .diverged:
      "sound, but neither older nor newer than the app expects: migrations are missing, and others "
        + "were carried out that the contract does not know"
    case .other:
      "sound, but of another version than the app expects, and nothing tells which is the newer one"
    }
  }
}

/// What is known of rows that have not been sent anywhere yet.
public enum UnsyncedRows: Hashable, Sendable {
  /// Looked for, and there are none.
  case none
  /// So many rows wait.
  case some(Int)
  /// Nothing says where they would be, or the place cannot be read. Never read as zero.
  case cannotTell

  /// The sum of several places: where rows wait, at least so many; never none where one place cannot
  /// tell, or where there is no place to look.
  package init(_ places: [UnsyncedRows]) {
    var count = 0
    for case .some(let rows) in places { count += rows }
    self =
      count > 0
      ? .some(count) : places.isEmpty || places.contains(.cannotTell) ? .cannotTell : .none
  }
}
