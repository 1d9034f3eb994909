// SPDX-License-Identifier: Apache-2.0
// Pages that moved: of a file into which something was put, or of which something was left out,
// every page behind the place has another number than those by which pages refer to it.
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

  /// How many shifts are weighed against each other, at most.
  private static let shiftMax = 16
  /// How many references are weighed to find them, at most.
  private static let sampleMax = 2048
  /// How many references are weighed, at most.
  private static let referenceMax = 1 << 16
  /// What has to speak for a place where pages moved.
  private static let leastWeight = 5

  /// The stretches, by number.
  let stretches: [Stretch]
  /// The file as it was.
  let file: RejoinedFile

  /// Looks for pages that moved; nil where none did, or nothing tells.
  ///
  /// - Throws: ``ReadFailure`` when the file cannot be read.
  init?(_ source: any PageSource, _ geometry: Geometry, start: Int) throws(ReadFailure) {
    let pageSize = geometry.pageSize
    let phase = start >= 0 ? start : pageSize - (-start - 1) % pageSize - 1
    let slots = try PageSlots(searching: source, geometry, phase: phase)
    let roll = try PageRoll(source, geometry, slots, referenceMax: Self.referenceMax)
    guard roll.entries.count == slots.count else { return nil }
    let layout = Layout(roll, Self.segments(of: roll))
    stretches = layout.stretches
    guard stretches.count > 1 || !slots.isPlain else { return nil }
    let parts =
      try stretches.flatMap { stretch in
        slots.parts(of: stretch)
      } + layout.rest(in: slots, of: source)
    file = RejoinedFile(source, parts)
  }

  /// References into pages that follow one another, and what the first page's number is for them.
  struct Segment {
    let shift: Int
    var first: Int
    var last: Int
  }

  /// The references in the order of their numbers, as segments with the shift that explains most.
  private static func segments(of roll: PageRoll) -> [Segment] {
    let references = roll.references.sorted { $0.number < $1.number }
    let shifts = shifts(roll, references)
    guard let first = references.first, !shifts.isEmpty else { return [] }
    let judges = shifts.map { PageJudge(roll: roll, first: $0) }
    var sums = judges.map { $0.weight(of: first) }
    var origins: [[Int]] = []
    for (previous, reference) in zip(references, references.dropFirst()) {
      var origin = Array(shifts.indices)
      var next = sums
      for (index, shift) in shifts.enumerated() {
        for other in shifts.indices
        where other != index && sums[other] - leastWeight > next[index]
          // Pages lie in the order of their numbers.
          && reference.number - shift > previous.number - shifts[other]
        {
          next[index] = sums[other] - leastWeight
          origin[index] = other
        }
      }
      for index in shifts.indices { next[index] += judges[index].weight(of: reference) }
      origins.append(origin)
      sums = next
    }
    var state = sums.indices.max { sums[$0] < sums[$1] } ?? 0
    var segments: [Segment] = []
    for (index, reference) in references.enumerated().reversed() {
      if segments.last?.shift == shifts[state] {
        segments[segments.count - 1].first = reference.number
      } else {
        segments.append(
          Segment(shift: shifts[state], first: reference.number, last: reference.number))
      }
      if index > 0 { state = origins[index - 1][state] }
    }
    return segments.reversed()
  }

  /// The numbers of the first page that some stretch of references speaks for, the best first.
  private static func shifts(_ roll: PageRoll, _ references: [PageRoll.Reference]) -> [Int] {
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
    return weighed.filter { $0.weight >= leastWeight }
      .sorted { $0.weight == $1.weight ? $0.shift < $1.shift : $0.weight > $1.weight }
      .prefix(shiftMax).map(\.shift)
  }
}

/// The stretches that segments of references come to: each page of the file has one place at most.
private struct Layout {
  private let roll: PageRoll
  private(set) var stretches: [MovedPages.Stretch] = []

  init(_ roll: PageRoll, _ segments: [MovedPages.Segment]) {
    self.roll = roll
    guard var open = segments.first else { return }
    var first = max(1, open.shift)
    for next in segments.dropFirst() {
      let (end, start) = border(after: open, before: next)
      add(first..<end, open.shift)
      (open, first) = (next, start)
    }
    add(first..<(roll.entries.count + open.shift), open.shift)
  }

  private mutating func add(_ numbers: Range<Int>, _ shift: Int) {
    guard !numbers.isEmpty else { return }
    stretches.append(
      .init(first: numbers.lowerBound, position: numbers.lowerBound - shift, count: numbers.count))
  }

  /// Where one stretch ends and the next one starts, by number.
  private func border(
    after open: MovedPages.Segment, before next: MovedPages.Segment
  ) -> (end: Int, start: Int) {
    // So many numbers have no page; where there are pages without number instead, none.
    let missing = max(0, next.shift - open.shift)
    let ends = (open.last + 1)...max(open.last + 1, next.first - missing)
    var best = (end: ends.lowerBound, weight: Int.min)
    var before = 0
    var behind = (ends.lowerBound..<next.first).reduce(0) { sum, number in
      number >= ends.lowerBound + missing ? sum + weight(of: number, next.shift) : sum
    }
    for end in ends {
      if before + behind > best.weight { best = (end, before + behind) }
      before += weight(of: end, open.shift)
      if end + missing < next.first { behind -= weight(of: end + missing, next.shift) }
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
    for run in loosePositions {
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
  private var loosePositions: [Range<Int>] {
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

extension Survey {
  /// Whether trees lead to sound pages that are not theirs, as they do where pages moved.
  var leadsAstray: Bool {
    guard let image else { return false }
    let strays = trees.lazy.flatMap { $0.pageFaults.first + $0.misplaced.first }.filter { fault in
      guard let page = fault.page.flatMap({ try? image.btreePage($0) }) else { return false }
      return page.layoutFaults.isEmpty
    }
    return strays.prefix(2).count == 2
  }

  /// Whether trees lead to more rows than in another survey of the same files.
  func reachesMore(than other: Survey) -> Bool { rowsReached > other.rowsReached }

  private var rowsReached: Int {
    trees.reduce(0) { $1.entry.kind == .table ? $0 + $1.records : $0 }
  }
}
