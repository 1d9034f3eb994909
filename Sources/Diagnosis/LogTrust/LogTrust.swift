// SPDX-License-Identifier: Apache-2.0
// Which reading of a database with a write-ahead log counts: the one with it, or the one without.

import SQLiteFormat

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
    lazy var fileAlone = survey(bare)
    if isHeadOfAnother(bare, fileAlone) { return survey(full) }
    lazy var hasLostGeneration = LostGeneration(of: full)?.isProof == true
    if full.isLogOutdated(beside: bare), !hasLostGeneration {
      return isOfOtherTables(bare) ? fileAlone : survey(without(.outdated))
    }
    let advance = CutLog(full, beside: bare)?.advance ?? .none
    if advance == .proven, !hasLostGeneration, fileAlone.isWhole {
      return survey(without(.outdated))
    }
    let testimony = testimony(beside: bare)
    let isRefuted = [.ofAnother, .ofEarlier, .perhapsOfEarlier].contains(testimony)
    let lineage = isRefuted ? .broken : lineage(beside: bare, fileAlone)
    let whole = testimony == .nothing ? survey(full).withLogUntold : survey(full)
    if advance == .possible, whole.isWhole, fileAlone.isWhole { return whole.withLogInDoubt }
    // The header of another database can go on from this one's by chance.
    if lineage == .proven, outgrows(bare), whole.isWhole, fileAlone.isWhole {
      return whole.withLogInDoubt
    }
    let isSuspect = lineage == .broken || !(lineage == .proven ? whole.isConsistent : whole.isWhole)
    guard isSuspect, !tables(in: bare).isEmpty else { return whole }
    // What a fault of SQLite has lost of the generation before is missing with the log and without.
    if hasLostGeneration { return whole }
    if lineage == .broken, isOfOtherTables(bare) { return fileAlone }
    // A log that was damaged since contradicts itself, and is the younger state all the same.
    guard lineage == .broken || !whole.isLogDamaged else { return whole }
    let isOfOthers = !whole.isConsistent && isOfOtherTables(bare)
    if testimony == .ofEarlier {
      let alone = survey(without(.outdated))
      return alone.isWhole ? alone : choose(alone, whole, lineage)
    }
    if testimony == .perhapsOfEarlier, whole.isWhole {
      return fileAlone.isWhole ? whole.withLogInDoubt : whole
    }
    let alone =
      isOfOthers || whole.isConsistent && lineage == .broken
      ? fileAlone : survey(without(.contradictory))
    // A database that was written over this one is whole in its log.
    return isOfOthers && outgrows(bare) ? alone : choose(alone, whole, lineage)
  }

  /// How the log relates to the file: a head that came from another database refutes no log.
  private func lineage(
    beside bare: Image, _ alone: @autoclosure () -> Survey
  ) -> LogLineage {
    let lineage = full.logLineage(beside: bare)
    guard lineage == .broken, case .applied(let log) = full.wal, !log.isAsWritten else {
      return lineage
    }
    return alone().speaksOfAnother ? .unknown : .broken
  }

  private func choose(_ alone: Survey, _ whole: Survey, _ lineage: LogLineage) -> Survey {
    let isSoundWithLog = lineage == .broken ? whole.isWhole : whole.isConsistent
    let isSounder = alone.isWhole || alone.isConsistent && !whole.isConsistent
    if isSounder, !isSoundWithLog { return alone }
    guard lineage == .broken || alone.isWhole && !whole.isWhole else { return whole }
    if alone.isWhole || !whole.isWhole, alone.userRows >= whole.userRows { return alone }
    guard lineage == .broken, whole.isWhole else { return whole }
    if alone.isWhole { return whole.withLogInDoubt }
    // What a checkpoint was writing when it was cut off is whole in the log.
    return alone.header.map(full.logHasHeader) ?? false ? whole : whole.withLogBehind
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

  /// Whether the file's pages bear out the log, and not its own head, which came from another database.
  private func isHeadOfAnother(_ bare: Image, _ fileAlone: @autoclosure () -> Survey) -> Bool {
    let hasOtherSchema = full.origin(of: .first) == .wal && hasOtherRoots(bare)
    let countsOthers = bare.header.map { $0.isPageCountValid && $0.pageCount != bare.pageCount }
    guard hasOtherSchema || countsOthers == true, case .applied(let log) = full.wal,
      let bytes = full.files.wal,
      LogKinship(of: log, bytes, beside: bare).isProven || goesOnFromSchema(log, bytes, bare)
    else { return false }
    let alone = fileAlone()
    return alone.countsPagesOfAnother
      || hasOtherSchema
        && (alone.header == nil && isOfOtherTables(bare) || alone.speaksOfAnother)
  }

  /// Whether the first page 1 of a log has every row that the schema has on that of the file.
  private func goesOnFromSchema(
    _ log: WriteAheadLog, _ bytes: any PageSource, _ bare: Image
  ) -> Bool {
    guard let frame = log.applied.first(where: { $0.page == .first }),
      let first = try? bytes.read(at: frame.offset, count: bare.geometry.pageSize),
      let page = try? bare.bytes(of: .first)
    else { return false }
    let own = bare.cells(of: .first, page)
    return !own.isEmpty && own.isSubset(of: bare.cells(of: .first, first))
  }

  /// Whether a table of the database file has another root in the log's schema, or is none of that.
  private func hasOtherRoots(_ bare: Image) -> Bool {
    let own = Dictionary(tables(in: full).map { ($0.name, $0.root) }) { first, _ in first }
    return tables(in: bare).contains { own[$0.name] != .some($0.root) }
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
    let virtual = Set(entries.filter { $0.kind == .table && $0.root == nil }.map(\.name))
    func isShadow(_ name: String) -> Bool {
      guard let end = name.lastIndex(of: "_") else { return false }
      return virtual.contains(Name(String(name[..<end])))
    }
    let made = entries.count {
      $0.sql != nil && !known.contains($0.name) && !isShadow($0.name.text)
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
