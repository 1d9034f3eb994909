// SPDX-License-Identifier: Apache-2.0
// Numbers for people: sizes, counts and spans of time.

import Diagnosis

/// Numbers for people.
package enum Quantity {
  /// A size in decimal units, such as `1.2 MB`.
  package static func bytes(_ count: Int) -> String {
    guard count >= 1000 else { return Self.count(count, "byte") }
    var tenths = Double(count) / 100
    for unit in ["kB", "MB", "GB", "TB", "PB", "EB"] {
      let rounded = Int(tenths.rounded())
      if rounded < 100 { return "\(rounded / 10).\(rounded % 10) \(unit)" }
      let whole = Int((tenths / 10).rounded())
      if whole < 1000 { return "\(whole) \(unit)" }
      tenths /= 1000
    }
    return Self.count(count, "byte")
  }

  /// A number with its noun, such as `15,607 rows` or `1 row`.
  package static func count(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    counted(number, noun, plural)
  }

  /// A number with its thousands set apart, such as `15,607`.
  package static func grouped(_ number: Int) -> String {
    Diagnosis.grouped(number)
  }

  /// A short span of time, such as `0.03 s` or `12.4 s`.
  package static func shortTime(seconds: Double) -> String {
    let hundredths = Int(min(max(0, seconds), 1e9) * 100)
    let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
    return "\(whole).\(rest < 10 ? "0" : "")\(rest) s"
  }

  /// A span of time in its largest fitting unit, such as `8 s`, `3 min`, `2 h` or `5 days`.
  package static func duration(seconds: Double) -> String {
    let seconds = max(0, seconds)
    if seconds < 60 { return "\(Int(seconds)) s" }
    if seconds < 3600 { return "\(Int(seconds / 60)) min" }
    if seconds < 48 * 3600 { return "\(Int(seconds / 3600)) h" }
    return count(Int(min(seconds / 86_400, 1e9)), "day")
  }
}
