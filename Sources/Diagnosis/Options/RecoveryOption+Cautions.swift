// SPDX-License-Identifier: Apache-2.0
// What is said of an option where the cause asks for care: a sound database that something happened
// to, and indexes that know more than their table.

import SQLiteFormat

extension RecoveryOption {
  /// New indexes where the table is older than those that there are.
  var ofOlderTable: Self {
    var option = self
    option.summary =
      "build the indexes anew from their tables, which are older: what the indexes alone have is "
      + "lost"
    return option
  }
}

extension Examination {
  /// What to do first with a database that is sound, where something happened to it; nil for nothing.
  var soundButFirst: String? {
    if let packing = use.packing {
      return "the database is sound, but lies in a \(packing.kind.rawValue) archive: unpack it "
        + "first"
    }
    if survey.isBareWAL {
      return "the database is sound, but has no table: if it had rows, look for its -wal first"
    }
    // Beside a sound database nothing else can be cut off.
    if causes.causes.contains(where: { $0.kind == .cutOff }) {
      return "the database is sound with its -wal and -journal, but the -wal is cut off: ask for "
        + "it again first"
    }
    return switch causes.leading?.kind {
    case .walReset: "the database is sound, but lacks commits: copy it and its -wal first"
    case .severalWriters:
      "the database is sound, but a copy beside it has other rows: merge the two first"
    case .copiedWithoutLog:
      "the database is sound, but its log is missing: look for the -wal first"
    case .migrationCutOff:
      "the database is sound, but a migration did not finish: look at it first"
    case .interrupted: "the database is sound with its -wal and -journal: keep them together"
    default: nil
    }
  }
}
