// SPDX-License-Identifier: Apache-2.0
// Looking at a database without touching it.

import Diagnosis
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Rescue {
  /// How often a database is read that changes under the reading.
  private static let readingsMax = 5

  /// Examines a database: its bytes by our own reader, its contract on a private copy.
  ///
  /// Nothing is locked, so another process may write meanwhile. What then looks damaged or
  /// drifted may be two states in one, and is read again.
  ///
  /// The contract's schema, or else what is `known` from a backup, stands in for one that the file
  /// has lost; unless `verifying`, that is all that the contract is for. Modules of virtual tables
  /// are asked on a private copy where that is wished: they may read all of their tables. What looks
  /// sound may be two states as well, unless it is asked for `asOneMoment`.
  ///
  /// - Throws: ``RescueError`` of the kind `.busy` when it changed under every reading.
  func examine(
    _ input: InputFiles, _ contract: Contract?, known: OutsideKnowledge? = nil,
    verifying: Bool = true, askingModules: Bool = false, asOneMoment: Bool = false,
    _ notes: inout RunNotes
  ) throws(RescueError) -> Examination {
    var input = input
    for _ in 1..<(asOneMoment ? 2 : Self.readingsMax) {
      let start = try DatabaseState(of: input, storage: world.storage)
      notes.state = start
      var failure: RescueError?
      do throws(RescueError) {
        let examination = try examineOnce(
          input, contract, known: known, verifying: verifying, askingModules: askingModules,
          &notes)
        let looksSound = [.healthy, .outdated, .newer].contains(examination.verdict)
        if looksSound, !asOneMoment { return examination }
        if try DatabaseState(of: input, storage: world.storage) == start { return examination }
      } catch {
        failure = error
      }
      if let failure, try DatabaseState(of: input, storage: world.storage) == start {
        throw failure
      }
      input = try input.lookedForAgain(in: world.storage)
    }
    throw Self.changing(input.main)
  }

  /// The error of a reading under which the files changed.
  static func changing(_ database: FilePath) -> RescueError {
    RescueError(
      .busy, "'\(database)' changes while it is read: another process is writing to it",
      meaning: "nothing can be said of a mixture of two states; nothing was changed",
      advice: "close what uses it and try again, or make a backup, which sees one state: "
        + "dbrescue backup FILE")
  }

  /// Examines a database that others may be using, and that this run may change anyway, as it is at
  /// one moment: where it does not rest, a copy that SQLite makes is examined instead.
  func examineInUse(
    _ database: FilePath, _ contract: Contract?, wait: Duration, _ notes: inout RunNotes
  ) throws(RescueError) -> Examination {
    do throws(RescueError) {
      return try examine(
        InputFiles(database, storage: world.storage), contract, asOneMoment: true, &notes)
    } catch  where error.kind == .busy {
      let folder = try PrivateFolder(world: world)
      let copy = folder.file("moment.db")
      try OnlineBackup.image(
        of: database, into: copy, wait: wait, isCancelled: world.isCancelled)
      return try examineOnce(InputFiles(copy, storage: world.storage), contract, &notes)
    }
  }

  private func examineOnce(
    _ input: InputFiles, _ contract: Contract?, known: OutsideKnowledge? = nil,
    verifying: Bool = true, askingModules: Bool = false, _ notes: inout RunNotes
  ) throws(RescueError) -> Examination {
    notes.stage = .open
    let files = try input.open(in: world)
    notes.stage = .diagnose
    world.progress(.began(.examining))
    var known = known ?? OutsideKnowledge()
    if let contract, !contract.freshSchema.isEmpty {
      known.schema = try FreshSchema(contract: contract).declared.entries
    }
    let survey = try world.survey(files, known: known)
    let use = input.isPrivate ? LiveUse() : use(of: input.main)
    let bytes = try examination(
      survey, expectedVersion: verifying ? contract.map { Int($0.userVersion) } : nil, use: use)
    let examination = try examine(
      bytes, verifying ? contract : nil, askingModules: askingModules, &notes)
    notes.take(examination)
    return examination
  }

  /// Judges a survey.
  func examination(
    _ survey: Survey, _ verification: ContractVerification? = nil, expectedVersion: Int?,
    modules: [ModuleVerdict] = [], use: LiveUse = LiveUse()
  ) throws(RescueError) -> Examination {
    do throws(CutShort) {
      return try Examination(
        survey, verification: verification, expectedVersion: expectedVersion, modules: modules,
        use: use)
    } catch {
      throw .interrupted
    }
  }

  /// Has SQLite tell on a private copy what the bytes alone do not: how the database stands to a
  /// contract, and what the modules of its virtual tables say.
  private func examine(
    _ bytes: Examination, _ contract: Contract?, askingModules: Bool, _ notes: inout RunNotes
  ) throws(RescueError) -> Examination {
    let survey = bytes.survey
    let asked = askingModules ? survey.virtualTables.filter(\.canBeAsked) : []
    guard contract != nil || !asked.isEmpty, let image = survey.image else { return bytes }
    // SQLite opens only what our own reader found to be sound, and only a copy of it.
    guard bytes.verdict.isStructureSound else {
      return try examination(
        survey, expectedVersion: bytes.expectedVersion,
        modules: asked.map {
          ModuleVerdict($0.name, .unchecked("SQLite is asked nothing of a damaged database"))
        }, use: bytes.use)
    }
    notes.stage = .verify
    let folder = try PrivateFolder(world: world)
    let copy = folder.file("copy.db")
    try image.write(to: copy, storage: world.storage)
    let verification = try contract.map { contract throws(RescueError) in
      try verify(copy, against: contract)
    }
    let modules: [ModuleVerdict]
    do {
      modules = try ModuleReview.verdicts(
        on: asked, in: copy, byteCount: image.dataByteCount, isCancelled: world.isCancelled)
    } catch {
      throw RescueError(error, doing: "have SQLite check a copy")
    }
    try world.requireGoingOn()
    return try examination(
      survey, verification, expectedVersion: bytes.expectedVersion, modules: modules,
      use: bytes.use)
  }

  /// Has SQLite compare a private copy with a contract.
  func verify(
    _ copy: FilePath, against contract: Contract
  ) throws(RescueError) -> ContractVerification {
    do {
      let connection = try Connection(copy, mode: .readOnly)
      connection.stop(when: world.isCancelled)
      return try ContractVerifier().verify(connection, against: contract)
    } catch {
      throw RescueError(error, doing: "compare a copy with the contract")
    }
  }

  /// Notes the digests of the input files before and after: where they differ, somebody else
  /// wrote meanwhile, for nothing here does.
  ///
  /// The first digests are taken while `examine` reads the same bytes, and are there before
  /// `body` does anything with what that found. It may begin the last ones when it has read all.
  func withEvidence<Value>(
    _ input: InputFiles, _ notes: inout RunNotes,
    examine: (inout RunNotes) throws(RescueError) -> Examination,
    _ body: (Examination, inout RunNotes, LastDigests) throws(RescueError) -> Value
  ) throws(RescueError) -> Value {
    let digests = Background { () throws(RescueError) in
      try self.digests(of: input).map { digest throws(RescueError) in
        // The files were there when they were looked for.
        guard let digest else { throw Self.changing(input.main) }
        return digest
      }
    }
    let examination = Result { () throws(RescueError) in try examine(&notes) }
    let before = Result { () throws(RescueError) in try digests.value() }
    notes.inputs = zip(input.all, (try? before.get()) ?? []).map { path, digest in
      RunRecord.InputDigest(
        name: PlainName(path), before: PlainName(digest.description), after: nil)
    }
    let examined = try examination.get()
    let failures = examined.survey.failures
    try before.get().compactMap(\.failure).forEach(failures.note)
    let last = LastDigests { (progress) throws(RescueError) in
      try self.digests(of: input, progress: progress)
    }
    let value = try body(examined, &notes, last)
    let lastDigests = try last.value(world.progress)
    lastDigests.compactMap(\.?.failure).forEach(failures.note)
    let after = lastDigests.map { $0.map { PlainName($0.description) } }
    notes.inputs = zip(notes.inputs, after).map { input, digest in
      RunRecord.InputDigest(name: input.name, before: input.before, after: digest)
    }
    return value
  }

  /// The digests of the files; nil for one that is gone.
  private func digests(
    of input: InputFiles, progress: (Progress) -> Void = { _ in }
  ) throws(RescueError) -> [EvidenceDigest?] {
    var digests: [EvidenceDigest?] = []
    for path in input.all {
      do {
        let file = try world.storage.open(path, .read)
        digests.append(
          try EvidenceDigest(of: file) { (count) throws(RescueError) in
            try world.requireGoingOn()
            progress(.advanced(count))
          })
      } catch let error as StorageError where error.cause == .missing {
        digests.append(nil)
      } catch {
        throw RescueError(error, doing: "read '\(input.main)'")
      }
    }
    return digests
  }

  /// The backups that could be restored, each compared with the current rows.
  func offers(
    for examination: Examination, of database: FilePath, vault: FilePath?,
    _ notes: inout RunNotes
  ) throws(RescueError) -> [(backup: Backup, offer: BackupOffer)] {
    let now = world.now()
    let good = try backups(of: database, vault: vault).list()
      .filter { $0.isGood && $0.name.created <= now }
    notes.hasVerifiedBackup = !good.isEmpty
    // The newest ones are what people choose from; each is read in full to compare.
    var offers: [(backup: Backup, offer: BackupOffer)] = []
    for backup in good.prefix(3) {
      offers.append((backup, try offer(backup, for: examination)))
    }
    return offers
  }

  /// A backup, compared with the current rows.
  func offer(
    _ backup: Backup, for examination: Examination
  ) throws(RescueError) -> BackupOffer {
    BackupOffer(
      name: backup.path.name.description, age: age(of: backup),
      userVersion: Int(backup.name.userVersion),
      comparison: try compare(examination.survey, with: backup))
  }

  /// The rows of a database compared with those of a backup.
  func compare(
    _ survey: Survey, with backup: Backup
  ) throws(RescueError) -> [RowComparison] {
    let pages = try BackupReader(backup.path, in: world.storage).pages()
    let other = try world.survey(FileSet(main: world.watched(pages)))
    do { return try survey.compare(with: other) } catch { throw .interrupted }
  }

  /// The age of a backup in words.
  private func age(of backup: Backup) -> String {
    let seconds = world.now().timeIntervalSince(backup.name.created)
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

  /// Finishes what an earlier run began on a database.
  func finishPending(_ database: FilePath, _ notes: inout RunNotes) throws(RescueError) {
    let start = world.now()
    PrivateFolder.sweep(PrivateFolder.place(in: world), world.storage)
    let folder = try RescueFolder(of: database, storage: world.storage)
    try world.requireGoingOn()
    guard try Replacement.finishPending(folder, world: world) != nil else { return }
    notes.note(
      Change(.something, "the replacement that an earlier run had begun was finished or undone"))
    notes.note(
      RunRecord.Step(
        name: "finish-earlier-replacement", outcome: "done",
        seconds: world.now().timeIntervalSince(start)))
  }

  /// Whether there is a database in its place, or one on its way to it.
  package func exists(_ database: FilePath) throws(RescueError) -> Bool {
    let folder = try RescueFolder(of: database, storage: world.storage)
    do throws(StorageError) {
      if try world.storage.status(of: folder.database) != nil { return true }
    } catch {
      throw RescueError(error)
    }
    return try isReplacing(database)
  }

  /// Whether a replacement has begun that is not finished.
  package func isReplacing(_ database: FilePath) throws(RescueError) -> Bool {
    let folder = try RescueFolder(of: database, storage: world.storage)
    do throws(StorageError) {
      return try world.storage.status(of: folder.plan) != nil
    } catch {
      throw RescueError(error)
    }
  }
}

extension RunNotes {
  /// Takes in what was found out about the database.
  mutating func take(_ found: Examination) {
    examination = found
    rowsLost = found.losesRows
    exitStatus = found.verdict.exitStatus
    outcome = found.verdict == .healthy ? .succeeded : .findings
  }
}
