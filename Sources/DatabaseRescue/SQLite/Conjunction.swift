// SPDX-License-Identifier: Apache-2.0
// Many conditions as one.

extension [String] {
  /// One condition of many, no deeper than SQLite allows.
  var conjunction: String {
    guard count > 100 else { return joined(separator: " AND ") }
    let half = count / 2
    return "(\(Array(self[..<half]).conjunction)) AND (\(Array(self[half...]).conjunction))"
  }
}
