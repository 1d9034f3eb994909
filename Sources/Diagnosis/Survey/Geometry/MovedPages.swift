// SPDX-License-Identifier: Apache-2.0
// Pages that moved: of a file into which something was put, or of which something was left out,
// every page behind the place has another number than those by which pages refer to it; and so has
// every page of a file whose pieces were joined in another order.
//
// references, by the number they lead to   1 2 5 7 8 … | 40 41 44 …
// the number of the file's first page           1      |      -2        weighs most here
//
// The numbers of pages are laid out as stretches, each with the shift that most of the references
// into it speak for, and a file is read in which each page lies where its number says.

import SQLiteFormat

/// A file whose pages moved, and how it is read as it was.
struct MovedPages {
  /// Pages that follow one another, in the database and in the file.
  struct Stretch: Hashable {
    /// The number of the first.
    let first: Int
    /// Its position among the pages of the file.
    let position: Int
    /// How many there are.
    let count: Int
  }

  /// How many shifts are weighed against each other, at most: fewer where there are many references.
  private static let shiftMax = 128
  private static let shiftMin = 16
  /// How many times a reference is weighed under a shift, at most.
  private static let weighingMax = 1 << 20
  /// How many references are weighed to find them, at most.
  private static let sampleMax = 2048
  /// How many references are weighed, at most.
  private static let referenceMax = 1 << 16
  /// How many trees of the schema are looked for, at most.
  private static let rootMax = 256
  /// How many stretches there are, at most: what has more was not moved.
  static let stretchMax = 256
  /// How many trees have records of one form, at most, for these to tell one from the others.
  private static let sharingMax = 2
  /// How many numbers are tried for the border between two stretches, at most.
  static let borderMax = 4096
  /// What has to speak for a place where pages moved.
  static let leastWeight = 5
  /// What a page says that is like a copy in the log.
  private static let likenessWeight = 3
  /// What the length that the header states says of where the file's last page belongs: less than what,
  /// beside one root that seems to fit there, would make a file that was cut off one whose pages moved.
  private static let endWeight = 2

  /// The first page that does not lie where it should.
  let first: PageNumber
  /// Whether bytes are missing between pages, or were put in.
  let hasBreaks: Bool
  /// The file as it was.
  let file: RejoinedFile
  /// Where cells start, by page, whose values may be others.
  let doubtfulCells: [PageNumber: [Int]]
  /// Pages of overflow chains that may not be as they were.
  let doubtfulPages: Set<PageNumber>

  /// Looks for pages that moved; nil where none did, or nothing tells.
  ///
  /// `roots` are the trees that the schema names, `copies` the pages that a log or a journal has, too.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(
    _ source: any PageSource, _ geometry: Geometry, start: Int, statedCount: Int?, roots: [Root],
    copies: NumberedCopies? = nil
  ) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    let phase = (start % pageSize + pageSize) % pageSize
    let slots = try PageSlots(searching: source, geometry, phase: phase)
    let roll = try PageRoll(source, geometry, slots, referenceMax: Self.referenceMax)
    guard roll.entries.count == slots.count else { return nil }
    let plain = (phase - start) / pageSize + 1
    // A damaged count says nothing.
    let statedCount = statedCount.flatMap { $0 <= 16 * slots.count + 65536 ? $0 : nil }
    let stated = statedCount.map { $0 - slots.count + 1 }
    let copied = try copies?.places(in: source, slots) ?? []
    let shifts = Self.shifts(
      roll,
      besides: [plain] + (stated.map { [$0] } ?? [])
        + NumberedCopies.votes(of: copied).prefix(Self.shiftMin).map(\.key))
    var marks = Self.marks(roll, shifts)
    marks += copied.map { place in
      let weight = place.isCopy ? Self.leastWeight + 1 : Self.likenessWeight
      return Mark(
        number: place.number, weights: shifts.map { $0 == place.firstNumber ? weight : 0 })
    }
    // The file begins as it did.
    marks.append(
      Mark(number: max(1, plain), weights: shifts.map { $0 == plain ? Self.leastWeight + 1 : 0 }))
    // Rows that many tables can have are those of none: any leaf would do for each of their roots.
    let sharing = Dictionary(roots.compactMap(\.form).map { ($0, 1) }, uniquingKeysWith: +)
    for root in roots.prefix(Self.rootMax) {
      let isCommon = root.form.map { sharing[$0, default: 0] > Self.sharingMax } ?? false
      let weights = try shifts.map { shift throws(ReadFailure) in
        let position = root.number - shift
        return roll.entries.indices.contains(position)
          ? min(
            root.weight(of: try slots.read(position, of: source), geometry), isCommon ? 1 : .max)
          : 0
      }
      marks.append(Mark(number: root.number, weights: weights))
    }
    var layout = PageLayout(roll, marks, shifts)
    // It ends as the header says, unless pages from elsewhere lie there. That alone tells nothing: a
    // header can be that of another moment.
    if let statedCount, let stated, layout.endsWithFile {
      marks.append(
        Mark(number: statedCount, weights: shifts.map { $0 == stated ? Self.endWeight : 0 }))
      layout = PageLayout(roll, marks, shifts)
    }
    let stretches = layout.stretches
    guard !stretches.isEmpty, stretches.count > 1 || !slots.isPlain else { return nil }
    let parts = stretches.flatMap { slots.parts(of: $0) }
    guard let moved = parts.first(where: { $0.offset - $0.place != start }),
      let first = PageNumber(moved.place / pageSize + 1)
    else { return nil }
    self.first = first
    hasBreaks = !slots.isPlain
    let joined = try JoinedHalves(of: parts, in: source, geometry)
    doubtfulCells = joined.doubtfulCells
    doubtfulPages = joined.doubtfulPages
    // A page that is cut off has nothing behind the end of the file, not zeros.
    file = RejoinedFile(
      source,
      try (joined.parts + layout.rest(in: slots, of: source)).map { part in
        .init(
          place: part.place, offset: part.offset,
          byteCount: max(0, min(part.byteCount, source.byteCount - part.offset)))
      })
  }

  /// A tree that the schema names.
  struct Root {
    /// The number of its first page.
    let number: Int
    /// Whether it is that of a table with rowids.
    let isTable: Bool
    /// What its records look like, where that is known.
    let form: RecordForm?
  }

  /// Something that tells where the page of a number lies.
  struct Mark {
    let number: Int
    /// How much speaks for each of the shifts.
    let weights: [Int]
  }

  private static func marks(_ roll: PageRoll, _ shifts: [Int]) -> [Mark] {
    let judges = shifts.map { PageJudge(roll: roll, first: $0) }
    return roll.references.map { reference in
      Mark(number: reference.number, weights: judges.map { $0.weight(of: reference) })
    }
  }

  /// The numbers of the first page that some stretch of references speaks for, the best first, and
  /// others behind them.
  private static func shifts(_ roll: PageRoll, besides others: [Int]) -> [Int] {
    let references = roll.references.sorted { $0.number < $1.number }
    let step = max(1, references.count / sampleMax)
    let sample = stride(from: 0, to: references.count, by: step).map { references[$0] }
    let weighed = PageNumbering.candidates(roll, sample).map { shift in
      let judge = PageJudge(roll: roll, first: shift)
      var (best, sum) = (0, 0)
      for reference in sample {
        sum = max(0, sum + judge.weight(of: reference))
        best = max(best, sum)
      }
      return (shift: shift, weight: best)
    }
    let found = weighed.filter { $0.weight >= leastWeight }
      .sorted { $0.weight == $1.weight ? $0.shift < $1.shift : $0.weight > $1.weight }
      .prefix(max(shiftMin, min(shiftMax, weighingMax / max(1, references.count)))).map(\.shift)
    return others.reduce(into: Array(found)) { all, other in
      if !all.contains(other) { all.append(other) }
    }
  }
}

extension MovedPages.Root {
  /// How much speaks for a page as the root.
  fileprivate func weight(of bytes: Bytes, _ geometry: Geometry) -> Int {
    guard
      let page = PageNumber(number).flatMap({
        try? BTreePage(bytes, number: $0, geometry: geometry)
      }), page.layoutFaults.isEmpty
    else { return bytes.isZero ? 0 : -1 }
    guard page.kind.isTable == isTable else { return -3 }
    guard page.kind != .tableInterior, page.cellCount > 0, let form,
      let cell = try? page.cell(0), let record = try? Record(page.bytes, in: cell.local)
    else { return 1 }
    guard form.admits(record) else { return -3 }
    // Rows of every column are hardly those of another table.
    return record.fieldCount == form.fields.count ? 3 : 2
  }
}

extension PageSlots {
  /// Where the bytes of a stretch lie, and where they belong.
  func parts(of stretch: MovedPages.Stretch) -> [RejoinedFile.Part] {
    var parts: [RejoinedFile.Part] = []
    var done = 0
    while done < stretch.count {
      let run = max(1, run(from: stretch.position + done, upTo: stretch.count - done))
      parts.append(
        .init(
          place: (stretch.first - 1 + done) * pageSize,
          offset: offset(of: stretch.position + done), byteCount: run * pageSize))
      done += run
    }
    return parts
  }

  func read(
    _ position: Int, of source: any PageSource
  ) throws(ReadFailure) -> Bytes {
    try source.read(at: offset(of: position), count: pageSize)
  }
}
