// SPDX-License-Identifier: Apache-2.0
// The playbooks that come with the program: the files of the folder `playbooks`, built in.

package import SQLiteFormat

/// The playbooks that come with the program.
package enum ShippedPlaybooks {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("back-in-time", PackageResources.back_in_time_json5),
    ("bulk-triage-after-incident", PackageResources.bulk_triage_after_incident_json5),
    ("disk-full-during-migration", PackageResources.disk_full_during_migration_json5),
    ("failed-verification-after-update", PackageResources.failed_verification_after_update_json5),
    ("index-or-fts-damage", PackageResources.index_or_fts_damage_json5),
    ("last-resort-reset", PackageResources.last_resort_reset_json5),
    ("lost-stale-or-split-log", PackageResources.lost_stale_or_split_log_json5),
    ("malformed-database-at-start", PackageResources.malformed_database_at_start_json5),
    ("newer-than-app", PackageResources.newer_than_app_json5),
    ("not-a-database-or-encrypted", PackageResources.not_a_database_or_encrypted_json5),
    ("pre-migration-backup", PackageResources.pre_migration_backup_json5),
    ("restore-after-bad-release", PackageResources.restore_after_bad_release_json5),
    ("user-submitted-file", PackageResources.user_submitted_file_json5),
  ]

  /// Their names, sorted.
  package static var names: [String] { files.map(\.name) }

  /// All of them, by name.
  package static func all() throws(RescueError) -> [Playbook] {
    try names.map { name throws(RescueError) in try playbook(named: name) }
  }

  /// The playbook of a name.
  ///
  /// - Throws: ``RescueError`` of kind `missing` when no playbook has the name.
  package static func playbook(named name: String) throws(RescueError) -> Playbook {
    try PlaybookReader.read(try text(named: name), named: "\(name).json5")
  }

  /// The text of a playbook, to copy and to change.
  ///
  /// - Throws: ``RescueError`` of kind `missing` when no playbook has the name.
  package static func text(named name: String) throws(RescueError) -> Bytes {
    guard let file = files.first(where: { $0.name == name }) else {
      throw RescueError(
        .missing, "no playbook \(name.quoted)" + NearestWord.hint(for: name, in: names),
        advice: "dbrescue playbook list")
    }
    return Bytes(file.bytes)
  }
}
