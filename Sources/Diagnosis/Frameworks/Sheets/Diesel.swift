// SPDX-License-Identifier: Apache-2.0
// diesel, for Rust. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let diesel = FrameworkSheet(
    title: "diesel",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("__diesel_schema_migrations", ["version", "run_on"])])
    ],
    book: MigrationBook("__diesel_schema_migrations", ["version"]))
}
