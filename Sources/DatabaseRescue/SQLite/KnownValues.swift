// SPDX-License-Identifier: Apache-2.0
// What recurs from row to row: of few values, SQLite is asked once whether a condition holds.

import Diagnosis
import SQLiteFormat

/// The values of some columns for which it is known whether a condition holds.
struct KnownValues {
  /// How many are kept at most, and how many bytes each of them may have.
  private static let countMax = 1024
  private static let bytesMax = 64
  /// After how many values that are not known it is enough, where most are not.
  private static let missesMax = 4096

  private let places: [Int]
  /// By the digest of the values as they are stored.
  private var known: [UInt64: Bool] = [:]
  private var hits = 0
  private var misses = 0

  /// No value yet of the columns at some places; nil where one is the rowid, which never recurs.
  init?(_ shape: RowShape, places: [Int]) {
    guard !places.contains(where: { shape.stored[$0].isRowID }) else { return nil }
    self.places = places
  }

  /// Whether it is worth to look: values recur, or it is too early to tell.
  var isOfUse: Bool { misses < Self.missesMax || hits > misses }

  /// Whether the condition holds for a row; nil where that is not known.
  mutating func outcome(for row: borrowing LocatedFields, in bytes: Span<UInt8>) -> Bool? {
    guard isOfUse, let digest = digest(of: row, in: bytes), let outcome = known[digest] else {
      misses += 1
      return nil
    }
    hits += 1
    return outcome
  }

  /// Takes in whether the condition holds for a row.
  mutating func insert(
    _ outcome: Bool, for row: borrowing LocatedFields, in bytes: Span<UInt8>
  ) {
    guard isOfUse, known.count < Self.countMax, let digest = digest(of: row, in: bytes) else {
      return
    }
    known[digest] = outcome
  }

  private func digest(of row: borrowing LocatedFields, in bytes: Span<UInt8>) -> UInt64? {
    row.digest(of: places, in: bytes, lengthMax: Self.bytesMax)
  }
}

/// A rule, with what is known of it by now.
struct RememberedRule {
  /// The rule.
  let rule: ComputedRule
  /// The values for which its condition is known; nil where they are not kept.
  var known: KnownValues?
  /// How the entries of an index follow from rows where its condition holds; nil where only SQLite
  /// can tell.
  var plainShape: IndexShape?
}

extension [RememberedRule] {
  /// What indexes should hold of the rows of a page, for each rule, where every condition is known,
  /// and holds for constraints; nil where something of a row has to be looked at.
  mutating func keys(
    of visit: TreeWalk.Visit, _ fields: inout LocatedFields
  ) -> [Fingerprint]? {
    guard allSatisfy({ $0.known?.isOfUse ?? false }) else { return nil }
    let bytes = visit.page.bytes.span
    var keys = [Fingerprint](repeating: Fingerprint(), count: count)
    for cell in visit.content.cells {
      guard cell.overflow == nil, fields.read(cell.local, of: bytes) else { return nil }
      for place in indices {
        guard let holds = self[place].known?.outcome(for: fields, in: bytes) else { return nil }
        guard let shape = self[place].plainShape else {
          if holds { continue }
          return nil
        }
        if holds { keys[place].add(shape.key(of: fields, in: bytes, rowID: cell.rowID)) }
      }
    }
    return keys
  }
}

extension TableExpressions {
  /// The stored columns that an expression takes, as places in the table's records; nil where it
  /// takes what is no stored column.
  func storedPlaces(in expression: String, of table: ComputedTable) -> [Int]? {
    guard virtualColumns(in: [expression], of: table.description).isEmpty else { return nil }
    let names = Set(
      SQLTokens(parsing: expression).tokens.map { Name(SQLTokens([$0]).normalized) })
    guard names.isDisjoint(with: ["rowid", "_rowid_", "oid"]) else { return nil }
    return table.shape.stored.indices.filter { names.contains(table.shape.stored[$0].name) }
  }
}

extension ComputedTable {
  /// How the entries of an index follow from rows without SQLite; nil where its columns are not all
  /// stored.
  func plainShape(of key: Key) -> IndexShape? {
    let fields = key.columns.compactMap { $0.name.flatMap(shape.indexField) }
    guard fields.count == key.columns.count else { return nil }
    return IndexShape(
      name: key.index.name, fields: description.withoutRowID ? fields : fields + [.rowID])
  }
}
