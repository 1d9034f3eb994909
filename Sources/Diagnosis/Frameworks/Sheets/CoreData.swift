// SPDX-License-Identifier: Apache-2.0
// Core Data and SwiftData, whose model is described in a property list. Known from statements and
// values that others have printed; no store was at hand.

import SQLiteFormat

extension FrameworkSheet {
  static let coreData = FrameworkSheet(
    title: "Core Data",
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("z_metadata", ["z_version", "z_uuid", "z_plist"]),
          TableShape("z_primarykey", ["z_ent", "z_name", "z_super", "z_max"]),
        ]),
      FrameworkSignature(.likely, [TableShape("z_metadata", ["z_version", "z_uuid", "z_plist"])]),
    ],
    book: MigrationBook("z_metadata", ["z_plist"], .model),
    unsynced: [
      // The mirror to CloudKit keeps its state in blobs.
      UnsyncedTables(TableShape(name: .prefix("ansck"), []), .cannotTell)
    ])
}
