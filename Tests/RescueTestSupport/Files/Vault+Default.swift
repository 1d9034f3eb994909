// SPDX-License-Identifier: Apache-2.0
// The vault of a database, where nothing says another one.

package import DatabaseRescue

extension Vault {
  /// Makes a view of the folder where the backups of a database are kept by default.
  package init(of database: FilePath, in storage: any Storage = SystemStorage()) {
    self.init(Self.defaultFolder(of: database), of: database, in: storage)
  }
}
