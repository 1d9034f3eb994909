// SPDX-License-Identifier: Apache-2.0
// Entity Framework Core. By its documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let efCore = FrameworkSheet(
    title: "EF Core",
    signatures: [
      FrameworkSignature(
        .certain, [TableShape("__efmigrationshistory", ["migrationid", "productversion"])])
    ],
    book: MigrationBook("__EFMigrationsHistory", ["migrationid"]),
    unfinished: [
      UnfinishedMark(
        "__EFMigrationsLock", [RowCondition("id", .isAny)], says: "holds its lock still", .likely)
    ],
    rebuilds: [RebuildName(prefix: "ef_temp_", isTelling: true)])
}
