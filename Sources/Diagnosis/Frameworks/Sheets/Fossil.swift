// SPDX-License-Identifier: Apache-2.0
// Fossil, a version control system. SQLite's list of application ids has three of it: a checkout, the
// configuration and a repository.

extension FrameworkSheet {
  static let fossil = FrameworkSheet(
    title: "Fossil",
    applicationIDs: [0x0f05_5111, 0x0f05_5112, 0x0f05_5113])
}
