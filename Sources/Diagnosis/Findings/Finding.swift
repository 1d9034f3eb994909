// SPDX-License-Identifier: Apache-2.0
// One fact about a database file. Everything a diagnosis says is a list of these.

public import SQLiteFormat

/// One fact about a database file.
public struct Finding: Hashable, Sendable {
  /// How much a finding weighs.
  public enum Severity: String, Hashable, Sendable, Comparable, CaseIterable, Codable {
    /// Worth knowing; nothing is wrong.
    case notice
    /// Not as it should be, but no row depends on it.
    case warning
    /// Something is wrong, and every row can still be read.
    case damage
    /// Rows are lost or doubtful, or the file cannot be read.
    case loss

    /// Orders severities from the lightest to the heaviest.
    public static func < (left: Severity, right: Severity) -> Bool {
      left.rank < right.rank
    }

    private var rank: Int {
      switch self {
      case .notice: 0
      case .warning: 1
      case .damage: 2
      case .loss: 3
      }
    }
  }

  /// Where in the file a finding lies, as far as that is known.
  public struct Place: Hashable, Sendable {
    /// The page.
    public var page: PageNumber?
    /// The byte within the page, or within the file where there is no page.
    public var offset: Int?
    /// The table, index, view or trigger, by name.
    public var object: String?
  }

  /// What kind of fact this is.
  package let code: FindingCode
  /// How much it weighs here.
  public let severity: Severity
  /// Where it lies.
  public let place: Place
  /// What was found: lower case, no full stop, no row values.
  public let message: String
  /// How many times it was found: alike in the same place, or summed up.
  public let count: Int

  /// The stable code of its kind, such as `DBR-F060`, which `dbrescue explain` explains.
  public var name: String { code.name }
  /// Its kind in a few words.
  public var title: String { code.title }
  /// What its kind means for the data, and what to do.
  public var meaning: String { code.meaning }

  /// Makes a finding; the severity is the one of the catalogue unless given.
  package init(
    _ code: FindingCode, _ message: String, at place: Place = Place(), severity: Severity? = nil,
    count: Int = 1
  ) {
    self.code = code
    self.message = message
    self.place = place
    self.severity = severity ?? code.severity
    self.count = count
  }
}
