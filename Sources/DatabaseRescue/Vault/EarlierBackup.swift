// SPDX-License-Identifier: Apache-2.0
// The backup before: what of it still holds for the next one.

package import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A backup of the same database, and what is different now.
///
/// Most of a database is as it was. What was compressed, counted and checked then need not be again
/// where not a byte has changed.
package struct EarlierBackup: Sendable {
  /// Which backup it is.
  package let id: BackupID
  /// What it says about itself.
  package let manifest: BackupManifest
  /// The database as it was.
  package let pages: any PageSource
  /// Where the database is different now.
  package private(set) var changes = ImageChanges()
  /// The members of its file.
  let archive: Archive

  /// The newest backup in a vault that can be built on; nil when there is none.
  ///
  /// Only a good one can: what was found wrong once, and perhaps only because the disk failed for a
  /// moment, is looked at again. What another version of the program has measured is not taken over.
  static func newest(in vault: Vault, madeBy tool: String) throws(RescueError) -> EarlierBackup? {
    let proofs = ProofLog(in: vault.folder, vault.storage).proofs
    let names = try vault.names().filter { $0.part == .main && proofs[$0.id]?.passed != false }
    for name in names.sorted(by: { $0.created > $1.created }) {
      if let backup = EarlierBackup(vault.folder.appending(name.path), tool, vault.storage) {
        return backup
      }
    }
    return nil
  }

  private init?(_ path: FilePath, _ tool: String, _ storage: any Storage) {
    // One that cannot be read is as good as none.
    guard let reader = try? BackupReader(path, in: storage), reader.isGood,
      let manifest = reader.manifest, manifest.tool == tool, let archive = reader.archive,
      let pages = try? reader.pages()
    else { return nil }
    id = manifest.id
    self.manifest = manifest
    self.pages = pages
    self.archive = archive
  }

  /// The same backup, with where the database is different now; nil when that is not known.
  func with(_ changes: ImageChanges?) -> EarlierBackup? {
    guard let changes else { return nil }
    var backup = self
    backup.changes = changes
    return backup
  }

  /// When all of the database was last read and checked with nothing taken over; nil when that is
  /// not known.
  var examined: Date? {
    if let examined = manifest.examined { return examined }
    return manifest.checks.contains { $0.basis != nil } ? nil : manifest.created
  }

  /// The same backup as far as it may vouch for the next one: until it is time to look at everything
  /// again, or the clock went wrong.
  func vouching(at now: Date, for duration: Duration) -> EarlierBackup? {
    guard let examined else { return nil }
    let age = now.timeIntervalSince(examined)
    return age >= 0 && age < Double(duration.components.seconds) ? self : nil
  }

  /// Whether SQLite has found the database sound as it was.
  var isIntact: Bool {
    manifest.checks.contains { $0.name == ImageChecks.integrityCheck && $0.passed }
  }
}

/// What is in the bytes of a backup.
package struct BackupDescription: Sendable {
  /// What the database is and holds.
  package var content: BackupContent
  /// The tables that differ from the earlier backup, by themselves or in an index; nil when any may.
  package var changedTables: [Name]?

  /// Describes a database.
  package init(_ content: BackupContent, changedTables: [Name]? = nil) {
    self.content = content
    self.changedTables = changedTables
  }
}
