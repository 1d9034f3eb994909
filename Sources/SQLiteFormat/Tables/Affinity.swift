// SPDX-License-Identifier: Apache-2.0
// The affinity that SQLite derives from a column's declared type.

/// The type that a column prefers for its values.
///
/// "Datatypes in SQLite", section 3.1.
package enum Affinity: String, Hashable, Sendable, CaseIterable {
  /// Text.
  case text
  /// Any number, kept as text where it is none.
  case numeric
  /// As numeric, for columns declared as integers.
  case integer
  /// As numeric, and integers become reals.
  case real
  /// No preference.
  case blob

  /// The affinity of a declared type; a STRICT table's ANY prefers nothing.
  package init(declaredType: String, strict: Bool = false) {
    let type = Name(declaredType)
    self =
      if strict, type == "ANY" {
        .blob
      } else if type.holds("int") {
        .integer
      } else if type.holds("char") || type.holds("clob") || type.holds("text") {
        .text
      } else if type.text.isEmpty || type.holds("blob") {
        .blob
      } else if type.holds("real") || type.holds("floa") || type.holds("doub") {
        .real
      } else {
        .numeric
      }
  }
}
