// SPDX-License-Identifier: Apache-2.0
// What would mend a difference: statements that can be carried out together with those that mend
// others, what goes with them, and for which rows they fail.

extension ContractDifference {
  /// What would mend a difference.
  package struct Mend: Hashable, Sendable {
    /// When a statement is carried out among others.
    package enum Phase: Int, Hashable, Sendable, Comparable {
      /// Triggers, views and indexes go.
      case dropping
      /// Tables and columns get other names, in all that refers to them.
      case renaming
      /// Tables go.
      case droppingTables
      /// Tables are made, changed or made anew with their rows.
      case tables
      /// Virtual tables, which may read other tables.
      case virtualTables
      /// Indexes are made.
      case indexes
      /// Views are made.
      case views
      /// Triggers are made: none sees what was done before.
      case triggers
      /// What the database says of itself.
      case marks

      package static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    /// One statement, without a semicolon.
    package struct Step: Hashable, Sendable {
      /// When it is carried out.
      package let phase: Phase
      /// The statement.
      package let sql: String
      /// Whether foreign keys must not act on it, nor views and triggers be looked at.
      package let isSurgical: Bool

      /// The step that sets the version.
      package static func version(_ version: Int32) -> Step {
        Step(.marks, "PRAGMA user_version = \(version)")
      }

      init(_ phase: Phase, _ sql: String, isSurgical: Bool = false) {
        self.phase = phase
        self.sql = sql
        self.isSurgical = isSurgical
      }
    }

    /// A question to the rows: how many of them do not fit what the mend makes.
    package struct RowTest: Hashable, Sendable {
      /// A query that gives one number.
      package let query: String
      /// What is said where nobody has counted, such as `it fails where a row has NULL in 'a'`.
      package let condition: String
      /// What is counted: `row` or `key`.
      let noun: String
      /// What is said of what was counted, such as `with NULL in 'a'`.
      let finding: String
      /// What comes of it.
      var consequence = "it fails"

      /// What is said of so many.
      func words(for count: Int) -> String {
        count == 1
          ? "\(consequence): there is 1 \(noun) \(finding)"
          : "\(consequence): there are \(count) \(noun)s \(finding)"
      }
    }

    /// The statements; empty where there are none.
    package private(set) var steps: [Step]
    /// What is not enforced any more.
    package let rules: [String]
    /// Whether the statements drop what enforces something, be it for another difference.
    private(set) var dropsRules: Bool
    /// Whether there are statements, which are for those who ask for them.
    private(set) var isWithheld = false
    /// What goes with it.
    package var losses: [String]
    /// What rows would have to be like.
    package var tests: [RowTest]
    /// How many rows do not fit, by test, where they were counted.
    package var counts: [Int]?
    /// Why there are no statements.
    package let obstacle: String?

    /// Makes a mend of statements.
    ///
    /// What a contract says goes into some: more than one statement in the place of one is none.
    init(
      _ steps: [Step], losses: [String] = [], rules: [String] = [], tests: [RowTest] = [],
      dropsRules: Bool = false
    ) {
      let isSound = steps.allSatisfy { SQLTokens(parsing: $0.sql).isOneStatement }
      self.steps = isSound ? steps : []
      self.losses = isSound ? losses : []
      self.rules = isSound ? rules : []
      self.dropsRules = isSound && (dropsRules || !rules.isEmpty)
      self.tests = isSound ? tests : []
      obstacle = isSound ? nil : "what the contract has for it is not one statement"
    }

    /// None, for a reason.
    init(because reason: String) {
      steps = []
      rules = []
      dropsRules = false
      losses = []
      tests = []
      obstacle = reason
    }

    /// What only the table made anew can have: its statements are those of the whole table.
    static func remaking(
      losses: [String] = [], rules: [String] = [], tests: [RowTest] = []
    ) -> Mend {
      Mend([], losses: losses, rules: rules, tests: tests)
    }

    /// Whether it waits for the statements that make its table anew.
    var needsTable: Bool { steps.isEmpty && obstacle == nil }

    /// The same, carried out by the statements of another one.
    func carriedOut(by other: Mend) -> Mend {
      guard other.obstacle == nil else { return other }
      return Mend(
        other.steps, losses: losses + other.losses, rules: rules + other.rules, tests: tests,
        dropsRules: other.dropsRules)
    }

    /// The same without statements, where they drop what enforces something.
    package var keepingRules: Mend {
      guard dropsRules, !steps.isEmpty else { return self }
      var mend = Mend(
        because: "the database enforces more than the contract says; what drops that is in "
          + "'dbrescue contract diff'")
      mend.isWithheld = true
      return mend
    }

    /// One statement.
    package static func statement(_ sql: String) -> Mend { Mend([Step(.tables, sql)]) }

    /// No statement, and why.
    package static func none(because reason: String) -> Mend { Mend(because: reason) }

    /// What to know before it is carried out, in words without a full stop.
    package var warnings: [String] {
      guard let counts else { return rules + losses + tests.map(\.condition) }
      return rules + losses + zip(tests, counts).filter { $0.1 > 0 }.map { $0.words(for: $1) }
    }

    /// The statements in an order that works, with those that make them safe.
    package var statements: [String] { Self.statements(of: steps) }

    /// The statements as one text; nil where there are none.
    package var sql: String? {
      steps.isEmpty ? nil : statements.map { $0 + ";" }.joined(separator: "\n")
    }

    /// The statements of several mends as one script.
    package static func statements(of all: [Step]) -> [String] {
      var seen: Set<Step> = []
      let steps = all.filter { seen.insert($0).inserted }
      guard steps.count > 1 || steps.first?.isSurgical == true else { return steps.map(\.sql) }
      let ordered = Phase.all.map { phase in steps.filter { $0.phase == phase } }
      guard steps.contains(where: \.isSurgical) else {
        return ["BEGIN"] + ordered.joined().map(\.sql) + ["COMMIT"]
      }
      let early = ordered.prefix { ($0.first?.phase ?? .dropping) < .droppingTables }
      let (first, rest) = (early.joined().map(\.sql), ordered[early.count...].joined().map(\.sql))
      return ["PRAGMA foreign_keys = OFF", "BEGIN"] + first + ["PRAGMA legacy_alter_table = ON"]
        + rest + ["PRAGMA legacy_alter_table = OFF", "PRAGMA foreign_key_check", "COMMIT"]
    }
  }
}

extension ContractDifference.Mend.Phase {
  fileprivate static let all: [Self] = [
    .dropping, .renaming, .droppingTables, .tables, .virtualTables, .indexes, .views, .triggers,
    .marks,
  ]
}

extension SQLTokens {
  /// Whether this is one statement without a semicolon at its end; within a trigger there are some.
  fileprivate var isOneStatement: Bool {
    guard tokens.contains(.symbol(";")) else { return true }
    guard tokens.first?.isWord("create") == true,
      tokens.prefix(3).contains(where: { $0.isWord("trigger") })
    else { return false }
    var depth = 0
    var hasBegun = false
    for (index, token) in tokens.enumerated() {
      if token.isWord("begin") { hasBegun = true }
      if token.isWord("begin") || token.isWord("case") { depth += 1 }
      if token.isWord("end") { depth -= 1 }
      if token == .symbol(";"), depth < 1 { return false }
      if hasBegun, depth == 0 { return index == tokens.count - 1 }
    }
    return false
  }
}
