// SPDX-License-Identifier: Apache-2.0
// The affinity that SQLite derives from a column's declared type.

/// The type that a column prefers for its values.
///
/// "Datatypes in SQLite", section 3.1.
public enum Affinity: String, Hashable, Sendable, CaseIterable {
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
  public init(declaredType: String, strict: Bool = false) {
    let type = declaredType.uppercased()
    self =
      if strict, type == "ANY" {
        .blob
      } else if type.contains("INT") {
        .integer
      } else if type.contains("CHAR") || type.contains("CLOB") || type.contains("TEXT") {
        .text
      } else if type.contains("BLOB") || type.isEmpty {
        .blob
      } else if type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB") {
        .real
      } else {
        .numeric
      }
  }
}
