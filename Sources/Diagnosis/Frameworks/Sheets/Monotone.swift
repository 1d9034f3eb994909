// SPDX-License-Identifier: Apache-2.0
// Monotone, a version control system, which has its mark where others have their version.
// SQLite's list of application ids has it.

extension FrameworkSheet {
  static let monotone = FrameworkSheet(
    title: "Monotone",
    userVersionMark: 0x5f4d_544e)
}
