// SPDX-License-Identifier: Apache-2.0
// SeaORM, for Rust. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let seaORM = FrameworkSheet(
    title: "SeaORM",
    signatures: [
      FrameworkSignature(.certain, [TableShape("seaql_migrations", ["version", "applied_at"])])
    ],
    book: MigrationBook("seaql_migrations", ["version"]))
}
