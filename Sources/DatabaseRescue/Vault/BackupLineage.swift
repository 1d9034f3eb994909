// SPDX-License-Identifier: Apache-2.0
// Whether what is backed up follows from what the backup before it holds.

package import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension BackupManifest {
  /// How the database follows from the newest good backup that there was.
  package struct Lineage: Codable, Hashable, Sendable {
    /// That backup.
    package var after: BackupID
    /// What there is to say of it; nothing when one state simply follows from the other.
    package var findings: [BackupContent.FoundThing]
    /// The tables that have fewer rows than there.
    package var losses: [Succession.Loss]
    /// Whether somebody said beforehand that all of that is meant.
    package var isAccepted: Bool

    /// Whether the database may have gone back in time, and nobody has said that it should.
    package var isDoubtful: Bool { !isAccepted && findings.contains { $0.severity > .notice } }
  }
}

/// The change counter of a file header, between what it was and what it may be about to become.
struct ChangeCounter {
  /// No state that was committed since has a lower one.
  var atLeast: UInt32
  /// The one that was read; the largest number where it is not known.
  var atMost: UInt32
}

extension BackupJob {
  /// The change counter of the database as it is now; nil where it cannot be had.
  ///
  /// SQLite's copy begins to count anew, and so this is read from the files: the header by SQLite,
  /// as this process would lose the locks it holds if it closed the file itself. As the counter only
  /// grows, it is not higher than that of the copy that is made next.
  ///
  /// - Throws: ``RescueError`` when the disk does not hand out bytes.
  func changeCounter() throws(RescueError) -> ChangeCounter? {
    do throws(RescueError) { return try readChangeCounter() } catch
      where error.kind != .inputOutput
    {
      return nil  // What stands in the way of that is told by whoever copies the database.
    }
  }

  private func readChangeCounter() throws(RescueError) -> ChangeCounter? {
    let journal = try JournalInPlace(beside: files.resolved, in: storage)
    guard journal != .hot, try !files.needPrivateCopy(in: storage) else { return nil }
    let start = try OnlineBackup.start(of: files.path, count: DatabaseHeader.byteCount)
    // Where there is no page, nothing was counted.
    if start.isEmpty, files.sidecars.isEmpty { return ChangeCounter(atLeast: 0, atMost: 0) }
    guard let header = DatabaseHeader(start), let geometry = header.geometry else { return nil }
    // Somebody may be about to write the next number, and take it back.
    if journal == .inUse {
      return ChangeCounter(
        atLeast: header.changeCounter &- 1, atMost: header.changeCounter)
    }
    let logged = try loggedHeader(start, geometry)
    // A log that is written anew under the reading gives anything; twice the same, it is at rest.
    guard
      try OnlineBackup.start(of: files.path, count: DatabaseHeader.byteCount) == start,
      try logged == loggedHeader(start, geometry),
      logged.map({ $0.hasMagic && $0.isPageCountValid }) != false
    else { return ChangeCounter(atLeast: header.changeCounter, atMost: .max) }
    let counter = (logged ?? header).changeCounter
    return ChangeCounter(atLeast: counter, atMost: counter)
  }

  /// The header as the log has it; nil where it has none, or is gone by now.
  private func loggedHeader(
    _ start: Bytes, _ geometry: Geometry
  ) throws(RescueError) -> DatabaseHeader? {
    guard files.sidecars.contains(.wal) else { return nil }
    let log: any StoredFile
    do { log = try storage.open(files.path(of: .wal), .read) } catch
      where error.cause == .missing
    {
      return nil
    } catch {
      throw RescueError(error)
    }
    let set = FileSet(main: MemorySource(start), wal: log)
    let first = try? Image(set, geometry: geometry).bytes(of: .first)
    do { try set.failures.requireNone() } catch {
      throw RescueError(error, in: files.path(of: .wal))
    }
    return first.flatMap { DatabaseHeader($0) }
  }

  /// How the database follows from the newest good backup; nil when there is none.
  func lineage(
    of content: BackupContent, _ counter: ChangeCounter?
  ) throws(RescueError) -> BackupManifest.Lineage? {
    var now = content.mark
    now.changeCounter = counter.flatMap { $0.atMost == .max ? nil : $0.atMost }
    // Who commits between the reading of the counter and the copy is not counted.
    let counterAfter = now.countsCommits ? try changeCounter() : nil
    now.countsCommits =
      counterAfter.map { [$0.atLeast, $0.atMost, counter?.atLeast] }
      == counter.map { [$0.atMost, $0.atMost, $0.atMost] }
    let options = writer.options
    let ids = Set(known.map(\.id))
    return try descent.lineage(
      of: now, since: created, lossMax: options.lossMax, freeTables: options.freeTables,
      renamedTables: options.renamedTables, isAccepted: options.acceptsOlder,
      isKnown: { ids.contains($0.name.id) }
    ) { () throws(RescueError) in (now, content) }
  }

  /// The database, and the vault that this backup goes to.
  var descent: Descent { Descent(of: files.resolved, in: writer.vault, storage) }
}

/// A database and the backups that were made of it, from the newest of which it follows or not.
struct Descent {
  /// The database, with links followed.
  private let database: FilePath
  private let vault: FilePath
  private let storage: any Storage

  init(of database: FilePath, in vault: FilePath, _ storage: any Storage) {
    self.database = database
    self.vault = vault
    self.storage = storage
  }

  /// The place by which backups of this database are told from those of another one of the same name.
  var tellingPlace: TellingPlace {
    let own = Vault.defaultFolder(of: database)
    return TellingPlace(
      digest: String(SHA256.digest(of: Bytes(database.bytes)).description.prefix(16)),
      ownsVault: vault == own || (try? storage.place(of: vault)) == own)
  }

  /// How a state of the database follows from the newest good backup that there was at a time; nil
  /// when there is none.
  ///
  /// `whole` gives the state with digests of its rows, and all that a backup says of it: it is
  /// asked only where the state counts less than the backup, has other rows and counts as much, or
  /// tables may have other names. `isKnown` tells
  /// which backups may be older than the state; `passOver` is told of the newer backups
  /// that are damaged or cannot be read, with which nothing is compared.
  ///
  /// - Throws: ``RescueError`` when the vault or the file cannot be looked at.
  func lineage(
    of state: StateMark, since date: Date, lossMax: Int? = nil, freeTables: Set<Name> = [],
    renamedTables: [Name: Name] = [:], isAccepted: Bool = false,
    isKnown: (Backup) -> Bool = { _ in true }, passOver: (Backup) -> Void = { _ in },
    whole: () throws(RescueError) -> (mark: StateMark, content: BackupContent)
  ) throws(RescueError) -> BackupManifest.Lineage? {
    let vault = Vault(vault, of: database.name, in: storage)
    guard
      let newest = try vault.latest(
        notAfter: date, skippingUnread: true,
        where: { backup in
          guard isKnown(backup), isOfSamePlace(backup) else { return false }
          if backup.state != .complete { passOver(backup) }
          return backup.isGood
        }),
      let then = newest.manifest?.content
    else { return nil }
    let isOurs = try wasReplaced(since: newest)
    let mayBeOlder = !isOurs && state.isBehind(then.mark)
    let isAsked =
      mayBeOlder || state.mayHaveRenamed(since: then.mark)
      || state.hasChangedUncounted(since: then.mark)
    let now = isAsked ? try whole() : nil
    var evidence = Succession.Evidence(
      isOldFile: try isOlder(than: newest), lossMax: isOurs ? nil : lossMax,
      freeTables: freeTables, renamedTables: renamedTables
    ) { table in
      now?.content.leaves(of: table).contains { then.leaves(of: table).contains($0) } == true
    }
    evidence.isMadeAnew = { table in
      let (own, others) = (now?.content.leaves(of: table) ?? [], then.leaves(of: table))
      return own.count > 1 && others.count > 1 && own.isDisjoint(with: others)
    }
    let succession = Succession(
      of: now?.mark ?? state, after: newest.earlier(then),
      older: mayBeOlder
        ? try vault.list().filter(isOfSamePlace).compactMap { $0.older(than: newest) } : [],
      evidence: evidence)
    return BackupManifest.Lineage(
      after: newest.name.id,
      findings: succession.findings.filter { !isOurs || $0.code == .rowsFewer }
        .map { BackupContent.FoundThing($0) },
      losses: succession.losses, isAccepted: isAccepted)
  }

  /// Whether a backup is one of this database: a folder may hold those of several of one name.
  func isOfSamePlace(_ backup: Backup) -> Bool { backup.isMade(at: tellingPlace) }

  /// Whether the file was there when a backup was finished: then it is no new one.
  private func isOlder(than backup: Backup) throws(RescueError) -> Bool {
    do {
      if let born = try storage.born(database), born <= backup.modified { return true }
      return try storage.status(of: database).map { $0.modified < backup.modified } ?? false
    } catch {
      throw RescueError(error)
    }
  }

  /// Whether a run of this program has put something else in the place of the database since a
  /// backup was finished: what it displaced is in quarantine.
  func wasReplaced(since backup: Backup) throws(RescueError) -> Bool {
    let quarantines = try RescueFolder(of: database, storage: storage).quarantines
    do throws(StorageError) {
      for name in try storage.names(in: quarantines) {
        guard let status = try storage.status(of: quarantines.appending(name)) else { continue }
        if status.modified >= backup.modified { return true }
      }
      return false
    } catch  where error.cause == .missing {
      return false
    } catch {
      throw RescueError(error)
    }
  }
}

extension BackupContent {
  fileprivate func leaves(of table: Name) -> Set<LeafPages.Leaf> {
    Set(tables.first { $0.name == table }?.leafPages?.leaves ?? [])
  }
}

extension Backup {
  /// The backup with what it holds, to be compared with.
  fileprivate func earlier(_ content: BackupContent) -> Succession.Earlier {
    Succession.Earlier("\(name.id) of \(created.formatted(.iso8601))", content.mark)
  }

  /// The same, where it is a good one that was made before another.
  fileprivate func older(than other: Backup) -> Succession.Earlier? {
    guard isGood, created <= other.created, name.id != other.name.id else { return nil }
    return manifest.map { earlier($0.content) }
  }
}

/// Where a database lies, by which its backups are told from those of another one of its name.
struct TellingPlace: Sendable {
  /// A digest of it; the place itself is nobody's business.
  let digest: String
  /// Whether the folder of the backups is the database's own, which moves with it, as apps do at an
  /// update: what was made elsewhere is its own there too, unless another database put it there.
  let ownsVault: Bool
}

extension Backup {
  /// Whether it was made of a database at a place, as far as it tells; nil where that does not count.
  func isMade(at place: TellingPlace?) -> Bool {
    guard let place, let content = manifest?.content, let own = content.place else { return true }
    return own == place.digest || place.ownsVault && content.isElsewhere != true
  }
}
