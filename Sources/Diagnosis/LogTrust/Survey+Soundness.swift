// SPDX-License-Identifier: Apache-2.0
// How sound a reading of the files is: what the choice between two of them goes by.

import SQLiteFormat

extension Survey {
  /// Whether the log beside the file is proven to be another database's.
  package var hasForeignLog: Bool {
    if case .foreign? = image?.wal { true } else { false }
  }

  /// Whether a log or journal lies beside the file that is none of it, or a log that is damaged: SQLite
  /// may make another database of the two.
  package var isMisledByJournals: Bool {
    misleadingSidecar != nil
      || LogCheck.findings(in: self).contains { $0.severity >= .damage }
  }

  /// Why SQLite cannot take back all that the journal beside the file has; nil where it can, or there is
  /// none.
  package var journalFault: String? {
    JournalCheck.findings(in: self).first { $0.code == .journalDamaged }?.message
  }

  /// The suffix of a log or journal beside the file that SQLite must not see there; nil where there
  /// is none.
  package var misleadingSidecar: String? {
    switch image?.journal {
    // A file without an end is none that is better opened alone.
    case .contradictory where image?.isFirstTransaction == true: return nil
    case .otherPageSize, .contradictory: return "-journal"
    case .absent, .applied, .stale, nil: break
    }
    return switch image?.wal {
    case .foreign, .outdated, .contradictory: "-wal"
    case .applied: isLogInDoubt ? "-wal" : nil
    case .absent, .empty, .unusable, nil: nil
    }
  }

  /// Whether the log that is applied has frames that were damaged after they were written.
  var isLogDamaged: Bool {
    guard case .applied(let log)? = image?.wal else { return false }
    return !log.damaged.isEmpty
  }

  /// Whether every tree can be read, the pages that the journals count are all there, and every
  /// index has the keys of its table.
  var isConsistent: Bool {
    areTreesReadable && image?.missingPages == 0
      && !trees.contains(where: isAtOdds)
  }

  /// How many trees are not what they should be; most of all the schema, which names the others.
  var contradictions: Int {
    let others = trees.count { !$0.isReadable || isAtOdds($0) }
    return (schema?.tree.isReadable == true ? 0 : 1 << 20) + others
      + (image?.missingPages == 0 ? 0 : 1)
  }

  /// Whether besides every page has its place, and every record its table.
  var isWhole: Bool {
    guard isConsistent,
      trees.allSatisfy({ $0.isSound && $0.unfit.isEmpty && $0.mistyped.isEmpty })
    else { return false }
    let findings =
      (Checks.ofGeometry + Checks.ofFreeSpace).flatMap { $0.findings(in: self) }
      + SizeCheck.findings(in: self, .damage)
    return findings.allSatisfy { $0.severity < .damage }
  }

  /// The rows of the tables that users fill.
  var userRows: Int { userTables.values.reduce(0) { $0 + $1.records } }
}
