// SPDX-License-Identifier: Apache-2.0
// Doctrine Migrations, for PHP. Known from its notes on upgrading and from dumps.

import SQLiteFormat

extension FrameworkSheet {
  static let doctrine = FrameworkSheet(
    title: "Doctrine",
    signatures: [
      FrameworkSignature(
        .certain,
        [TableShape("doctrine_migration_versions", ["version", "executed_at", "execution_time"])])
    ],
    book: MigrationBook("doctrine_migration_versions", ["version"]),
    rebuilds: [RebuildName(prefix: "__temp__", isTelling: true)])
}
