// SPDX-License-Identifier: Apache-2.0
// refinery, for Rust. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let refinery = FrameworkSheet(
    title: "refinery",
    signatures: [
      FrameworkSignature(
        .certain,
        [TableShape("refinery_schema_history", ["version", "name", "applied_on", "checksum"])])
    ],
    book: MigrationBook("refinery_schema_history", ["version"]))
}
