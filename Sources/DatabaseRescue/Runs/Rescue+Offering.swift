// SPDX-License-Identifier: Apache-2.0
// The backups that could be restored, and what that would give.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Run {
  /// What could be restored in the place of an examined database, which learns from the backups
  /// whether it went back in time.
  mutating func offers(
    for examination: inout Examination, of database: FilePath, vault: FilePath?
  ) throws(RescueError) -> [(backup: Backup, offer: BackupOffer)] {
    notes.stage = .plan
    examination = try rescue.descended(
      examination, of: database, vault: vault, code: notes.code())
    notes.take(examination)
    let kept = try rescue.backups(of: database, vault: vault)
    // None is from a time that has not come yet.
    let now = world.now()
    let good = kept.preferred(try kept.list().filter { $0.isGood && $0.created <= now })
    let offers = try rescue.offers(for: examination, from: good).filter { backup, offer in
      kept.isOfDatabase(backup) || offer.mayBeOfSameDatabase
    }
    notes.hasVerifiedBackup = !offers.isEmpty
    return offers
  }
}

extension Rescue {
  /// What restoring some of the backups would give, each compared with the current rows.
  func offers(
    for examination: Examination, from good: [Backup]
  ) throws(RescueError) -> [(backup: Backup, offer: BackupOffer)] {
    // The newest ones are what people choose from.
    var offers: [(backup: Backup, offer: BackupOffer)] = []
    // Trees can be sound and have each other's rows.
    let manifests =
      examination.verdict.isStructureSound ? ManifestComparison(examination.reconstruction) : nil
    for backup in good.prefix(3) {
      offers.append((backup, try offer(backup, for: examination, by: manifests)))
    }
    return offers
  }

  /// A backup, compared with the current rows: by what its manifest says where that is enough.
  func offer(
    _ backup: Backup, for examination: Examination, by manifests: ManifestComparison? = nil
  ) throws(RescueError) -> BackupOffer {
    var comparison: [RowComparison]?
    if let manifests { comparison = try compare(by: manifests, with: backup) }
    if comparison == nil {
      comparison = try compare(examination.reconstruction, with: backup)
    }
    return BackupOffer(
      name: backup.path.name.description, age: age(of: backup),
      made: "\(backup.created.shortTime) (\(backup.name.id))",
      userVersion: Int(backup.name.userVersion), comparison: comparison ?? [])
  }

  /// The rows of a sound database compared with those of a backup by what is known of both; nil
  /// where that is not enough.
  private func compare(
    by manifests: ManifestComparison, with backup: Backup
  ) throws(RescueError) -> [RowComparison]? {
    world.progress(.began(.comparing, byteCount: nil))
    do throws(RescueError) {
      return try manifests.comparison(with: backup) { () throws(RescueError) in
        world.watched(try BackupReader(backup.path, in: world.storage).pages())
      }
    } catch {
      try world.requireGoingOn()
      // Somebody writes to the database, or the backup is damaged: reading all of it tells.
      return nil
    }
  }

  /// The rows of a database compared with those of a backup.
  func compare(
    _ reconstruction: Reconstruction, with backup: Backup
  ) throws(RescueError) -> [RowComparison] {
    let pages = try BackupReader(backup.path, in: world.storage).pages()
    world.progress(.began(.readingBackup, byteCount: pages.byteCount))
    let other = try world.reconstruct(FileSet(main: world.watched(pages)))
    var current = reconstruction
    // Rows whose table the file does not name any more are lost to a restore all the same.
    if reconstruction.hasUnnamedRows, let files = reconstruction.survey.image?.files {
      current = try world.reconstruct(
        files, known: SalvageBackup(at: backup.path, world: world).knowledge)
    }
    let byteCount = reconstruction.survey.image?.files.main.byteCount ?? 0
    world.progress(.began(.comparing, byteCount: pages.byteCount + byteCount))
    do { return try current.compare(with: other) } catch { throw .interrupted }
  }

  /// The age of a backup in words.
  private func age(of backup: Backup) -> String {
    let seconds = world.now().timeIntervalSince(backup.created)
    if seconds < 0 { return "a time that has not come yet" }
    func words(_ count: Double, _ unit: String) -> String {
      let count = Int(count)
      return "\(count) \(unit)\(count == 1 ? "" : "s") ago"
    }
    return switch seconds {
    case ..<60: words(seconds, "second")
    case ..<3600: words(seconds / 60, "minute")
    case ..<(48 * 3600): words(seconds / 3600, "hour")
    default: words(seconds / 86_400, "day")
    }
  }
}

extension BackupOffer {
  /// Whether a backup that was made at another place may be of this database: they have rows in
  /// common, or there are none to compare.
  fileprivate var mayBeOfSameDatabase: Bool {
    comparison.contains { $0.same > 0 } || !comparison.contains { $0.changed + $0.onlyCurrent > 0 }
  }
}
