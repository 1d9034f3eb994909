// SPDX-License-Identifier: Apache-2.0
// Alembic, which notes where each branch of the migrations stands, by a name that tells of no
// order. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let alembic = FrameworkSheet(
    title: "Alembic",
    signatures: [FrameworkSignature(.certain, [TableShape("alembic_version", ["version_num"])])],
    book: MigrationBook("alembic_version", ["version_num"], .heads),
    rebuilds: [RebuildName(prefix: "_alembic_tmp_", isTelling: true)])
}
