// SPDX-License-Identifier: Apache-2.0
// What of a contract was not checked.

import SQLiteFormat

extension Unchecked {
  /// What of a contract a database is not asked of which SQLite must not read the rows: because it
  /// is damaged, or because there is none that could be.
  static func contract(of survey: Survey) -> Unchecked {
    Unchecked(
      .contract, of: nil as String?,
      because: survey.image == nil
        ? "there is no database here that could be read"
        : "it is damaged: what its bytes say is compared, and no row is asked")
  }

  /// What of a contract was not checked.
  static func all(in verification: ContractVerification) -> [Unchecked] {
    var all = verification.uncheckedInvariants.map {
      Unchecked(.contract, of: $0.name, because: $0.reason)
    }
    all += verification.uncheckedForeignKeys.map {
      Unchecked(.references, of: $0.name, because: $0.reason)
    }
    all += verification.unsynced.filter { $0.rows == .cannotTell }.map {
      Unchecked(.contract, of: $0.table, because: "its rows that wait cannot be counted")
    }
    return all
  }
}
