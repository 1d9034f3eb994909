// SPDX-License-Identifier: Apache-2.0
// What Android's own SQLite leaves in each database; `user_version` is its version. Read in its
// source.

import SQLiteFormat

extension FrameworkSheet {
  static let android = FrameworkSheet(
    title: "Android",
    signatures: [FrameworkSignature(.certain, [TableShape("android_metadata", ["locale"])])],
    distance: 100)
}
