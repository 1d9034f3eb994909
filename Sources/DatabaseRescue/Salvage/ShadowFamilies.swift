// SPDX-License-Identifier: Apache-2.0
// Virtual tables and the ordinary tables behind them: copied as they are, or built anew.

import Diagnosis
import SQLiteFormat

/// The virtual tables of a file with the shadow tables that store them.
///
/// A family of which nothing is damaged, and whose table is the same in the fresh schema, is copied
/// table by table. A full-text index with something wrong, or with other columns there, keeps the rows
/// of its content table, and the rest is computed.
struct ShadowFamilies {
  /// Full-text tables whose index is built anew.
  private(set) var rebuilt: [Name] = []
  /// R-trees whose coordinates are put into another order.
  private(set) var reordered: [(table: Name, order: [Int])] = []
  /// The virtual tables whose rows have no place in those of the fresh schema.
  private(set) var displaced: [Name] = []
  /// The tables with the texts of full-text tables whose index is built anew.
  private(set) var texts: Set<Name> = []
  private var shadows: Set<Name> = []
  private var notCopied: Set<Name> = []
  private var withoutPlace: Set<Name> = []
  private var columns: [Name: [Name: Name]] = [:]

  init(_ survey: Survey, _ mappings: [Name: VirtualMapping] = [:]) {
    let tables = survey.schema?.parsed.description.tables ?? []
    let names = survey.virtualTables.map(\.name)
    for table in survey.virtualTables {
      let prefix = Name("\(table.name)_")
      let others = names.filter { $0 != table.name && $0.hasPrefix(prefix) }.map { Name("\($0)_") }
      let family = tables.filter { other in
        other.kind == .shadow && other.name.hasPrefix(prefix)
          && !others.contains { other.name.hasPrefix($0) }
      }.map(\.name)
      shadows.formUnion(family)
      let mapping = mappings[table.name]
      if let part = table.rowPart?.name { columns[part] = mapping?.columns }
      switch mapping?.way {
      case VirtualMapping.Way.none?:
        displaced.append(table.name)
        withoutPlace.formUnion(
          family + tables.map(\.name).filter { table.mayKeepRows(in: $0) })
        continue
      case .reordered(let order)?: reordered.append((table.name, order))
      case .copied?, .rebuilt?, nil: break
      }
      let isReadable = family.allSatisfy { survey.tree(named: $0)?.isReadable ?? false }
      guard
        mapping?.way == .rebuilt || table.isFullText && (!isReadable || survey.isDamaged(table))
      else { continue }
      rebuilt.append(table.name)
      if table.hasOwnContent { texts.formUnion(table.rowPart.map { [$0.name] } ?? []) }
      if mapping?.way == .rebuilt {
        withoutPlace.formUnion(family.filter { $0 != table.rowPart?.name })
      }
      notCopied.formUnion(family.filter { $0 != Name("\(prefix)content") })
    }
  }

  /// Whether a table stores a virtual table.
  func contains(_ name: Name) -> Bool { shadows.contains(name) }

  /// Whether the rows of a table can be those of the one of that name in the fresh schema.
  func haveAPlace(_ name: Name) -> Bool { !withoutPlace.contains(name) }

  /// The new names of the columns of a table that stores a virtual one, by their old ones.
  func columns(of name: Name) -> [Name: Name] { columns[name] ?? [:] }

  /// Whether a table is computed instead of copied.
  func isRebuilt(_ name: Name) -> Bool { notCopied.contains(name) }

  /// Whether a table is computed for a certain virtual table.
  func isRebuilt(_ name: Name, for virtual: Name) -> Bool {
    isRebuilt(name) && name.hasPrefix("\(virtual)_")
  }
}
