// SPDX-License-Identifier: Apache-2.0
// Whose a page is by where it lies, in a file whose tables were filled one after the other.

import SQLiteFormat

/// The order in which a file grew.
///
/// New pages come at the end of the file. Where each table was filled before the next one was made,
/// those between two roots belong to the table of the first one, or to its indexes. The pages whose
/// tables are known tell whether it was so.
struct AllocationOrder {
  /// The roots by page number, each with its table; the root of an index has the table of the index.
  private let roots: [(page: PageNumber, table: Name)]
  /// The tables that have one.
  private let rooted: Set<Name>
  /// The places of the tables among those of the schema that was given, where the roots lie in that
  /// order.
  private let places: [Name: Int]
  /// Whether all known pages of a table lie between its root and the next one.
  ///
  /// The table of the last root is not asked: no root lies behind it.
  private var isInOrder: [Name: Bool] = [:]

  /// How many tables must lie so at least, and how many of them for each one that does not.
  private static let tablesMin = 5
  private static let tablesPerOther = 20

  /// The order as the sound trees of a survey tell it.
  init(_ survey: Survey, besides doubtful: Set<PageOwner>) {
    roots = survey.trees.compactMap { tree in tree.root.map { ($0, tree.entry.table) } }
      .sorted { $0.page < $1.page }
    rooted = Set(roots.map(\.table))
    let order = survey.schema?.order ?? [:]
    let rootPlaces = roots.compactMap { order[$0.table] }
    places = zip(rootPlaces, rootPlaces.dropFirst()).allSatisfy { $0 <= $1 } ? order : [:]
    guard roots.count > Self.tablesMin else { return }
    survey.claims.forEach { page, owner in
      guard let tree = owner.tree, !doubtful.contains(owner), survey.trees.indices.contains(tree)
      else { return }
      note(page, of: survey.trees[tree].entry.table)
    }
  }

  /// The same with the pages that claimants have taken by now; nil where the tables do not lie in the
  /// order in which they were made.
  func borneOut(by claimants: [Claimant]) -> AllocationOrder? {
    var order = self
    for claimant in claimants where claimant.holdsRows {
      for page in claimant.chain.lazy.flatMap(\.pages) { order.note(page, of: claimant.name) }
    }
    return order.isKept ? order : nil
  }

  /// Notes that a page is known to be a table's, or that of an index of it.
  private mutating func note(_ page: PageNumber, of table: Name) {
    let next = roots.partitioningIndex { $0.page > page }
    guard next > 0, roots[next - 1].page != page, rooted.contains(table) else { return }
    let isOwn = roots[next - 1].table == table
    guard !isOwn || next < roots.count else { return }
    isInOrder[table] = isOwn && isInOrder[table] ?? true
  }

  private var isKept: Bool {
    let inOrder = isInOrder.values.count { $0 }
    return inOrder >= Self.tablesMin
      && (isInOrder.count - inOrder) * Self.tablesPerOther <= inOrder
  }

  /// The table among some to which some pages belong by where they lie; nil where that tells of none.
  ///
  /// All of them lie between two roots. Of the tables whose roots are not known, those have their pages
  /// there that were made between the two.
  func table(of pages: [PageNumber], among tables: [Name]) -> Name? {
    let positions = Set(pages.map { page in roots.partitioningIndex { $0.page > page } })
    guard positions.count == 1, let next = positions.first, next > 0, next < roots.count else {
      return nil
    }
    let (own, other) = (roots[next - 1].table, roots[next].table)
    if tables.allSatisfy(rooted.contains) { return own }
    guard let first = places[own], let end = places[other],
      tables.allSatisfy({ places[$0] != nil })
    else { return nil }
    let between = tables.filter { places[$0].map { $0 >= first && $0 < end } == true }
    return between.count == 1 ? between[0] : nil
  }
}
