// SPDX-License-Identifier: Apache-2.0
// Whether a write-ahead log is that of the database file which it lies beside.
//
// SQLite cannot tell: a log whose checksums hold is applied to whatever it lies beside. What ties a
// log to its file is page 1. A checkpoint copies it from the log to the file byte for byte, and the
// first one that is written to a new log is made from the file's:
//
//   file              log
//   page 1, counter n  ─>  page 1, counter n or n + 1  ─>  page 1 …   before the first checkpoint
//   page 1, counter m  ══════════════════════════════════  page 1, counter m   after one

package import SQLiteFormat

/// How a log relates to the database file beside it, as far as page 1 tells.
enum LogLineage {
  /// Page 1 of the log was made from that of the file, or is the same.
  case proven
  /// The log has no page 1, or too much of it is damaged.
  case unknown
  /// No writer of this file has made the log.
  case broken
}

extension Image {
  /// Whether page 1 proves that the log, where one is applied, is that of the database file.
  package var isLogProven: Bool {
    guard case .applied = wal else { return false }
    return logLineage(beside: Image(files, geometry: geometry, leavingOutLog: .foreign)) == .proven
  }

  /// How the log that this image has applied relates to the database file, which is `bare`.
  func logLineage(beside bare: Image) -> LogLineage {
    guard case .applied(let log) = wal, log.isAsWritten, start == 0, journal.isUnused,
      let file = bare.header, file.hasMagic, file.isPageCountValid
    else { return .unknown }
    let copies = log.committed.filter { $0.page == .first }
    // A commit that changes the number of pages writes page 1, which counts them.
    let newest = header.map { $0.isPageCountValid ? $0.pageCount : log.pageCount } ?? nil
    guard newest == log.pageCount, file.isWAL else { return .broken }
    guard let first = copies.first, let next = headerOfFrame(first) else { return .unknown }
    // Only auto-vacuum and VACUUM, which changes the cookie, make a database smaller.
    let isLarger =
      next.schemaCookie == file.schemaCookie && !file.isAutoVacuum && next.isPageCountValid
      && next.pageCount < file.pageCount
    if copies.contains(where: { isFirstPage(of: bare, file, in: $0) }) {
      return isLarger && hasStrangePages(bare, log, in: next.pageCount + 1...file.pageCount)
        ? .broken : .proven
    }
    if isLarger { return .broken }
    let isNext = [0, 1].contains(next.changeCounter &- file.changeCounter)
    // Where the schema is the same, a cookie that is not has been damaged since.
    let isSchemaNext = Int32(bitPattern: next.schemaCookie &- file.schemaCookie) > 0
    return isNext && (isSchemaNext || hasSameSchemaPage(as: bare, in: first)) ? .proven : .broken
  }

  /// Whether the log that this image has applied ends before a state that the database file is
  /// already in: it was left behind by an older generation of the database.
  ///
  /// Every change of page 1 adds one to the change counter. What a checkpoint copies to the file
  /// is in the log too, so that the file is never ahead of its own log.
  fileprivate func isLogOutdated(beside bare: Image) -> Bool {
    guard origin(of: .first) == .wal, let ours = header, let file = bare.header,
      ours.hasMagic, file.hasMagic, ours.isPageCountValid, file.isPageCountValid
    else { return false }
    return Int32(bitPattern: file.changeCounter &- ours.changeCounter) > 0
  }

  /// Whether no page of the database file, of those that were not there before the log, was copied from
  /// it: twins with as many pages have the same page 1.
  private func hasStrangePages(
    _ bare: Image, _ log: WriteAheadLog, in numbers: ClosedRange<Int>
  ) -> Bool {
    let frames = Dictionary(grouping: log.committed, by: \.page)
    let pages = numbers.prefix(Self.comparedMax).compactMap { PageNumber($0) }
    let contents = pages.compactMap { page in
      (try? bare.bytes(of: page)).flatMap { $0.isZero ? nil : (page: page, bytes: $0) }
    }
    return !contents.isEmpty
      && !contents.contains { page, bytes in
        (frames[page] ?? []).reversed().contains { content($0) == bytes }
      }
  }

  /// How many pages are compared with the frames of a log at most.
  private static var comparedMax: Int { 64 }

  /// The page in a frame of the log.
  private func content(_ frame: WriteAheadLog.Frame) -> Bytes? {
    (try? files.wal?.read(at: frame.offset, count: geometry.pageSize)) ?? nil
  }

  private func headerOfFrame(_ frame: WriteAheadLog.Frame) -> DatabaseHeader? {
    (try? files.wal?.read(at: frame.offset, count: DatabaseHeader.byteCount))
      .flatMap { $0 }.flatMap { DatabaseHeader($0) }
  }

  /// Whether a frame is the page 1 of the database file, byte for byte.
  private func isFirstPage(
    of bare: Image, _ file: DatabaseHeader, in frame: WriteAheadLog.Frame
  ) -> Bool {
    guard headerOfFrame(frame) == file, let page = try? bare.bytes(of: .first) else { return false }
    return page == content(frame)
  }

  /// Whether a frame has the schema of the database file's page 1, but for a few of its bytes that may
  /// be damaged: without a change of the schema, SQLite writes to nothing but the header.
  private func hasSameSchemaPage(as bare: Image, in frame: WriteAheadLog.Frame) -> Bool {
    let start = DatabaseHeader.byteCount
    guard let page = try? bare.bytes(of: .first), let copy = content(frame),
      page.count == copy.count, page.count > start
    else { return false }
    let pairs = zip(page[start...], copy[start...])
    let different = pairs.count { $0 != $1 }
    // A short statement has fewer bytes than may be damaged of a full page.
    let held = pairs.count { $0 != 0 || $1 != 0 }
    return different <= min(page.count / 64, held / 8)
  }
}

extension WriteAheadLog {
  /// Whether nothing of the log was damaged since it was written.
  fileprivate var isAsWritten: Bool {
    guard continued.isEmpty, commitsAfterBreak == 0, !committed.isEmpty else { return false }
    return committed.allSatisfy { $0.flip == nil }
  }
}

extension Image.JournalState {
  fileprivate var isUnused: Bool {
    if case .applied = self { false } else { true }
  }
}

/// The choice between the two readings of a file set: with its log, as SQLite reads it, and without.
struct LogTrust {
  /// The file set with its log.
  let full: Image
  /// The file set without its log, for a reason.
  let without: (Image.LogDoubt) -> Image
  /// Surveys one of them.
  let survey: (Image) -> Survey

  /// The reading that counts.
  ///
  /// The log is left out when it is older than the file, when it is another database's, and when
  /// the file is sound alone and not with it. Where both are possible, that counts which keeps most.
  var chosen: Survey {
    let bare = without(.foreign)
    lazy var hasLostGeneration = LostGeneration(of: full)?.isProof == true
    if full.isLogOutdated(beside: bare), !hasLostGeneration {
      return survey(isOfOtherTables(bare) ? bare : without(.outdated))
    }
    let testimony = testimony(beside: bare)
    let isRefuted = [.ofAnother, .ofEarlier, .perhapsOfEarlier].contains(testimony)
    let lineage = isRefuted ? .broken : full.logLineage(beside: bare)
    let whole = testimony == .nothing ? survey(full).withLogUntold : survey(full)
    // The header of another database can go on from this one's by chance.
    if lineage == .proven, outgrows(bare), whole.isWhole, survey(bare).isWhole {
      return whole.withLogInDoubt
    }
    let isSuspect = lineage == .broken || !(lineage == .proven ? whole.isConsistent : whole.isWhole)
    guard isSuspect, !tables(in: bare).isEmpty else { return whole }
    // What a fault of SQLite has lost of the generation before is missing with the log and without.
    if hasLostGeneration { return whole }
    if lineage == .broken, isOfOtherTables(bare) { return survey(bare) }
    // A log that was damaged since contradicts itself, and is the younger state all the same.
    guard lineage == .broken || !whole.isLogDamaged else { return whole }
    let isOfOthers = !whole.isConsistent && isOfOtherTables(bare)
    if testimony == .ofEarlier {
      let alone = survey(without(.outdated))
      return alone.isWhole ? alone : choose(alone, whole, lineage)
    }
    if testimony == .perhapsOfEarlier, whole.isWhole {
      return survey(bare).isWhole ? whole.withLogInDoubt : whole
    }
    let alone = survey(
      isOfOthers || whole.isConsistent && lineage == .broken ? bare : without(.contradictory))
    return choose(alone, whole, lineage)
  }

  private func choose(_ alone: Survey, _ whole: Survey, _ lineage: LogLineage) -> Survey {
    let isSoundWithLog = lineage == .broken ? whole.isWhole : whole.isConsistent
    if alone.isWhole, !isSoundWithLog { return alone }
    guard lineage == .broken || alone.isWhole && !whole.isWhole else { return whole }
    if alone.isWhole || !whole.isWhole, alone.userRows >= whole.userRows { return alone }
    return lineage == .broken && alone.isWhole && whole.isWhole ? whole.withLogInDoubt : whole
  }

  /// Whether no table of the log's schema is in the database file.
  private func isOfOtherTables(_ bare: Image) -> Bool {
    // SQLite's own tables have the same names everywhere.
    func names(_ image: Image) -> Set<Name> {
      Set(tables(in: image).map(\.name).filter { !$0.isReserved })
    }
    let (own, others) = (names(full), names(bare))
    return !own.isEmpty && !others.isEmpty && own.isDisjoint(with: others)
  }

  /// Whether the log has no table of the file, and makes more objects than its statements can.
  ///
  /// Each of these adds one to the schema cookie. The log is another database's, or a backup was
  /// written into the file. File format, section 1.3.9.
  private func outgrows(_ bare: Image) -> Bool {
    guard let now = full.header?.schemaCookie, let then = bare.header?.schemaCookie, now != then,
      isOfOtherTables(bare)
    else { return false }
    let (entries, known) = (entries(in: full), Set(entries(in: bare).map(\.name)))
    // A virtual table makes others, with one statement.
    let virtual = entries.filter { $0.kind == .table && $0.root == nil }
      .map { Name($0.name.text + "_") }
    let made = entries.count { entry in
      entry.sql != nil && !known.contains(entry.name)
        && !virtual.contains { entry.name.hasPrefix($0) }
    }
    return made > Int(now &- then)
  }

  /// What the pages of the log say of whether it was made from those of the file.
  private func testimony(beside bare: Image) -> LogDescent.Testimony {
    guard case .applied(let log) = full.wal, let bytes = full.files.wal, log.isAsWritten,
      full.start == 0, full.journal.isUnused
    else { return .fits }
    let descent = LogDescent(bare: bare, log: log, bytes: bytes) {
      Set(entries(in: bare).compactMap(\.root))
    }.testimony
    guard descent == .fits else { return descent }
    return ReturningRows(of: log, bytes, beside: bare).testimony {
      let before = counters(in: bare)
      return counters(in: full).contains { name, counter in
        before[name].map { counter < $0 } ?? false
      }
    }
  }

  /// The AUTOINCREMENT counters, by the table's name.
  private func counters(in image: Image) -> [Value: Int64] {
    guard let root = entries(in: image).first(where: { $0.name == "sqlite_sequence" })?.root
    else { return [:] }
    return Dictionary(image.counters(at: root).map { ($0.name, $0.counter) }) { $1 }
  }

  private func tables(in image: Image) -> [SchemaEntry] {
    entries(in: image).filter { $0.kind == .table }
  }

  private func entries(in image: Image) -> [SchemaEntry] {
    var claims = PageClaims(pageCount: image.pageCount)
    return SchemaSurvey.read(image, encoding: nil, parser: NamesOnly(), claims: &claims).entries
  }
}

extension Survey {
  /// Whether the log beside the file is proven to be another database's.
  package var hasForeignLog: Bool {
    if case .foreign? = image?.wal { true } else { false }
  }

  /// The suffix of a log or journal beside the file that SQLite must not see there; nil where there
  /// is none.
  package var strangeSidecar: String? {
    switch image?.journal {
    // A file without an end is none that is better opened alone.
    case .contradictory where image?.isFirstTransaction == true: return nil
    case .otherPageSize, .contradictory: return "-journal"
    case .absent, .applied, .stale, nil: break
    }
    return switch image?.wal {
    case .foreign, .outdated, .contradictory: "-wal"
    case .applied: isLogInDoubt ? "-wal" : nil
    case .absent, .empty, .unusable, nil: nil
    }
  }

  /// Whether the log that is applied has frames that were damaged after they were written.
  fileprivate var isLogDamaged: Bool {
    guard case .applied(let log)? = image?.wal else { return false }
    return !log.damaged.isEmpty
  }

  /// Whether every tree can be read, the pages that the journals count are all there, and every
  /// index has the keys of its table.
  var isConsistent: Bool {
    schema?.tree.isReadable == true && trees.allSatisfy(\.isReadable) && image?.missingPages == 0
      && !trees.contains(where: isAtOdds)
  }

  /// Whether an index has other keys than its table.
  func isAtOdds(_ index: TreeSurvey) -> Bool {
    guard index.entry.kind == .index, let table = tree(named: index.entry.table),
      let expected = table.expectedKeys[index.entry.name]
    else { return false }
    return expected != index.keys
  }

  /// Whether besides every page has its place, and every record its table.
  var isWhole: Bool {
    guard isConsistent,
      trees.allSatisfy({ $0.isSound && $0.unfit.isEmpty && $0.mistyped.isEmpty })
    else { return false }
    let findings =
      (Checks.ofGeometry + Checks.ofFreeSpace).flatMap { $0.findings(in: self) }
      + SizeCheck.findings(in: self, .damage)
    return findings.allSatisfy { $0.severity < .damage }
  }

  /// The rows of the tables that users fill.
  fileprivate var userRows: Int { userTables.values.reduce(0) { $0 + $1.records } }
}

/// A parser for whoever needs no more of a schema than its names.
private struct NamesOnly: SchemaParsing {
  func parse(_ entries: [SchemaEntry]) -> ParsedSchema {
    ParsedSchema(description: SchemaDescription(), refused: [], defaults: [:])
  }

  func computation(for table: ComputedTable) -> any RowComputation { Nothing() }

  private final class Nothing: RowComputation {
    let result = ComputedRows()

    func add(_ visit: TreeWalk.Visit) -> Bool { true }

    func add(_ stored: StoredRecord) {}
  }
}
