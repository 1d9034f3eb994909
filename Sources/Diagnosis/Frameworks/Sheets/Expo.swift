// SPDX-License-Identifier: Apache-2.0
// The key-value store of Expo; its other databases carry no mark but `user_version`. By its
// documentation.

import SQLiteFormat

extension FrameworkSheet {
  static let expo = FrameworkSheet(
    title: "Expo",
    signatures: [
      FrameworkSignature(.likely, [TableShape("storage", ["key", "value"], complete: true)])
    ])
}
