// SPDX-License-Identifier: Apache-2.0
// Which page of a file has which number, as what is known of pages that moved comes to.

import SQLiteFormat

/// The stretches that marks come to: each page of the file has one place at most.
struct PageLayout {
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
    var segments = segments
    guard !segments.isEmpty, segments.count <= MovedPages.stretchMax else { return }
    place(segments)
    guard segments.count <= Self.weighedMax else { return }
    // One that takes more from others than it explains is none.
    var (index, most) = (1, weight)
    while index < segments.count {
      let fewer = Self.merged(segments[..<index] + segments[(index + 1)...])
      var other = self
      other.place(fewer)
      let weight = other.weight
      if weight >= most {
        (stretches, isTaken) = (other.stretches, other.isTaken)
        (segments, index, most) = (fewer, 1, weight)
      } else {
        index += 1
      }
    }
  }

  /// How many segments are weighed one by one, at most.
  private static let weighedMax = 32

  /// Segments of which no two that follow one another have the same shift.
  private static func merged(_ segments: some Sequence<Segment>) -> [Segment] {
    segments.reduce(into: []) { kept, segment in
      if kept.last?.shift != segment.shift { kept.append(segment) }
    }
  }

  /// What speaks for the stretches, less what each place where pages moved has to explain.
  private var weight: Int {
    let indices = Dictionary(shifts.enumerated().map { ($1, $0) }) { first, _ in first }
    var (sum, rest) = (0, stretches[...])
    for mark in marks {
      while let next = rest.first, next.first + next.count <= mark.number { rest.removeFirst() }
      guard let own = rest.first, own.first <= mark.number,
        let shift = indices[own.first - own.position]
      else { continue }
      sum += mark.weights[shift]
    }
    return sum - MovedPages.leastWeight * (stretches.count - 1)
  }

  /// Gives the pages of the file the numbers that segments come to.
  private mutating func place(_ segments: [Segment]) {
    isTaken = Array(repeating: false, count: roll.entries.count)
    stretches = []
    guard let first = segments.first else { return }
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
    return telling(of: segments.reversed())
  }

  /// The segments but for those whose marks speak for nothing, as of pages that are missing: what is
  /// missing lies between two stretches.
  private func telling(of segments: [Segment]) -> [Segment] {
    segments.enumerated().reduce(into: []) { kept, element in
      let (index, segment) = element
      let end = index + 1 < segments.count ? segments[index + 1].first : marks.count
      let weight = marks[segment.first..<end].reduce(0) { $0 + $1.weights[segment.shift] }
      if weight > 0, kept.last?.shift != segment.shift { kept.append(segment) }
    }
  }

  /// Where, by number, one segment ends and the next one starts.
  private func border(
    between open: Segment, startingAt start: Int, and next: Segment
  ) -> (end: Int, behind: Int) {
    let (shift, other) = (shifts[open.shift], shifts[next.shift])
    let first = marks[next.first].number
    // So many numbers have no page; where there are pages without a number instead, or the next
    // ones lie in the file before these, none. What fits both tells nothing.
    let telling =
      marks[next.first...].first { mark in
        mark.weights[next.shift] > max(1, mark.weights[open.shift])
      }?.number ?? first
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
      // Where bytes are missing or were put in, pages moved; so they have behind those that stand
      // there twice.
      let position = end + missing - other
      let isPlace =
        roll.breaks.contains(position) || roll.standTwice(from: end - shift, to: position)
      let weight = sum + (isPlace ? MovedPages.leastWeight : 0)
      if weight > best.weight { best = (end, weight) }
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

extension PageLayout {
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
