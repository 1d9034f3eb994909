// SPDX-License-Identifier: Apache-2.0
// A salvage that takes what a damaged database has lost from a backup.

import Diagnosis

/// A salvage that takes what is lost from a backup: what it works on.
struct BackedSalvage {
  /// The backup.
  let backup: SalvageBackup
  /// The database, examined by what the backup knows of it.
  let examination: Examination
}
