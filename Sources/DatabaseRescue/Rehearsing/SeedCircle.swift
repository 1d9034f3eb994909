// SPDX-License-Identifier: Apache-2.0
// Tables that refer to each other in a circle: which row refers to which is settled before there is
// any.

import Diagnosis
import SQLiteFormat

/// Tables that refer to each other in a circle.
struct SeedCircle {
  /// How many rows each of them has at first.
  static let rows = 3

  /// The tables.
  let tables: [TableDescription]

  /// The circles among tables.
  static func all(of tables: [TableDescription]) -> [SeedCircle] {
    let named = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    func reached(from table: TableDescription) -> Set<Name> {
      var reached: Set<Name> = []
      var rest = [table]
      while let next = rest.popLast() {
        for key in next.foreignKeys where key.table != next.name {
          guard let parent = named[key.table], reached.insert(key.table).inserted else { continue }
          rest.append(parent)
        }
      }
      return reached
    }
    let reach = named.mapValues(reached)
    var seen: Set<Name> = []
    return named.keys.sorted().compactMap { name in
      guard reach[name]?.contains(name) == true, !seen.contains(name) else { return nil }
      let names = (reach[name] ?? []).filter { reach[$0]?.contains(name) == true }
      seen.formUnion(names)
      return SeedCircle(tables: names.sorted().compactMap { named[$0] })
    }
  }

  /// Puts the values of the row of a number into the columns by which the tables of the circle refer to
  /// each other.
  func choose(
    _ number: Int, for names: [Name], of table: TableDescription, _ row: inout [Value]
  ) {
    func put(_ columns: [Name], _ referred: [Name], of parent: TableDescription) {
      for (column, key) in zip(columns, referred) {
        guard let place = names.firstIndex(of: column),
          let described = parent.columns.first(where: { $0.name == key })
        else { continue }
        row[place] = Self.value(number, for: described, strict: parent.strict)
      }
    }
    for other in tables {
      for key in other.foreignKeys where key.table == table.name {
        let referred = key.referenced(in: table)
        put(referred, referred, of: table)
      }
    }
    for key in table.foreignKeys {
      guard let parent = tables.first(where: { $0.name == key.table }) else { continue }
      put(key.columns, key.referenced(in: parent), of: parent)
    }
  }

  private static func value(
    _ number: Int, for column: ColumnDescription, strict: Bool
  ) -> Value {
    switch Affinity(declaredType: column.type, strict: strict) {
    case .integer, .numeric: .integer(Int64(number))
    case .real: .real(Double(number))
    case .text: .text(Bytes("key \(number)".utf8))
    case .blob: .blob(Bytes("key \(number)".utf8))
    }
  }
}
