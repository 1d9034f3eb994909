// SPDX-License-Identifier: Apache-2.0
// From findings to one word, and from the word to an exit status.

extension Verdict {
  /// The sum of the findings of a file.
  ///
  /// Damage to the structure weighs more than a wrong version, and a wrong version more than
  /// a wrong schema: an older schema is expected to differ. What another app wrote is not older, and what
  /// a migration has left unfinished is neither older nor newer.
  package init(isDatabase: Bool, _ findings: [Finding]) {
    let codes = Set(findings.map(\.code))
    let structural = findings.filter { $0.code.subject == .structure }.map(\.severity).max()
    let schema = findings.filter { $0.code.subject == .contract }.map(\.severity).max()
    let isOfAnotherApp = findings.contains {
      $0.code == .applicationMismatch && $0.severity >= .damage
    }
    let isHalfDone = findings.contains {
      $0.code == .migrationUnfinished && $0.severity >= .damage
    }
    self =
      if !isDatabase || codes.contains(.geometryUndetermined) || codes.contains(.unreadableBytes) {
        .unreadable
      } else if structural == .loss {
        .damagedLossy
      } else if structural == .damage {
        .damagedIntact
      } else if isHalfDone {
        .drifted
      } else if codes.contains(.versionNewer) {
        .newer
      } else if isOfAnotherApp {
        .drifted
      } else if codes.contains(.versionOlder) {
        .outdated
      } else if let schema, schema >= .damage {
        .drifted
      } else {
        .healthy
      }
  }

  /// The exit status of a command that ends in this verdict.
  package var exitStatus: Int32 {
    switch self {
    case .healthy: 0
    case .outdated: 10
    case .newer: 11
    case .drifted: 12
    case .damagedIntact: 13
    case .damagedLossy: 14
    case .unreadable: 15
    }
  }
}

extension FindingCode {
  /// What a kind of finding is about.
  enum Subject {
    /// The bytes of the file.
    case structure
    /// What the app expects.
    case contract
    /// What the rows mean.
    case data
  }

  /// What this kind of finding is about.
  var subject: Subject {
    switch rawValue {
    // It says nothing of the database in the archive.
    case Self.packed.rawValue: .contract
    case ..<130: .structure
    case ..<140: .data
    case ..<160: .contract
    default: .data
    }
  }
}
