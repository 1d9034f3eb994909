// SPDX-License-Identifier: Apache-2.0
// Esri's databases of maps. SQLite's list of application ids has them.

extension FrameworkSheet {
  static let esri = FrameworkSheet(
    title: "Esri",
    applicationIDs: [0x4573_7269])
}
