// SPDX-License-Identifier: Apache-2.0
// How counts are said.

/// A count with its noun: `1 row`, `2 rows`.
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}
