// SPDX-License-Identifier: Apache-2.0
// Firefox and its kin: the tables of its places, cookies and forms; `user_version` is their version.
// Known from statements of programs that read its files.

import SQLiteFormat

extension FrameworkSheet {
  static let firefox = FrameworkSheet(
    title: "Firefox",
    signatures: [
      FrameworkSignature(.certain, [TableShape("moz_places", ["id", "url", "title", "rev_host"])]),
      FrameworkSignature(
        .certain, [TableShape("moz_cookies", ["id", "name", "value", "host", "expiry"])]),
      FrameworkSignature(.certain, [TableShape("moz_formhistory", ["id", "fieldname", "value"])]),
    ])
}
