// SPDX-License-Identifier: Apache-2.0
// What came back of damaged databases, and the table of it.

/// What salvages of some damaged databases gave.
package struct DamageScore: Sendable {
  /// What salvages of one kind, without or with the app's schema, gave.
  package struct Run: Sendable {
    /// Intact rows in their table.
    package var found = 0
    /// Those of them whose table the file still names.
    package var foundNamed = 0
    /// Intact rows that are not there, and in the quarantine.
    package var aside = 0
    /// Rows with the place of a damaged one, and other values.
    package var altered = 0
    /// Rows that were deleted or changed, and that a page of an older time has put back.
    package var older = 0
    /// Rows of another table.
    package var misfiled = 0
    /// Rows that never were.
    package var invented = 0
    /// Rows that were deleted or changed, and that the damaged file does not call present.
    package var revived = 0
    /// Outputs in which SQLite finds a fault.
    package var unsound = 0

    static func + (left: Run, right: Run) -> Run {
      Run(
        found: left.found + right.found, foundNamed: left.foundNamed + right.foundNamed,
        aside: left.aside + right.aside,
        altered: left.altered + right.altered, older: left.older + right.older,
        misfiled: left.misfiled + right.misfiled, invented: left.invented + right.invented,
        revived: left.revived + right.revived, unsound: left.unsound + right.unsound)
    }
  }

  /// How many databases.
  package var cases = 0
  /// How many of their rows are intact.
  package var intact = 0
  /// How many of those are of tables that the file still names.
  package var named = 0
  /// Without a schema.
  package var bare = Run()
  /// With the app's schema.
  package var informed = Run()

  /// A score of nothing.
  package init() {}

  /// Adds up two scores.
  package static func + (left: DamageScore, right: DamageScore) -> DamageScore {
    var sum = DamageScore()
    sum.cases = left.cases + right.cases
    sum.intact = left.intact + right.intact
    sum.named = left.named + right.named
    sum.bare = left.bare + right.bare
    sum.informed = left.informed + right.informed
    return sum
  }

  /// Both runs together, for what must not be in either.
  package var both: Run { bare + informed }

  /// A part of rows in tenths of a percent, never rounded up.
  package static func permille(_ count: Int, of all: Int) -> Int {
    all == 0 ? 1000 : count * 1000 / all
  }
}

extension DamageScore {
  /// The scores by kinds of damage as a table in Markdown, with their sum.
  package static func table(_ scores: [(kind: DamageKind, score: DamageScore)]) -> String {
    let head = [
      "| damage | files | intact rows | named | in their table | with schema | or aside "
        + "| with schema | altered | older | misfiled | invented | revived | unsound |",
      "|---|" + String(repeating: "--:|", count: 13),
    ]
    let lines = DamageKind.allCases.compactMap { kind -> String? in
      let own = scores.filter { $0.kind == kind }
      return own.isEmpty ? nil : own.map(\.score).reduce(DamageScore(), +).line(kind.rawValue)
    }
    return (head + lines + [scores.map(\.score).reduce(DamageScore(), +).line("all")])
      .joined(separator: "\n")
  }

  private func line(_ name: String) -> String {
    func percent(_ count: Int, of all: Int) -> String {
      let permille = Self.permille(count, of: all)
      return all == 0 ? "–" : "\(permille / 10).\(permille % 10) %"
    }
    let both = both
    let cells = [
      name, "\(cases)", "\(intact)", percent(named, of: intact),
      percent(bare.foundNamed, of: named), percent(informed.found, of: intact),
      percent(bare.found + bare.aside, of: intact),
      percent(informed.found + informed.aside, of: intact),
      "\(both.altered)", "\(both.older)", "\(both.misfiled)", "\(both.invented)",
      "\(both.revived)", "\(both.unsound)",
    ]
    return "| " + cells.joined(separator: " | ") + " |"
  }
}
