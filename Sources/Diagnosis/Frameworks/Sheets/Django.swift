// SPDX-License-Identifier: Apache-2.0
// Django; each of its apps has migrations of its own. Read in its source.

import SQLiteFormat

extension FrameworkSheet {
  static let django = FrameworkSheet(
    title: "Django",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("django_migrations", ["id", "app", "name", "applied"])])
    ],
    book: MigrationBook("django_migrations", ["app", "name"], order: "id", group: "app"),
    rebuilds: [RebuildName(prefix: "new__", isOdd: true), RebuildName(suffix: "__old")])
}
