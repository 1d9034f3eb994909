// SPDX-License-Identifier: Apache-2.0
// An input of a merge, salvaged into a private database with the schema of the result.

import Diagnosis
import SQLiteFormat

/// An input of a merge that was salvaged into a private database.
struct StagedInput {
  /// Its place among the inputs, from 0, the oldest.
  let number: Int
  /// What it is called in answers.
  let label: String
  /// The private database.
  let database: FilePath
  /// The database of its doubtful rows.
  let quarantine: FilePath
  /// What the salvage did.
  let report: SalvageReport
  /// What is known of the input.
  let survey: Survey
  /// Whether a name in it may be another one with damaged letters.
  let namesMayBeDamaged: Bool
  /// What it adds to the schema of the newer inputs.
  let addition: SchemaAddition
  /// How its virtual tables became those of the result.
  let virtual: [Name: VirtualMapping]
}

extension StagedInput {
  /// The foreign keys of its rows of a table: those that it declares itself, and for other columns those
  /// of the result.
  func foreignKeys(of table: TableDescription) -> [ForeignKeyDescription] {
    let names = Set(table.columns.map(\.name))
    let own = (survey.schema?.table(named: table.name)?.foreignKeys ?? []).filter {
      names.isSuperset(of: $0.columns)
    }
    let columns = Set(own.flatMap(\.columns))
    return own + table.foreignKeys.filter { columns.isDisjoint(with: $0.columns) }
  }

  /// The columns of a table of the result that the input's own table has.
  func columns(sharedWith table: TableDescription) -> Set<Name> {
    survey.columns(
      sharedWith: table,
      renamed: survey.virtualNames[table.name].flatMap { virtual[$0]?.columns } ?? [:],
      namesMayBeDamaged: namesMayBeDamaged)
  }
}

extension FreshSchema {
  /// The tables whose rows are merged: those with rows of their own, the texts of full-text tables,
  /// whose words are found anew, and R-trees.
  var mergedTables: [TableDescription] {
    let parts = Set(declared.virtualTables.flatMap { $0.parts.map(\.name) })
    let texts = Set(declared.virtualTables.filter(\.keepsTexts).map { Name("\($0.name)_content") })
    let regions = Set(declared.virtualTables.filter(\.isRegions).map(\.name))
    let stored = Set(declared.declarations.filter { $0.family != nil }.map(\.name))
    return description.tables.filter { table in
      if table.kind == .virtual { return regions.contains(table.name) }
      if texts.contains(table.name) { return true }
      return table.kind == .ordinary && !parts.contains(table.name) && !stored.contains(table.name)
    }
  }

  /// The full-text tables by those that keep their texts.
  var virtualNames: [Name: Name] {
    Dictionary(
      declared.virtualTables.filter(\.keepsTexts).map { (Name("\($0.name)_content"), $0.name) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The virtual tables whose content cannot be merged.
  var unmergedVirtualTables: [VirtualTable] {
    let merged = Set(mergedTables.map(\.name))
    return declared.virtualTables.filter { table in
      table.storage != .nothing && !merged.contains(table.name)
        && !(table.isFullText && table.hasTexts && !table.parts.isEmpty)
    }
  }

  /// The tables of which nothing is missed, as they have no rows of their own: virtual ones, and those
  /// that their modules keep them in and that are not merged.
  var derivedTables: Set<Name> {
    let parts = declared.virtualTables.flatMap { [$0.name] + $0.parts.map(\.name) }
    let stored = declared.declarations.filter { $0.family != nil }.map(\.name)
    return Set(parts + stored).subtracting(mergedTables.map(\.name))
  }

  /// A function that only the app has, and that values of a table or keys of its indexes need.
  func missingFunction(of table: Name) -> Name? {
    declared.declarations.filter { $0.table == table && [.table, .index].contains($0.kind) }
      .compactMap { $0.missingFunctions.min() }.first
  }
}

extension VirtualTable {
  /// Whether it is a full-text table that keeps its texts itself.
  fileprivate var keepsTexts: Bool { isFullText && hasOwnContent }
}
