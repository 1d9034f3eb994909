// SPDX-License-Identifier: Apache-2.0
// Virtual tables and the ordinary tables behind them: copied as they are, or built anew.

import Diagnosis
import SQLiteFormat

/// The virtual tables of a file with the shadow tables that store them.
///
/// A family of which nothing is damaged is copied table by table. A full-text index with something
/// wrong keeps the rows of its content table, and the rest is computed.
struct ShadowFamilies {
  /// Full-text tables whose index is built anew.
  let rebuilt: [Name]
  private let shadows: Set<Name>
  private let notCopied: Set<Name>

  init(_ survey: Survey) {
    let tables = survey.schema?.parsed.description.tables ?? []
    var rebuilt: [Name] = []
    var shadows: Set<Name> = []
    var notCopied: Set<Name> = []
    for table in survey.virtualTables {
      let prefix = Name("\(table.name)_")
      let family = tables.filter { $0.kind == .shadow && $0.name.hasPrefix(prefix) }
      shadows.formUnion(family.map(\.name))
      let isReadable = family.allSatisfy { survey.tree(named: $0.name)?.isReadable ?? false }
      guard table.isFullText, !isReadable || survey.isDamaged(table) else { continue }
      rebuilt.append(table.name)
      notCopied.formUnion(
        family.map(\.name).filter { $0 != Name("\(prefix)content") })
    }
    self.rebuilt = rebuilt
    self.shadows = shadows
    self.notCopied = notCopied
  }

  /// Whether a table stores a virtual table.
  func contains(_ name: Name) -> Bool { shadows.contains(name) }

  /// Whether a table is computed instead of copied.
  func isRebuilt(_ name: Name) -> Bool { notCopied.contains(name) }

  /// Whether a table is computed for a certain virtual table.
  func isRebuilt(_ name: Name, for virtual: Name) -> Bool {
    isRebuilt(name) && name.hasPrefix("\(virtual)_")
  }
}
