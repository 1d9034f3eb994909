// SPDX-License-Identifier: Apache-2.0
// What of a contract was not checked.

import SQLiteFormat

extension Unchecked {
  /// What of a contract a damaged database is not asked.
  static let contract = Unchecked(
    .contract, of: nil as String?,
    because: "it is damaged: what its bytes say is compared, and no row is asked")

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
