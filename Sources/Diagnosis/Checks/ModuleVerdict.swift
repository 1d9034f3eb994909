// SPDX-License-Identifier: Apache-2.0
// What the module of a virtual table says of it, asked by SQLite on a private copy.

package import SQLiteFormat

/// What the module of a virtual table says of it.
package struct ModuleVerdict: Hashable, Sendable {
  /// What a module can say.
  package enum Outcome: Hashable, Sendable {
    /// Nothing is wrong.
    case sound
    /// What it keeps does not hold.
    case damaged
    /// Its index has other words than the table that it names as the one with its texts.
    case stale
    /// It could not be asked, for this reason.
    case unchecked(String)
  }

  /// The virtual table.
  package let table: Name
  /// What its module says.
  package let outcome: Outcome

  /// Makes a verdict.
  package init(_ table: Name, _ outcome: Outcome) {
    self.table = table
    self.outcome = outcome
  }
}

extension ModuleVerdict {
  /// The verdict as findings.
  func findings(in survey: Survey) -> [Finding] {
    guard let table = survey.virtualTables.first(where: { $0.name == table }) else { return [] }
    let place = Finding.Place(object: table.name.text)
    return switch outcome {
    case .sound, .unchecked: []
    case .stale:
      [
        Finding(
          .fullTextStale,
          "the full-text index '\(table.name)' does not have the words of "
            + "'\(table.contentTable ?? table.name)'", at: place)
      ]
    case .damaged where table.isFullText:
      [
        Finding(
          .fullTextDamaged,
          table.contentTable.map {
            "the full-text index '\(table.name)' does not have the words of '\($0)', or is malformed"
          } ?? "SQLite finds the full-text index '\(table.name)' malformed",
          at: place, severity: survey.keepsTexts(of: table) ? nil : .loss)
      ]
    case .damaged:
      [
        Finding(
          .regionsDamaged, "SQLite finds the nodes of '\(table.name)' malformed", at: place,
          severity: .damage)
      ]
    }
  }

  /// What the module could not tell.
  package func unchecked(_ table: VirtualTable) -> Unchecked? {
    guard case .unchecked(let reason) = outcome else { return nil }
    return Unchecked(table.isFullText ? .words : .regions, of: table.name, because: reason)
  }
}
