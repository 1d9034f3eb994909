// SPDX-License-Identifier: Apache-2.0
// Chrome and its kin: each of their databases has a table with its version, and with the oldest one
// that can still read it; these two rows tell those of which no other table is known. Known from
// statements of its own tests and of programs that read its files.

import SQLiteFormat

extension FrameworkSheet {
  static let chrome = FrameworkSheet(
    title: "Chrome",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("meta", ["key", "value"], complete: true),
          TableShape("urls", ["id", "url", "title", "visit_count", "last_visit_time"]),
          TableShape("visits", ["id", "url", "visit_time"]),
        ]),
      FrameworkSignature(
        .certain,
        [
          TableShape("meta", ["key", "value"], complete: true),
          TableShape("cookies", ["creation_utc", "host_key", "name"]),
        ]),
      FrameworkSignature(
        .certain,
        [
          TableShape("meta", ["key", "value"], complete: true),
          TableShape("logins", ["origin_url", "username_value", "password_value"]),
        ]),
      FrameworkSignature(
        .certain,
        [
          TableShape("meta", ["key", "value"], complete: true),
          TableShape("autofill", ["name", "value", "date_created"]),
        ]),
      FrameworkSignature(
        .certain,
        [
          TableShape(
            "meta", ["key", "value"], complete: true,
            rows: [
              RowCondition("key", .isText("version")),
              RowCondition("key", .isText("last_compatible_version")),
            ])
        ]),
    ],
    book: MigrationBook(
      "meta", ["value"], .number, counts: [RowCondition("key", .isText("version"))]))
}
