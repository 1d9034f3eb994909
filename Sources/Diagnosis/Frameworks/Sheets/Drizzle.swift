// SPDX-License-Identifier: Apache-2.0
// Drizzle, which knows its migrations by a hash of their text, and the last one by its time. Read in
// its source.

import SQLiteFormat

extension FrameworkSheet {
  static let drizzle = FrameworkSheet(
    title: "Drizzle",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("__drizzle_migrations", ["id", "hash", "created_at"])])
    ],
    book: MigrationBook(
      "__drizzle_migrations", ["hash"], .set, order: "created_at", isOfHashes: true),
    rebuilds: [RebuildName(prefix: "__new_", isTelling: true)])
}
