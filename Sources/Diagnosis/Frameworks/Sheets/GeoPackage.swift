// SPDX-License-Identifier: Apache-2.0
// GeoPackage, maps by a standard of the OGC. SQLite's list of application ids has two of it; files of
// others have its tables alone.

import SQLiteFormat

extension FrameworkSheet {
  static let geoPackage = FrameworkSheet(
    title: "GeoPackage",
    applicationIDs: [0x4750_4b47, 0x4750_3130],
    signatures: [
      FrameworkSignature(
        .certain,
        [
          TableShape("gpkg_contents", ["table_name", "data_type"]),
          TableShape("gpkg_spatial_ref_sys", ["srs_name", "srs_id"]),
        ])
    ])
}
