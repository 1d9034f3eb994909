// SPDX-License-Identifier: Apache-2.0
// Sequelize. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let sequelize = FrameworkSheet(
    title: "Sequelize",
    signatures: [
      FrameworkSignature(.likely, [TableShape("sequelizemeta", ["name"], complete: true)])
    ],
    book: MigrationBook("SequelizeMeta", ["name"]),
    rebuilds: [RebuildName(suffix: "_backup")])
}
