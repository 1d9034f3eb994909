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
  fileprivate static let stretchMax = 256
  /// How many numbers are tried for the border between two stretches, at most.
  fileprivate static let borderMax = 4096
  /// What has to speak for a place where pages moved.
  fileprivate static let leastWeight = 5

  /// The first page that does not lie where it should.
  let first: PageNumber
  /// The file as it was.
  let file: RejoinedFile

  /// Looks for pages that moved; nil where none did, or nothing tells.
  ///
  /// `roots` are the trees that the schema names.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(
    _ source: any PageSource, _ geometry: Geometry, start: Int, statedCount: Int?, roots: [Root]
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
    let shifts = Self.shifts(roll, besides: [plain] + (stated.map { [$0] } ?? []))
    var marks = Self.marks(roll, shifts)
    // The file begins as it did.
    marks.append(
      Mark(number: max(1, plain), weights: shifts.map { $0 == plain ? Self.leastWeight + 1 : 0 }))
    for root in roots.prefix(Self.rootMax) {
      let weights = try shifts.map { shift throws(ReadFailure) in
        let position = root.number - shift
        return roll.entries.indices.contains(position)
          ? root.weight(of: try slots.read(position, of: source), geometry) : 0
      }
      marks.append(Mark(number: root.number, weights: weights))
    }
    var layout = Layout(roll, marks, shifts)
    // It ends as the header says, unless pages from elsewhere lie there.
    if let statedCount, let stated, layout.endsWithFile {
      marks.append(
        Mark(number: statedCount, weights: shifts.map { $0 == stated ? Self.leastWeight + 1 : 0 }))
      layout = Layout(roll, marks, shifts)
    }
    let stretches = layout.stretches
    guard !stretches.isEmpty, stretches.count > 1 || !slots.isPlain else { return nil }
    let parts = stretches.flatMap { slots.parts(of: $0) }
    guard let moved = parts.first(where: { $0.offset - $0.place != start }),
      let first = PageNumber(moved.place / pageSize + 1)
    else { return nil }
    self.first = first
    file = RejoinedFile(source, try parts + layout.rest(in: slots, of: source))
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
  fileprivate struct Mark {
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
    return form.admits(record) ? 2 : -3
  }
}

/// The stretches that marks come to: each page of the file has one place at most.
private struct Layout {
  /// Marks that follow one another, of which the shift explains most.
  private struct Segment {
    /// The shift, as a position among all.
    let shift: Int
    /// The first of them, as a position among all.
    let first: Int
  }

  private let roll: PageRoll
  private let shifts: [Int]
  /// By number.
  private let marks: [MovedPages.Mark]
  /// Which pages of the file have a number, by position.
  private var isTaken: [Bool]
  private(set) var stretches: [MovedPages.Stretch] = []

  init(_ roll: PageRoll, _ marks: [MovedPages.Mark], _ shifts: [Int]) {
    self.roll = roll
    self.shifts = shifts
    self.marks = marks.sorted { $0.number < $1.number }
    isTaken = Array(repeating: false, count: roll.entries.count)
    let segments = segments
    guard let first = segments.first, segments.count <= MovedPages.stretchMax else { return }
    var start = max(1, shifts[first.shift])
    for (index, segment) in segments.enumerated() {
      let next = index + 1 < segments.count ? segments[index + 1] : nil
      let (end, behind) =
        next.map { border(between: segment, startingAt: start, and: $0) }
        ?? (roll.entries.count + shifts[segment.shift], 0)
      take(start..<max(start, end), shift: shifts[segment.shift])
      start = max(start, behind)
    }
  }

  /// Whether the last page of the file is the one with the highest number.
  var endsWithFile: Bool {
    stretches.last.map { $0.position + $0.count == roll.entries.count } ?? true
  }

  /// Gives numbers the pages that they have under a shift, where those have none yet.
  private mutating func take(_ numbers: Range<Int>, shift: Int) {
    for number in numbers.clamped(to: shift..<(shift + isTaken.count))
    where !isTaken[number - shift] {
      isTaken[number - shift] = true
      if let last = stretches.last, last.first + last.count == number,
        last.position + last.count == number - shift
      {
        stretches[stretches.count - 1] = .init(
          first: last.first, position: last.position, count: last.count + 1)
      } else {
        stretches.append(.init(first: number, position: number - shift, count: 1))
      }
    }
  }

  /// The marks as the segments that explain most of them.
  private var segments: [Segment] {
    guard var sums = marks.first?.weights else { return [] }
    var origins: [[Int]] = []
    for mark in marks.dropFirst() {
      let best = sums.indices.max { sums[$0] < sums[$1] } ?? 0
      let changed = sums[best] - MovedPages.leastWeight
      origins.append(sums.indices.map { sums[$0] >= changed ? $0 : best })
      sums = sums.indices.map { max(sums[$0], changed) + mark.weights[$0] }
    }
    var state = sums.indices.max { sums[$0] < sums[$1] } ?? 0
    var segments: [Segment] = []
    for index in marks.indices.reversed() {
      let origin = index > 0 ? origins[index - 1][state] : nil
      if origin != state { segments.append(Segment(shift: state, first: index)) }
      state = origin ?? state
    }
    return segments.reversed()
  }

  /// Where, by number, one segment ends and the next one starts.
  private func border(
    between open: Segment, startingAt start: Int, and next: Segment
  ) -> (end: Int, behind: Int) {
    let (shift, other) = (shifts[open.shift], shifts[next.shift])
    let first = marks[next.first].number
    // So many numbers have no page; where there are pages without a number instead, or the next
    // ones lie in the file before these, none.
    let telling = marks[next.first...].first { $0.weights[next.shift] > 0 }?.number ?? first
    let lies = telling - other
    let isBefore = lies < start - shift && isTaken.indices.contains(lies) && !isTaken[lies]
    let missing = isBefore ? 0 : max(0, other - shift)
    let last = marks[max(open.first, next.first - 1)].number
    let most = max(telling, last + 1)
    let ends = max(1, first - missing - 64, most - MovedPages.borderMax)...most
    let behind = (ends.lowerBound + missing)...(most + missing)
    var atOpen = ends.map { weight(of: $0, shift) }
    var atNext = behind.map { number in
      let position = number - other
      return isTaken.indices.contains(position) && isTaken[position]
        ? -2 : weight(of: number, other)
    }
    for mark in marks[open.first...] {
      guard mark.number <= behind.upperBound else { break }
      if ends.contains(mark.number) {
        atOpen[mark.number - ends.lowerBound] += 2 * mark.weights[open.shift]
      }
      if behind.contains(mark.number) {
        atNext[mark.number - behind.lowerBound] += 2 * mark.weights[next.shift]
      }
    }
    var sum = atNext.reduce(0, +)
    var best = (end: ends.lowerBound, weight: Int.min)
    for (index, end) in ends.enumerated() {
      if sum > best.weight { best = (end, sum) }
      sum += atOpen[index] - atNext[index]
    }
    return (best.end, best.end + missing)
  }

  /// How much speaks for a page at the position that a number has under a shift.
  private func weight(of number: Int, _ shift: Int) -> Int {
    guard roll.entries.indices.contains(number - shift), let page = PageNumber(number) else {
      return 0
    }
    let entry = roll.entries[number - shift]
    let isMap = roll.pointerMaps.contains(number - shift)
    if isMap, !roll.pointerMaps.isEmpty { return roll.geometry.isPointerMap(page) ? 8 : -8 }
    switch entry.content {
    case .tree: return 2
    case .zero: return 0
    case .other: return Int(entry.next) == number + 1 ? 3 : 0
    }
  }
}

extension Layout {
  /// The pages that have no place, behind all others: nothing that can be read gets lost.
  ///
  /// Of a block that stands in the file twice, the second one is left out.
  func rest(
    in slots: PageSlots, of source: any PageSource
  ) throws(ReadFailure) -> [RejoinedFile.Part] {
    var place = stretches.map { $0.first + $0.count }.max() ?? 1
    var parts: [RejoinedFile.Part] = []
    for run in uncoveredPositions {
      for position in run where !isZero(position) {
        let own = try slots.read(position, of: source)
        let twins = [position - run.count, position + run.count].filter {
          roll.entries.indices.contains($0)
        }
        var isTwin = false
        for twin in twins where try slots.read(twin, of: source) == own { isTwin = true }
        guard !isTwin else { continue }
        parts += slots.parts(of: .init(first: place, position: position, count: 1))
        place += 1
      }
    }
    return parts
  }

  private func isZero(_ position: Int) -> Bool {
    if case .zero = roll.entries[position].content { true } else { false }
  }

  /// The positions between and around the stretches, run by run.
  private var uncoveredPositions: [Range<Int>] {
    let taken = stretches.map { $0.position..<($0.position + $0.count) }
      .sorted { $0.lowerBound < $1.lowerBound }
    var runs: [Range<Int>] = []
    var next = 0
    for range in taken {
      if range.lowerBound > next { runs.append(next..<range.lowerBound) }
      next = max(next, range.upperBound)
    }
    if next < roll.entries.count { runs.append(next..<roll.entries.count) }
    return runs
  }
}

extension PageSlots {
  /// Where the bytes of a stretch lie, and where they belong.
  fileprivate func parts(of stretch: MovedPages.Stretch) -> [RejoinedFile.Part] {
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

  fileprivate func read(
    _ position: Int, of source: any PageSource
  ) throws(ReadFailure) -> Bytes {
    try source.read(at: offset(of: position), count: pageSize)
  }
}
