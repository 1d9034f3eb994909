// SPDX-License-Identifier: Apache-2.0
// What every piece of advice is: a function from a sound database to a trait, with its words.

package import SQLiteFormat

/// What is advised, by name.
///
/// The names are part of published formats: none is given to anything else later.
package enum AdviceKind: String, Hashable, Sendable, CaseIterable, Codable {
  /// The file has more pages than its content needs.
  case unusedSpace = "unused-space"
  /// The leaves of trees lie out of order, or are half empty.
  case fragmentedTrees = "fragmented-trees"
  /// The database moves pages to keep itself short, or could and does not.
  case autoVacuum = "auto-vacuum"
  /// The write-ahead log is longer than the database.
  case growingLog = "growing-log"
  /// Most rows of a table do not fit into a page.
  case smallPages = "small-pages"
  /// The query planner does not know how large the tables are.
  case missingStatistics = "missing-statistics"
  /// An index is the beginning of another one.
  case duplicateIndexes = "duplicate-indexes"
  /// To delete a parent row, all rows of a child table are read.
  case foreignKeyScans = "foreign-key-scans"
  /// Columns of numbers hold text.
  case textInNumericColumns = "text-in-numeric-columns"
}

/// The words of a piece of advice that do not depend on the database: sentences for people.
struct AdviceWords: Sendable {
  /// What it is about, in a few words.
  let title: String
  /// What the trait costs as long as it is there.
  let costs: String
  /// What to do.
  let action: String
  /// When not to.
  let unless: String
}

/// A piece of advice: how its trait is found, and how it is worded.
protocol Adviser: Sendable {
  /// Which piece it is.
  static var kind: AdviceKind { get }
  /// Its words.
  static var words: AdviceWords { get }
  /// What of it a database has; nil where nothing is to be advised.
  static func trait(of basis: AdviceBasis) -> AdviceTrait?
}

/// What a database has that a piece of advice is about.
struct AdviceTrait: Sendable {
  /// What was found, with its figures: lower case, no full stop, no row values.
  let found: String
  /// The figures by name.
  let figures: [String: Int]
  /// The tables, indexes or columns that have it, the worst first.
  var places: [Advice.Place] = []
  /// What to run for the whole database.
  var sql: [String] = []
}

/// Something that is slow or at risk in a database with which nothing is wrong.
package struct Advice: Hashable, Sendable {
  /// A table, index or column that has the trait.
  package struct Place: Hashable, Sendable {
    /// Its name.
    package let object: String
    /// What it has of it, in words and figures.
    package let message: String
    /// What to run for it; nil where that is for the whole database, or to be thought of first.
    let sql: String?
  }

  /// The most places that are named.
  private static let placesMax = 20

  /// Which piece it is.
  package let kind: AdviceKind
  /// What it is about, in a few words.
  package let title: String
  /// What was found: lower case, no full stop, no row values.
  package let found: String
  /// The figures by name.
  package let figures: [String: Int]
  /// The tables, indexes or columns that have the trait, the worst first.
  package let places: [Place]
  /// How many are not named, because there are too many.
  package let placesOmitted: Int
  /// What it costs as long as it is there.
  package let costs: String
  /// What to do.
  package let action: String
  /// The statements to run, for all places that are named.
  package let sql: [String]
  /// When not to.
  package let unless: String

  init?(_ adviser: any Adviser.Type, _ basis: AdviceBasis) {
    guard let trait = adviser.trait(of: basis) else { return nil }
    let (words, places) = (adviser.words, Array(trait.places.prefix(Self.placesMax)))
    kind = adviser.kind
    title = words.title
    found = trait.found
    figures = trait.figures
    self.places = places
    placesOmitted = trait.places.count - places.count
    costs = words.costs
    action = words.action
    sql = trait.sql + places.compactMap(\.sql)
    unless = words.unless
  }
}

/// What is advised of a database.
package struct AdviceAnswer: Hashable, Sendable {
  /// Why nothing is, and what to do first; nil where the database was looked at.
  package let withheld: String?
  /// The advice; none where there is nothing to advise.
  package let advice: [Advice]
}

extension Examination {
  /// Every piece of advice, in the order in which they are told.
  private static let advisers: [any Adviser.Type] = [
    GrowingLogAdvice.self, UnusedSpaceAdvice.self, FragmentedTreesAdvice.self,
    AutoVacuumAdvice.self, SmallPagesAdvice.self, MissingStatisticsAdvice.self,
    DuplicateIndexesAdvice.self, ForeignKeyScansAdvice.self, TextInNumericColumnsAdvice.self,
  ]

  /// What is slow or at risk in the database, although nothing is wrong with it.
  ///
  /// Reads every page of its trees again. What a file does not show is no part of it: how a
  /// connection is set up, such as `synchronous`, leaves no trace.
  ///
  /// - Throws: `CutShort` when the reading was stopped on the way.
  package func advice() throws(CutShort) -> AdviceAnswer {
    guard verdict.isStructureSound, let image = survey.image else {
      return AdviceAnswer(
        withheld: "advice is given for sound databases only: first "
          + (verdict == .unreadable
            ? "find out what the file is" : "bring the data back, as the options say"),
        advice: [])
    }
    let basis = AdviceBasis(survey, image)
    try survey.failures.requireUncut()
    guard basis.isWhole else {
      return AdviceAnswer(
        withheld: "the database changed while it was read again: run this again while nobody "
          + "writes to it, or on a copy", advice: [])
    }
    return AdviceAnswer(withheld: nil, advice: Self.advisers.compactMap { Advice($0, basis) })
  }
}
