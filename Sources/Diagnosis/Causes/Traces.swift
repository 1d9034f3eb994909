// SPDX-License-Identifier: Apache-2.0
// Everything that causes are judged by, taken from an examination once.

import SQLiteFormat

/// Everything that causes are judged by.
struct Traces: Sendable {
  /// What was found.
  let examination: Examination
  /// What is known from around the files.
  let around: Circumstances
  /// The codes of what was found.
  let codes: Set<FindingCode>
  /// The codes of what is wrong: without notices and warnings.
  let wrong: Set<FindingCode>
  /// The pages with something wrong, as far as they are there.
  let scars: [Scar]
  /// The scars that are more than a page of another time or place.
  let wounds: [Scar]
  /// How sure it is that indexes are wrong, and not their tables; nil where that is not all.
  ///
  /// All of their rows may have to be read for it.
  let indexDoubt: Confidence?

  /// Whether a table is older than its indexes, where nothing else is wrong.
  let isTableOlder: Bool
  /// What its log has lost in beginning anew; nil for nothing.
  let lostGeneration: LostGeneration?
  /// What stands in its log in the place of frames; nil for nothing.
  let logWound: LogWound?

  /// The most pages that are looked at.
  private static let scarsMax = 256

  init(of examination: Examination) {
    self.examination = examination
    around = examination.circumstances
    codes = Set(examination.findings.map(\.code))
    wrong = Set(examination.findings.filter { $0.severity >= .damage }.map(\.code))
      .subtracting([.packed])
    scars = examination.verdict.isStructureSound ? [] : Self.scars(of: examination.survey)
    let freed = Self.freedOnce(scars, in: examination.survey)
    wounds = scars.filter {
      $0.look != .sound && ($0.isOwned || $0.look != .zeros) && !freed.contains($0.page)
    }
    lostGeneration = examination.survey.image.flatMap { LostGeneration(of: $0) }
    logWound =
      examination.verdict.isStructureSound
      ? nil : examination.survey.image.flatMap { LogWound(in: $0) }
    let contradictions =
      IndexesOnlyCause.isAll(of: wrong)
      ? IndexContradictions(examination.findings, examination.survey) : nil
    indexDoubt =
      lostGeneration?.isProof == true
      ? contradictions.map { _ in .possible } : contradictions?.doubt
    isTableOlder = contradictions?.isTableOlder ?? false
  }

  /// What the bytes say.
  var survey: Survey { examination.survey }
  /// The file header; nil where it cannot be believed.
  var header: DatabaseHeader? { survey.header }
  /// Whether the structure is damaged, and it is a database.
  var isDamaged: Bool { survey.image != nil && !examination.verdict.isStructureSound }

  /// The findings of a code.
  func findings(_ code: FindingCode) -> [Finding] {
    examination.findings.filter { $0.code == code }
  }

  /// The kind of disk image in which the database lies as a file; nil for none.
  var diskImage: String? {
    guard let image = survey.image, image.start != 0 || !image.hasPageNumbers else { return nil }
    return try? DiskImage.name(of: image.files.main)
  }

  /// Whether the database keeps a log.
  var isWAL: Bool { header?.isWAL == true }

  /// Whether there is no log beside it, or none that counts.
  var hasNoLog: Bool {
    switch survey.image?.wal {
    case .absent, .empty, nil: true
    default: false
    }
  }

  /// Whether no file is beside it that could be its log.
  var isLogAbsent: Bool {
    if case .absent? = survey.image?.wal { true } else { false }
  }

  /// Whether a transaction was cut off that its journal takes back.
  var hasHotJournal: Bool {
    if case .applied? = survey.image?.journal { true } else { false }
  }

  /// Whether the journal that counts is that of this state of the file; nil where nothing tells.
  var journalFits: Bool? { survey.image?.journalFits }

  /// Whether there is no journal beside it.
  var hasNoJournal: Bool {
    if case .absent? = survey.image?.journal { true } else { survey.image == nil }
  }

  /// Whether its log counts and ends inside a transaction, with nothing behind it.
  var isLogOpen: Bool {
    guard case .applied(let log) = survey.image?.wal, log.commitsAfterBreak == 0,
      log.continued.isEmpty
    else { return false }
    return switch log.ending {
    case .cutOff, .checksumBroken: true
    case .complete, .olderGeneration, .saltsChanged: !log.uncommitted.isEmpty
    }
  }

  /// The length of a log that counts, where it ends inside a frame, in bytes; nil where it does not.
  var byteCountOfCutLog: Int? {
    guard let image = survey.image, case .applied(let log) = image.wal, case .cutOff = log.ending
    else { return nil }
    return image.files.wal?.byteCount
  }

  /// The pages to which a tree leads and that were free at another moment: trunks of a free list, and
  /// the blank ones that they name, which SQLite need not write.
  ///
  /// File format, section 1.5.
  private static func freedOnce(_ scars: [Scar], in survey: Survey) -> Set<PageNumber> {
    let blank = Set(scars.filter { $0.look == .zeros }.map(\.page))
    let others = scars.filter { $0.look == .other && $0.isOwned }.map(\.page)
    let trunks = survey.image?.possibleTrunks(among: others) ?? []
    return Set(trunks.flatMap { [$0.trunk] + $0.leaves.filter(blank.contains) })
  }

  /// The pages in the midst of whose texts a sector is blank, or is no text: nobody writes that, at
  /// whatever moment.
  var overwrittenTexts: [PageNumber] {
    Set(
      survey.trees.flatMap { tree in
        tree.cellFaults.first.filter { $0.problem == .textOverwritten }.compactMap(\.page)
      }
    ).sorted()
  }

  private static func scars(of survey: Survey) -> [Scar] {
    guard let image = survey.image else { return [] }
    var pages: [PageNumber] = []
    var seen = PageSet()
    func add(_ page: PageNumber?) {
      if let page, pages.count < scarsMax, seen.insert(page) { pages.append(page) }
    }
    let trees = survey.trees + (survey.schema.map { [$0.tree] } ?? [])
    for tree in trees {
      for list in [tree.pageFaults, tree.cellFaults, tree.layoutFaults, tree.misplaced] {
        for fault in list.first { add(fault.page) }
      }
    }
    if survey.header?.hasMagic != true { add(.first) }
    func scar(_ page: PageNumber, isOwned: Bool) -> Scar? {
      // What is missing with the beginning of the file shows nothing.
      guard image.origin(of: page) == .main, image.offset(of: page) >= 0,
        let bytes = try? image.bytes(of: page),
        bytes.count == image.geometry.pageSize
      else { return nil }
      return Scar(page, bytes, geometry: image.geometry, isOwned: isOwned)
    }
    let faulty = pages.compactMap { scar($0, isOwned: true) }
    // A page that lost its owner may hold anything: the middle of a long value, say.
    pages = []
    for page in survey.unclaimed { add(page.page) }
    return faulty
      + pages.compactMap { scar($0, isOwned: false) }.filter { scar in
        if case .text = scar.look { return true }
        return scar.look == .zeros
      }
  }
}

extension Traces {
  /// The kinds of trouble that whole pages of different moments give together.
  private static let mixtures: Set<FindingCode> = [
    .pageClaimedTwice, .keyOrder, .treeUneven, .freelistDamaged, .indexMismatch, .rowDoubtful,
    .orphanRows, .pointerMapMismatch, .pageUnclaimed, .overflowBroken, .pageCountMismatch,
  ]

  /// Whether pages are whole, each for itself, and do not fit one another: they are of different
  /// moments, or of different writers.
  var isMixture: Bool { looksMixed && missing == nil }

  /// The same, whether its end is missing or not.
  var looksMixed: Bool {
    isDamaged && !wrong.isDisjoint(with: Self.mixtures) && wounds.isEmpty
      && survey.transfer == nil && (survey.firstMovedPage == nil || survey.leadsAstray)
      && survey.geometry?.start == 0
      && wrong.isDisjoint(with: [.cellDamaged, .bytesNotRead, .headOfAnother])
      && !examination.isOnlyIndexesWrong && overwrittenTexts.isEmpty
  }
}

/// A list of pages in words: the first three.
///
/// Only so many pages are looked at, and how many there are beyond them is not known.
func pageList(_ pages: [PageNumber]) -> String {
  let shown = pages.sorted().prefix(3).map(\.description)
  let rest = pages.count - shown.count
  return (pages.count == 1 ? "page " : "pages ") + shown.joined(separator: ", ")
    + (rest > 0 ? " and \(rest < 100 ? "\(rest)" : "many") more" : "")
}

/// A list of pages with its verb.
func pageList(_ pages: [PageNumber], _ singular: String, _ plural: String) -> String {
  "\(pageList(pages)) \(pages.count == 1 ? singular : plural)"
}
