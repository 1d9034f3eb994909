// SPDX-License-Identifier: Apache-2.0
// One way in which a database is not the one that a contract expects, and what would mend it.

/// One way in which a database is not the one expected.
package struct ContractDifference: Hashable, Sendable {
  /// The kinds of difference.
  package enum Kind: String, Hashable, Sendable, CaseIterable, Codable {
    /// It is expected and not there.
    case missing
    /// It is there and not expected.
    case extra
    /// It is there and other than expected.
    case changed
    /// It is there as expected, and rows do not keep to it.
    case broken
  }

  /// How much a difference weighs.
  package enum Weight: String, Hashable, Sendable, CaseIterable, Codable {
    /// Values are stored, found and checked alike; only their order or declared type reads
    /// otherwise, or whoever opens the database does not look at it.
    case notice
    /// The database does not do what the app expects.
    case drift
  }

  /// What can differ.
  package enum Subject: String, Hashable, Sendable, CaseIterable, Codable {
    /// The application id of the database.
    case applicationID = "application id"
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
    /// The words of a full-text index, by table.
    case fullText = "full-text index"
    /// What a framework has noted of the schema, by its table.
    case identity = "identity hash"
    /// Where the branches of a framework's migrations stand, by its table.
    case migrationHeads = "migration heads"
    /// A migration that a framework has noted, by its name.
    case migration
    /// What a framework has noted of the model of a store, by its table.
    case model
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
  package var mend: Mend

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

  /// The same without statements that drop what enforces something: it may be meant.
  package var keepingRules: ContractDifference {
    var difference = self
    difference.mend = mend.keepingRules
    return difference
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

  /// The sign of the difference in a list: of what is missing, extra, or otherwise.
  private var sign: String {
    switch kind {
    case .missing: "-"
    case .extra: "+"
    case .changed, .broken: "~"
    }
  }

  /// The lines of a list without what would mend it.
  package var description: [String] {
    let note = weight == .notice ? " [notice]" : ""
    guard let expected, let found else { return ["\(sign) \(summary)\(note)"] }
    return ["\(sign) \(headline)\(note)", "    expected: \(expected)", "    found:    \(found)"]
  }

  /// The lines of a list of what leads there: what comes, goes or changes, after its sign.
  package var change: [String] {
    let note = weight == .notice ? " [notice]" : ""
    switch kind {
    case .missing:
      return ["+ \(subject.rawValue) \(object)\(expected.map { " (\($0))" } ?? "")\(note)"]
    case .extra: return ["- \(subject.rawValue) \(object)\(found.map { " (\($0))" } ?? "")\(note)"]
    case .changed, .broken:
      return [
        "~ \(subject.rawValue) \(object)\(note)", "    from: \(found ?? "")",
        "    to:   \(expected ?? "")",
      ]
    }
  }

  /// A readable list: each difference after its sign, then what would mend it; several that one
  /// script mends refer to it.
  package static func lines(for differences: [ContractDifference]) -> [String] {
    var told: [Mend: String] = [:]
    return differences.flatMap { difference -> [String] in
      let mend = difference.mend
      let warnings = mend.warnings.map { "    warning: \($0)" }
      guard !mend.steps.isEmpty else {
        return difference.description + warnings
          + (mend.obstacle.map {
            ["    \(mend.isWithheld ? "no SQL is offered" : "no SQL mends it"): \($0)"]
          } ?? [])
      }
      let script = Mend(mend.steps)
      if let first = told[script] {
        return difference.description + warnings + ["    mend: by what mends '\(first)'"]
      }
      let statements = script.statements.map { "\(SQLTokens(parsing: $0).sql);" }
      if statements.count > 1 { told[script] = difference.headline }
      let mending =
        statements.count == 1
        ? ["    mend: \(statements[0])"] : ["    mend:"] + statements.map { "      \($0)" }
      return difference.description + warnings + mending
    }
  }
}
