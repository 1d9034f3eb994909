// SPDX-License-Identifier: Apache-2.0
// Cloudflare's D1. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let d1 = FrameworkSheet(
    title: "D1",
    signatures: [
      FrameworkSignature(.certain, [TableShape("d1_migrations", ["id", "name", "applied_at"])])
    ],
    book: MigrationBook("d1_migrations", ["name"], order: "id"))
}
