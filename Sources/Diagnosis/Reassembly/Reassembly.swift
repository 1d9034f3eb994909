// SPDX-License-Identifier: Apache-2.0
// Which page is whose, and by which evidence.

import SQLiteFormat

/// Damaged trees put together again from the pages that are proven to be theirs.
///
/// A tree that the survey found sound needs none of this: its root leads to its rows.
package struct Reassembly: Sendable {
  /// The pages of one table, and who can speak for their rows.
  struct Assignment: Sendable {
    /// Whether they are pages of a table with rowids.
    let isTable: Bool
    /// The pages that hold its rows, in the order of the rows.
    var pages: [PageNumber]
    /// Those of them from which rows may spill to overflow pages.
    let spilling: [PageNumber]
    /// Those of them that its own tree does not lead to, and why they are its.
    var placed: [PageNumber: PlacementEvidence]
    /// The indexes that know its rows.
    let witnesses: [Witness]
    /// How many rows can be read on them.
    var rows: Int
    /// Whether nothing was found in the place of a page that its tree should have.
    let isShort: Bool
    /// Whether its indexes deny most of its rows: either they or these are of another time, or of
    /// another table.
    let isDenied: Bool
    /// Whether texts are in UTF-8.
    var hasUTF8Texts = false

    /// No page: those to which its tree leads are others'.
    static func none(isTable: Bool) -> Assignment {
      Assignment(
        isTable: isTable, pages: [], spilling: [], placed: [:], witnesses: [], rows: 0,
        isShort: true, isDenied: false)
    }

    /// Whether an index proves a row that its own page does not.
    ///
    /// An index has some of the columns. Controls in a text show that others may hold what is none of the
    /// row: the beginning of the cell that lay behind it.
    ///
    /// A row on a page to which the table's own tree leads is no other table's with the same rowid: any
    /// index will do.
    func proves(_ row: StoredRecord) -> Bool {
      let testimony = witnesses.testimony(on: row)
      guard !testimony.isDenied, !(hasUTF8Texts && row.record.hasControlsInText) else {
        return false
      }
      return testimony.isKnown || testimony.isEchoed && placed[row.page] == nil
    }
  }

  /// A page of rows whose table is not proven.
  struct OrphanPage: Sendable {
    /// The page.
    let page: PageNumber
    /// Whether it is a page of a table with rowids.
    let isTable: Bool
    /// The tables that it can belong to, as positions among the survey's trees.
    let candidates: [Int]
    /// How many rows can be read on it.
    var rows = 0
  }

  /// The pages of every table that was put together again, by its position among the trees.
  var assignments: [Int: Assignment] = [:]
  /// The pages without an owner.
  var orphans: [OrphanPage] = []
  /// Tables that have changed places, unless their indexes have: nothing tells which.
  var undecided: [[Name]] = []
}

extension Reassembly {
  /// The pages that a tree got back, in order.
  func pagesRegained(by position: Int) -> [PageNumber] {
    assignments[position]?.placed.keys.sorted() ?? []
  }

  /// The pages of every table that was put together again from which rows may spill, in order.
  var spillingPages: [(page: PageNumber, isTable: Bool)] {
    assignments.values.flatMap { assignment in
      assignment.spilling.map { (page: $0, isTable: assignment.isTable) }
    }.sorted { $0.page < $1.page }
  }

  /// The pages of every table that was put together again.
  var ownedPages: PageSet { PageSet(assignments.values.lazy.flatMap(\.pages)) }

  /// Why pages are held to be a table's that its own tree does not lead to, and how many there
  /// are; the strongest evidence first.
  package func evidence(for position: Int) -> [(kind: PlacementEvidence, pages: Int)] {
    let kinds = Dictionary(grouping: assignments[position]?.placed.values.map(\.self) ?? []) { $0 }
    return kinds.map { (kind: $0.key, pages: $0.value.count) }.sorted { $0.kind > $1.kind }
  }

  /// The pages that some table got back.
  var placedPages: Set<PageNumber> { Set(assignments.values.flatMap(\.placed.keys)) }

  /// How many rows can be read of a table that was put together again.
  func rows(of position: Int) -> Int? { assignments[position]?.rows }
}
