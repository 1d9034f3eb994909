// SPDX-License-Identifier: Apache-2.0
// What is known of a database from around its files: where they lie, what lies beside them, when
// they changed.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension World {
  /// What is known of an examined database from around its files.
  ///
  /// None of it is needed: what cannot be looked at is not known.
  func circumstances(
    of input: InputFiles, _ examination: Examination, backups: [Backup]
  ) -> Circumstances {
    var found = Circumstances()
    found.ownBackup = examination.survey.kind == .backup ? ownBackup(at: input.main) : nil
    found.moments = moments(of: input, backups)
    guard !input.isPrivate else { return found }
    found.fileSystem = (try? storage.fileSystem(at: input.main)) ?? nil
    found.freeBytes = try? storage.freeBytes(at: input.main.folder)
    found.syncMarks = conflictCopies(of: input.main)
    found.needsJournal = needsJournal(examination, input)
    if input.wal == nil, let index = try? storage.open(input.main.adding(suffix: "-shm"), .read) {
      found.logIndex = LogIndex(index)
    }
    return found
  }

  /// Whether a database contradicts itself without the journal that is applied.
  private func needsJournal(_ examination: Examination, _ input: InputFiles) -> Bool? {
    guard case .applied? = examination.survey.image?.journal,
      let main = try? storage.open(input.main, .read),
      let alone = try? survey(FileSet(main: watched(main))),
      let judged = try? Examination(alone)
    else { return nil }
    return !judged.verdict.isStructureSound
  }

  /// What a backup that was given in place of a database says of itself.
  private func ownBackup(at path: FilePath) -> Circumstances.OwnBackup? {
    guard let reader = try? BackupReader(path, in: storage), let manifest = reader.manifest else {
      return nil
    }
    return Circumstances.OwnBackup(
      database: manifest.database.harmless(limit: PlainName.lengthLimit),
      made: manifest.created.shortTime,
      userVersion: Int(manifest.content.userVersion), byteCount: manifest.image.byteCount,
      isComplete: reader.state == .complete)
  }

  private func moments(of input: InputFiles, _ backups: [Backup]) -> [Circumstances.Moment] {
    func moment(_ path: FilePath?, _ what: String) -> Circumstances.Moment? {
      guard let path, let status = (try? storage.status(of: path)) ?? nil else { return nil }
      return Circumstances.Moment(what, at: status.modified)
    }
    let files = [
      moment(input.main, "the database file was last written"),
      moment(input.wal, "its -wal was last written"),
      moment(input.journal, "its -journal was last written"),
    ]
    return
      (files.compactMap(\.self)
      + backups.map {
        Circumstances.Moment(
          "the backup \($0.name.id) was made", at: $0.name.created.timeIntervalSince1970)
      }).sorted { $0.time < $1.time }
  }

  /// How programs that synchronise folders call the copy of a file that they could not bring
  /// together with another one.
  private static let conflictWords = [
    "conflicted copy", "sync-conflict", "(conflict", "conflict-", "[conflict",
  ]

  /// The files beside a database that are copies of it which a synchronising program made.
  private func conflictCopies(of database: FilePath) -> [String] {
    guard let names = try? storage.names(in: database.folder) else { return [] }
    let stem = database.stem
    return names.map(\.description).filter { name in
      name.hasPrefix(stem) && Self.conflictWords.contains { name.contains($0) }
    }.prefix(3).map { $0.harmless(limit: PlainName.lengthLimit) }
  }
}

extension Date {
  /// The time in UTC to the second, as people read it: `2026-11-21 02:00:00 UTC`.
  var shortTime: String {
    formatted(.iso8601).replacing("T", with: " ").replacing("Z", with: "") + " UTC"
  }
}
