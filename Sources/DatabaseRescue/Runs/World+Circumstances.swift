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
    of input: InputFiles, _ examination: Examination, backups: [Backup],
    _ offers: [BackupOffer] = []
  ) -> Circumstances {
    var found = Circumstances()
    found.ownBackup = examination.survey.kind == .backup ? ownBackup(at: input.main) : nil
    found.moments = moments(of: input, backups)
    let newest = backups.max { $0.created < $1.created }
    found.before = newest.flatMap(\.held)
    found.isReplacedByUs = newest.map { isReplaced(input.main, since: $0) } ?? false
    found.before?.overlap = offers.first { $0.name == newest?.path.name.description }
      .map { .init($0.comparison) }
    found.checkpoint = examination.survey.image.flatMap { CheckpointProgress(of: $0) }
    guard !input.isPrivate else { return found }
    found.fileSystem = (try? storage.fileSystem(at: input.main)) ?? nil
    found.freeBytes = try? storage.freeBytes(at: input.main.folder)
    let copies = conflictCopies(of: input.main)
    found.syncMarks = copies.prefix(3).map { $0.description.harmless(limit: PlainName.lengthLimit) }
    found.conflictAge = gap(between: input.main, and: copies)
    found.copy = copy(beside: input, examination, conflicts: copies)
    found.journalOfOtherName = journalOfOtherName(examination, input)
    found.needsJournal = needsJournal(examination, input)
    if found.checkpoint?.isCutOff == true { found.needsLog = contradictsItself(alone: input) }
    if isLogGone(input), let index = try? storage.open(input.place.adding(suffix: "-shm"), .read) {
      found.logIndex = LogIndex(index)
    }
    return found
  }

  /// Whether a run of this program has put something else in the place of a database since a backup.
  private func isReplaced(_ database: FilePath, since backup: Backup) -> Bool {
    guard let place = try? storage.place(of: database) else { return false }
    let vault = Vault.defaultFolder(of: place)
    return (try? Descent(of: place, in: vault, storage).wasReplaced(since: backup)) ?? false
  }

  /// Whether there is no log, or nothing in it.
  private func isLogGone(_ input: InputFiles) -> Bool {
    input.wal.map { ((try? storage.status(of: $0)) ?? nil)?.byteCount == 0 } ?? true
  }

  /// Whether a database contradicts itself without the journal that is applied.
  private func needsJournal(_ examination: Examination, _ input: InputFiles) -> Bool? {
    guard case .applied? = examination.survey.image?.journal else { return nil }
    return contradictsItself(alone: input)
  }

  /// The most journals of other names that are tried.
  private static let journalsMax = 3

  /// A journal that belongs to no file in the folder, and with which a database is sound that is not
  /// sound without it: one of the two was renamed.
  private func journalOfOtherName(_ examination: Examination, _ input: InputFiles) -> String? {
    guard let image = examination.survey.image, !examination.verdict.isStructureSound,
      input.journal == nil, let names = try? storage.names(in: input.main.folder)
    else { return nil }
    let present = Set(names)
    let strays = names.filter { name in
      guard name.description.hasSuffix("-journal") else { return false }
      return !present.contains(FilePath(String(name.description.dropLast("-journal".count))))
    }
    return strays.prefix(Self.journalsMax).first { name in
      guard let main = try? storage.open(input.main, .read),
        let journal = try? storage.open(input.main.folder.appending(name), .read),
        case let set = FileSet(main: watched(main), journal: watched(journal)),
        // Few are hot, and reading the database anew takes long.
        case .applied = Image(set, geometry: image.geometry).journal,
        let whole = try? reconstruct(set), case .applied? = whole.survey.image?.journal,
        let judged = try? Examination(whole)
      else { return false }
      return judged.verdict.isStructureSound
    }?.description.harmless(limit: PlainName.lengthLimit)
  }

  /// Whether a database file contradicts itself without what lies beside it.
  private func contradictsItself(alone input: InputFiles) -> Bool? {
    guard let main = try? storage.open(input.main, .read),
      let alone = try? reconstruct(FileSet(main: watched(main))),
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
      isComplete: reader.state == .complete, isGood: reader.isGood)
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
          "the backup \($0.name.id) was made", at: $0.created.timeIntervalSince1970)
      }).sorted { $0.time < $1.time }
  }

  /// How programs that synchronise folders call the copy of a file that they could not bring
  /// together with another one.
  private static let conflictWords = [
    "conflicted copy", "sync-conflict", "(conflict", "conflict-", "[conflict",
  ]

  /// The files beside a database that are copies of it which a synchronising program made.
  private func conflictCopies(of database: FilePath) -> [FilePath] {
    guard let names = try? storage.names(in: database.folder) else { return [] }
    let stem = database.stem
    return names.filter { file in
      let name = file.description
      return name.hasPrefix(stem) && Self.conflictWords.contains { name.contains($0) }
    }
  }

  /// What people and programs put behind the name of a file to name a copy of it.
  private static let copyEndings = [
    ".bak", ".backup", ".old", ".orig", ".save", ".copy", "~", ".1",
  ]
  /// The most copies that are compared.
  private static let comparedMax = 2

  /// A copy of a sound database that lies beside it and has something newer, by what it counts or by
  /// who made it.
  private func copy(
    beside input: InputFiles, _ examination: Examination, conflicts: [FilePath]
  ) -> Circumstances.Copy? {
    guard examination.verdict.isStructureSound, let now = examination.survey.header?.changeCounter,
      let names = try? storage.names(in: input.main.folder)
    else { return nil }
    let usual = Set(Self.copyEndings.map { input.main.name.adding(suffix: $0) })
    for name in (conflicts + names.filter(usual.contains)).prefix(Self.comparedMax) {
      let isOfConflict = conflicts.contains(name)
      guard let file = try? storage.open(input.main.folder.appending(name), .read),
        let head = try? file.read(at: 0, count: DatabaseHeader.byteCount),
        let header = DatabaseHeader(head), header.hasMagic,
        isOfConflict || Int32(bitPattern: header.changeCounter &- now) > 0,
        let other = try? reconstruct(FileSet(main: watched(file))),
        let judged = try? Examination(other), judged.verdict.isStructureSound,
        let copy = Circumstances.Copy(
          other, named: name.description.harmless(limit: PlainName.lengthLimit),
          of: examination.reconstruction, isOfConflict: isOfConflict)
      else { continue }
      return copy
    }
    return nil
  }

  /// The most copies whose time is looked at.
  private static let copiesMax = 64

  /// The fewest seconds between the last change of a file and that of one of those beside it.
  private func gap(between file: FilePath, and others: [FilePath]) -> Double? {
    func changed(_ path: FilePath) -> Double? {
      ((try? storage.status(of: path)) ?? nil)?.modified
    }
    guard let time = changed(file) else { return nil }
    return others.prefix(Self.copiesMax)
      .compactMap { changed(file.folder.appending($0)).map { abs($0 - time) } }.min()
  }
}

extension Backup {
  /// What of a database it holds; nil where it does not say.
  fileprivate var held: Circumstances.Before? {
    guard let content = manifest?.content else { return nil }
    return Circumstances.Before(
      backup: "\(name.id)", userVersion: Int(content.userVersion),
      rows: Dictionary(content.mark.tables.map { ($0.name, $0.rows) }) { first, _ in first },
      changeCounter: content.mark.changeCounter, schema: Set(content.schemaSQL))
  }
}

extension Date {
  /// The time in UTC to the second, as people read it: `2026-11-21 02:00:00 UTC`.
  var shortTime: String {
    formatted(.iso8601).replacing("T", with: " ").replacing("Z", with: "") + " UTC"
  }
}
