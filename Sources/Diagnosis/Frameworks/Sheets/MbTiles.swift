// SPDX-License-Identifier: Apache-2.0
// MBTiles, maps in tiles. SQLite's list of application ids has it; most files have its tables alone.

import SQLiteFormat

extension FrameworkSheet {
  static let mbTiles = FrameworkSheet(
    title: "MBTiles",
    applicationIDs: [0x4d50_4258],
    signatures: [
      FrameworkSignature(
        .likely,
        [
          TableShape("metadata", ["name", "value"], complete: true),
          TableShape("tiles", ["zoom_level", "tile_column", "tile_row", "tile_data"]),
        ])
    ])
}
