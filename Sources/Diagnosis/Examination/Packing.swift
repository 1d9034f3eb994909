// SPDX-License-Identifier: Apache-2.0
// In what a database came that was not sent as it is.

/// The archive that a database came in.
package struct Packing: Hashable, Sendable {
  /// What kind of archive it is.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// One file, compressed.
    case gzip
    /// Files in folders, each compressed.
    case zip
    /// Files in folders, one behind the other; perhaps compressed as a whole.
    case tar
  }

  /// What kind of archive it is.
  package let kind: Kind
  /// The name of the archive.
  package let archive: String
  /// The database in it, as the archive calls it.
  package let member: String
  /// What is wrong with the archive, so that bytes of the database may be missing; nil for nothing.
  package let damage: String?

  /// Describes an archive.
  package init(kind: Kind, archive: String, member: String, damage: String?) {
    self.kind = kind
    self.archive = archive
    self.member = member
    self.damage = damage
  }

  /// How the names of databases end.
  package static let endingsOfDatabases = [
    ".db", ".sqlite", ".sqlite3", ".db3", ".s3db", ".sqlitedb",
  ]

  /// Whether the archive has the name of a database: an app that looks for that finds none.
  var isInPlaceOfDatabase: Bool {
    let name = archive.lowercased()
    return Self.endingsOfDatabases.contains { name.hasSuffix($0) }
  }

  /// What is to be said of it.
  var findings: [Finding] {
    let packed = Finding(
      .packed,
      "the database is '\(member)' in the \(kind.rawValue) archive '\(archive)', and was read from a "
        + "private copy" + (isInPlaceOfDatabase ? ": no app can open it there" : ""),
      severity: isInPlaceOfDatabase ? .damage : nil)
    guard let damage else { return [packed] }
    return [packed, Finding(.archiveDamaged, "\(damage); what came before was read")]
  }
}
