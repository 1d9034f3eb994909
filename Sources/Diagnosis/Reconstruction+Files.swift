// SPDX-License-Identifier: Apache-2.0
// From files to all that is known of them: what they are, which reading of them counts, and what of
// damaged trees can be put together again.
//
// bytes -> kind, geometry -> the survey of the reading that counts -> its reconstruction

package import SQLiteFormat

extension Reconstruction {
  /// Surveys a file set and puts together what is damaged; reads every page at least once and
  /// changes nothing.
  ///
  /// What is `known` from outside stands in for what the file has lost.
  ///
  /// - Throws: `CutShort` when the reading was stopped: of what was not read, nothing is known.
  package init(
    _ files: FileSet, parser: any SchemaParsing, known: OutsideKnowledge = OutsideKnowledge()
  ) throws(CutShort) {
    self.init(
      try Survey(files, parser: parser, known: known), knownPages: known.pages)
    try files.failures.requireUncut()
  }
}

extension Survey {
  /// Surveys a file set; reads every page at least once and changes nothing.
  ///
  /// What is `known` from outside stands in for what the file has lost.
  ///
  /// - Throws: `CutShort` when the reading was stopped: of what was not read, nothing is known.
  package init(
    _ files: FileSet, parser: any SchemaParsing, known: OutsideKnowledge = OutsideKnowledge()
  ) throws(CutShort) {
    do throws(ReadFailure) {
      self = try Self.readable(files, parser: parser, known)
      replacedByte = ReplacedByte(in: self)
    } catch {
      self.init(kind: .unknown, readFailure: error)
    }
    failures = files.failures
    try failures.requireUncut()
  }

  /// The survey of what can be read of the files.
  ///
  /// - Throws: `ReadFailure` when that is no database; it says nothing of what there may be.
  private static func readable(
    _ files: FileSet, parser: any SchemaParsing, _ known: OutsideKnowledge
  ) throws(ReadFailure) -> Survey {
    let whole = Result { () throws(ReadFailure) in try make(files, parser: parser, known) }
    guard files.failures.count > 0, !files.failures.isCutShort,
      let around = try? make(files.readAround(), parser: parser, known), around.kind.isDatabase
    else { return try whole.get() }
    return around
  }

  private static func make(
    _ files: FileSet, parser: any SchemaParsing, _ known: OutsideKnowledge
  ) throws(ReadFailure) -> Survey {
    var kind = try FileKind.named(files.main)
    // A database whose first commits are all in its log has an empty main file; of one that was
    // emptied, space may be left that was reserved.
    let isOnlyLog = (kind == .empty || kind == .zeros) && (files.wal?.byteCount ?? 0) > 0
    // Whatever was written over the beginning of a database, its other pages are in their places.
    if kind?.canLieOverHead == true, try GeometrySearch.findsPagesInPlace(files.main) { kind = nil }
    if let kind, kind != .database, !isOnlyLog {
      return try survey(beside: kind, files, parser: parser, known) ?? Survey(kind: kind)
    }
    let written = kind == .zeros ? files.with(main: SliceOfSource(files.main, 0..<0)) : files
    let (undone, transfer) = try TextTransfer.undone(written)
    let attached = try AttachedLog(in: undone)
    let whole = attached?.files ?? undone
    let magic = try GeometrySearch.placeOfMagic(whole.main)
    let neighbours = try Neighbours(whole.main, magic: magic)
    let files = neighbours.map { whole.with(main: SliceOfSource(whole.main, $0.range)) } ?? whole
    let outcome = try GeometrySearch.decide(files, magic: neighbours.map(\.head) ?? magic)
    if kind == .database, try FileKind.isEncryptedBehindHeader(files.main) {
      return Survey(kind: .encrypted)
    }
    guard let decision = outcome.decision else {
      if kind != nil || !outcome.candidates.isEmpty {
        return Survey(
          kind: kind ?? .headlessDatabase, candidates: outcome.candidates, transfer: transfer,
          cutHeaderCount: files.main.byteCount < DatabaseHeader.byteCount
            ? files.main.byteCount : nil)
      }
      let kind = try FileKind.pageless(files.main)
      return try survey(beside: kind, written, parser: parser, known) ?? Survey(kind: kind)
    }
    let standIn = isOnlyLog ? kind : nil
    if kind != .database { kind = decision.basis == .vote ? .headlessDatabase : .database }
    var reading = SurveyReading(
      files: files, kind: kind ?? .database, decision: decision, transfer: transfer,
      parser: parser, known: known, neighbours: neighbours?.others ?? [], standIn: standIn,
      startOfAttachedLog: attached?.start)
    return try reading.settled()
  }

  /// The survey of what a log or journal holds of a database in whose place something else lies; nil
  /// where neither has its first page.
  ///
  /// SQLite reads page 1 from the log before it looks at what the file begins with.
  private static func survey(
    beside kind: FileKind, _ files: FileSet, parser: any SchemaParsing, _ known: OutsideKnowledge
  ) throws(ReadFailure) -> Survey? {
    guard kind.canHideLog else { return nil }
    let sidecars = files.with(main: SliceOfSource(files.main, 0..<0))
    guard let decision = try GeometrySearch.decide(sidecars, magic: nil).decision,
      Image(sidecars, geometry: decision.geometry, journal: .besideNothing).header?.hasMagic == true
    else { return nil }
    var reading = SurveyReading(
      files: sidecars, kind: .database, decision: decision, transfer: nil, parser: parser,
      known: known, neighbours: [], standIn: kind)
    return try reading.settled()
  }
}
