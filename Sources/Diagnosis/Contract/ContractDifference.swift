// SPDX-License-Identifier: Apache-2.0
// One way in which a schema is not the one that a contract expects, and what would mend it.

/// One way in which a schema is not the one expected.
package struct ContractDifference: Hashable, Sendable {
  /// The kinds of difference.
  package enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// It is expected and not there.
    case missing
    /// It is there and not expected.
    case extra
    /// It is there and other than expected.
    case changed
  }

  /// How much a difference weighs.
  package enum Weight: String, Hashable, Sendable, CaseIterable, Codable {
    /// Values are stored, found and checked alike; only their order or declared type reads
    /// otherwise.
    case notice
    /// The database does not do what the app expects.
    case drift
  }

  /// What can differ.
  package enum Subject: String, Hashable, Sendable, CaseIterable, Codable {
    /// A table, by name.
    case table
    /// WITHOUT ROWID and STRICT, by table.
    case options = "table options"
    /// The primary key, by table.
    case primaryKey = "primary key"
    /// A column, by table and name.
    case column
    /// The order of the columns, by table.
    case columnOrder = "column order"
    /// A CHECK constraint, by table.
    case check
    /// A UNIQUE constraint, by table.
    case unique = "unique constraint"
    /// What happens to rows that break a constraint, by table.
    case conflictClause = "conflict clause"
    /// A foreign key, by table.
    case foreignKey = "foreign key"
    /// An index, by name.
    case index
    /// A view, by name.
    case view
    /// A trigger, by name.
    case trigger
  }

  /// What would mend a difference.
  package enum Mend: Hashable, Sendable {
    /// One SQL statement.
    case statement(String)
    /// No single statement, and why.
    case none(because: String)
  }

  /// What kind of difference it is.
  package let kind: Kind
  /// How much it weighs.
  package let weight: Weight
  /// What differs.
  package let subject: Subject
  /// The name of what differs, such as `workouts.timezone`.
  package let object: String
  /// What is expected, in a few words of SQL; nil where it should not be there.
  package let expected: String?
  /// What is there, in a few words of SQL; nil where nothing is.
  package let found: String?
  /// What would mend it.
  package let mend: Mend

  /// Makes a difference.
  package init(
    _ kind: Kind, _ subject: Subject, _ object: String, expected: String? = nil,
    found: String? = nil, mend: Mend, weight: Weight = .drift
  ) {
    self.kind = kind
    self.weight = weight
    self.subject = subject
    self.object = object
    self.expected = expected
    self.found = found
    self.mend = mend
  }

  /// What differs, such as `missing column workouts.timezone`.
  package var headline: String { "\(kind.rawValue) \(subject.rawValue) \(object)" }

  /// The difference in one line, such as `missing column workouts.timezone (TEXT)`.
  package var summary: String {
    switch (expected, found) {
    case (let expected?, let found?): "\(headline): expected \(expected), found \(found)"
    case (let detail?, nil), (nil, let detail?): "\(headline) (\(detail))"
    case (nil, nil): headline
    }
  }

  /// The lines of a diff: the difference after its sign, then what would mend it.
  package var lines: [String] {
    let sign =
      switch kind {
      case .missing: "-"
      case .extra: "+"
      case .changed: "~"
      }
    let note = weight == .notice ? " [notice]" : ""
    let mending =
      switch mend {
      case .statement(let sql): "    mend: \(SQLTokens(parsing: sql).sql);"
      case .none(let reason): "    no single statement mends it: \(reason)"
      }
    guard let expected, let found else { return ["\(sign) \(summary)\(note)", mending] }
    return [
      "\(sign) \(headline)\(note)", "    expected: \(expected)", "    found:    \(found)", mending,
    ]
  }

  /// A readable diff; empty when there are no differences.
  package static func diff(_ differences: [ContractDifference]) -> String {
    differences.flatMap(\.lines).map { $0 + "\n" }.joined()
  }
}
