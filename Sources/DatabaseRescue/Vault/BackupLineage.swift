// SPDX-License-Identifier: Apache-2.0
// Whether what is backed up follows from what the backup before it holds.

public import Diagnosis
internal import SQLiteFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension BackupManifest {
  /// How the database follows from the newest good backup that there was.
  public struct Lineage: Codable, Hashable, Sendable {
    /// That backup.
    public var after: BackupID
    /// What there is to say of it; nothing when one state simply follows from the other.
    public var findings: [BackupContent.FoundThing]
    /// The tables that have fewer rows than there.
    public var losses: [Succession.Loss]
    /// Whether somebody said beforehand that all of that is meant.
    public var isAccepted: Bool

    /// Whether the database may have gone back in time, and nobody has said that it should.
    public var isDoubtful: Bool { !isAccepted && findings.contains { $0.severity > .notice } }
  }
}

extension BackupContent {
  /// By what this state of the database is told from others.
  var mark: StateMark {
    let own = tables.filter { !Name($0.name).isReserved && $0.isShadow != true }
    return StateMark(
      changeCounter: changeCounter, sequences: sequences ?? [:],
      tables: own.map {
        StateMark.Table(name: $0.name, rows: $0.rows, contentHash: $0.contentHash)
      })
  }
}

extension BackupJob {
  /// The change counter of the database as it is now; nil where it cannot be had.
  ///
  /// SQLite's copy begins to count anew, and so this is read from the files. As it only grows, it
  /// is not higher than that of the copy made next.
  ///
  /// - Throws: ``RescueError`` when the disk does not hand out bytes.
  func changeCounter() throws(RescueError) -> UInt32? {
    do throws(RescueError) {
      let set = try files.input.open(in: writer.world)
      do throws(ReadFailure) {
        let start = try set.rolledBackMain().read(at: 0, count: DatabaseHeader.byteCount)
        guard let geometry = DatabaseHeader(start)?.geometry else { return nil }
        let first = try? Image(set, geometry: geometry).bytes(of: .first)
        try set.failures.requireNone()
        return first.flatMap { DatabaseHeader($0) }?.changeCounter
      } catch {
        throw RescueError(error, in: files.path)
      }
    } catch  where error.kind == .missing {
      return nil  // Somebody closed or recovered it just now.
    }
  }

  /// A digest of where the database lies; the place itself is nobody's business.
  var place: String {
    String(SHA256.digest(of: Bytes(files.resolved.bytes)).description.prefix(16))
  }

  /// How a state of the database follows from the newest good backup; nil when there is none.
  func lineage(of content: BackupContent) throws(RescueError) -> BackupManifest.Lineage? {
    let vault = Vault(writer.vault, of: files.name, in: storage)
    // A folder may hold the backups of several databases of one name.
    func isOfSamePlace(_ backup: Backup) -> Bool {
      (backup.manifest?.content.place).map { $0 == content.place } ?? true
    }
    guard
      let newest = try vault.latest(notAfter: created, where: { $0.isGood && isOfSamePlace($0) }),
      let then = newest.manifest?.content
    else { return nil }
    let now = content.mark
    let options = writer.options
    let isOurs = try wasReplaced(since: newest)
    let evidence = Succession.Evidence(
      isOldFile: try isOlder(than: newest), lossMax: isOurs ? nil : options.lossMax,
      freeTables: options.freeTables
    ) { table in
      content.leaves(of: table).contains { then.leaves(of: table).contains($0) }
    }
    let mayBeOlder = !isOurs && now.isBehind(then.mark)
    let succession = Succession(
      of: now, after: newest.earlier(then),
      older: mayBeOlder
        ? try vault.list().filter(isOfSamePlace).compactMap { $0.older(than: newest) } : [],
      evidence: evidence)
    return BackupManifest.Lineage(
      after: newest.name.id,
      findings: succession.findings.filter { !isOurs || $0.code == .rowsFewer }
        .map { BackupContent.FoundThing($0) },
      losses: succession.losses, isAccepted: options.acceptsOlder)
  }

  /// Whether the file was there when a backup was finished: then it is no new one.
  private func isOlder(than backup: Backup) throws(RescueError) -> Bool {
    do {
      if let born = try storage.born(files.resolved), born <= backup.modified { return true }
      return files.status[.main].map { $0.modified < backup.modified } ?? false
    } catch {
      throw RescueError(error)
    }
  }

  /// Whether a run of this program has put something else in the place of the database since a
  /// backup was finished: what it displaced is in quarantine.
  private func wasReplaced(since backup: Backup) throws(RescueError) -> Bool {
    let quarantines = try RescueFolder(of: files.resolved, storage: storage).quarantines
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
  fileprivate func leaves(of table: String) -> Set<LeafPages.Leaf> {
    Set(tables.first { $0.name == table }?.leafPages?.leaves ?? [])
  }
}

extension Backup {
  /// The backup with what it holds, to be compared with.
  fileprivate func earlier(_ content: BackupContent) -> Succession.Earlier {
    Succession.Earlier("\(name.id) of \(name.created.formatted(.iso8601))", content.mark)
  }

  /// The same, where it is a good one that was made before another.
  fileprivate func older(than other: Backup) -> Succession.Earlier? {
    guard isGood, name.created <= other.name.created, name.id != other.name.id else { return nil }
    return manifest.map { earlier($0.content) }
  }
}
