// SPDX-License-Identifier: Apache-2.0
// Bentley's BeSQLite. SQLite's list of application ids has two of it: databases, and files of translations.

extension FrameworkSheet {
  static let bentley = FrameworkSheet(
    title: "Bentley",
    applicationIDs: [0x4265_4462, 0x4265_4c6e])
}
