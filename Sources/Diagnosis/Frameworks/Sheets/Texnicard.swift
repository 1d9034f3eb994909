// SPDX-License-Identifier: Apache-2.0
// TeXnicard's databases of cards. SQLite's list of application ids has them.

extension FrameworkSheet {
  static let texnicard = FrameworkSheet(
    title: "TeXnicard",
    applicationIDs: [0x6a03_5744])
}
