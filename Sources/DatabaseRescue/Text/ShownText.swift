// SPDX-License-Identifier: Apache-2.0
// Text for reports: what comes from a hostile file is spelled out and cut, numbers are grouped.

import SQLiteFormat

extension String {
  /// The name of a table, index or column as a report shows it; `""` where it has no characters.
  var shownName: String { isEmpty ? "\"\"" : harmless(limit: 64) }

  /// The name of a file as a report shows it: uncut, for it stands in commands to paste.
  var shownFile: String { harmless(limit: PlainName.lengthLimit) }

  /// A message that may quote names from the file, as a report shows it.
  var shownMessage: String { harmless(limit: 300) }
}

extension Name {
  /// The name as a report shows it; `""` where it has no characters.
  var shownName: String { text.shownName }
}

extension Int {
  /// The number with its thousands set apart, such as `15,607`.
  var grouped: String { Quantity.grouped(self) }

  /// The number with its noun, such as `15,607 rows` or `1 row`.
  func of(_ noun: String) -> String { Quantity.count(self, noun) }

  /// The number with its noun and verb, such as `2 rows are` or `1 row is`.
  func of(_ noun: String, _ singular: String, _ plural: String) -> String {
    "\(of(noun)) \(self == 1 ? singular : plural)"
  }

  /// The number in hexadecimal, such as `0x1A00`.
  var hexadecimal: String {
    (self < 0 ? "-0x" : "0x") + String(magnitude, radix: 16, uppercase: true)
  }
}
