// SPDX-License-Identifier: Apache-2.0
// A damaged database of the benchmark, and what is left of each row in it.

import SQLiteFormat

/// One damaged database with the truth about it.
package struct DamageCase: Sendable, CustomStringConvertible {
  /// The kind of damage.
  package let kind: DamageKind
  /// The database that is damaged.
  let source: DamageSource
  /// What is done to it.
  let harm: DamageHarm
  /// The files after the damage.
  let files: DatabaseFiles
  /// The rows all of whose bytes are left, each at its place.
  let intact: [PlacedRow]
  /// The rows of which some bytes are not.
  let harmed: [PlacedRow]
  /// The tables whose statement is intact, so that the file can say whose their rows are.
  let named: Set<String>
  /// Rows that are no more, by their tables.
  let gone: [String: Set<ExactRow>]
  /// Those of them that the damage itself has put back.
  let putBack: [String: Set<ExactRow>]

  /// The case as one can ask for it.
  package var description: String { "\(source.name) \(kind.rawValue)" }
  /// How many rows are left.
  package var intactCount: Int { intact.count }
  /// How many rows there once were, and are no more.
  package var goneCount: Int { gone.values.reduce(0) { $0 + $1.count } }
  /// What was done, in one line.
  package var harmText: String { harm.description }

  /// Damages a database; nil where this kind has no place in it.
  package init?(_ kind: DamageKind, to source: DamageSource, seed: UInt64) {
    let name = Bytes("\(source.name) \(kind.rawValue)".utf8)
    var random = SeededRandom(seed: name.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    guard let harm = kind.harm(to: source, using: &random) else { return nil }
    let damaged = harm.applied(to: source)
    guard damaged != source.now.main else { return nil }
    self.kind = kind
    self.source = source
    self.harm = harm
    var files = source.now.files
    files[""] = damaged
    self.files = files
    let rows = source.now.rows
    let isIntact = rows.map { harm.spares($0, of: source, in: damaged) }
    intact = zip(rows, isIntact).compactMap { $1 ? $0 : nil }
    harmed = zip(rows, isIntact).compactMap { $1 ? nil : $0 }
    named = Set(source.now.statements.filter { harm.spares($1, of: source, in: damaged) }.keys)
    let live = Set(rows.map { TableRow($0) })
    let gone = source.earlier.rows.filter { !live.contains(TableRow($0)) }
    self.gone = gone.byTable
    putBack = gone.filter { harm.putsBack($0, of: source) }.byTable
  }
}

/// A row with its table.
private struct TableRow: Hashable {
  let table: String
  let row: ExactRow

  init(_ placed: PlacedRow) {
    table = placed.table
    row = placed.row
  }
}

extension DamageHarm {
  /// Whether all bytes of a row are left, each stretch of them at one place.
  ///
  /// Where lines end otherwise, every byte is left with others between them.
  fileprivate func spares(_ row: PlacedRow, of source: DamageSource, in damaged: Bytes) -> Bool {
    if damages == [.crlf] { return true }
    func isLeft(_ stretch: PlacedRow.Stretch, isCell: Bool) -> Bool {
      guard stretch.origin == .main else { return true }
      let place = self.place(of: stretch.range, isCell: isCell, pageSize: source.pageSize)
      guard let place, place.lowerBound >= 0, place.upperBound <= damaged.count else {
        return false
      }
      return damaged[place] == source.now.main[stretch.range]
    }
    return isLeft(row.cell, isCell: true) && row.overflow.allSatisfy { isLeft($0, isCell: false) }
  }

  /// Whether the file says of a row that is no more that it is there: an older page holds it, or the
  /// older page 1 leads to its table, which is no more.
  fileprivate func putsBack(_ row: PlacedRow, of source: DamageSource) -> Bool {
    olderPages.contains(row.page)
      || olderPages.contains(1) && !source.now.tables.contains(row.table)
  }
}

extension [PlacedRow] {
  /// The rows by their tables.
  var byTable: [String: Set<ExactRow>] {
    Dictionary(grouping: self) { $0.table }.mapValues { Set($0.map(\.row)) }
  }
}
