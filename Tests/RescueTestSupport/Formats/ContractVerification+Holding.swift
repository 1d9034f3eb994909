// SPDX-License-Identifier: Apache-2.0
// Whether a database is all that its contract expects.

package import Diagnosis

extension ContractVerification {
  /// Whether the database is all that the contract expects; unsynced rows do not count.
  package var holds: Bool {
    relation == .equal && isExpectedApplication && drifts.isEmpty && brokenInvariants.isEmpty
      && uncheckedInvariants.isEmpty && danglingReferences.isEmpty && uncheckedForeignKeys.isEmpty
  }
}
