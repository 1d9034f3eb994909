// SPDX-License-Identifier: Apache-2.0
// Which number the first page of a file has, when its beginning may be missing or not its own.
//
// Pages refer to each other by number. A number is right when the pages that are then referred to
// are what they must be: children of the right kind with rowids in their interval, overflow chains
// of the right length, pointer maps in their places.

import SQLiteFormat

/// The search for the numbers of pages.
struct PageNumbering {
  /// How many references each candidate is judged by, at most.
  private static let sampleMax = 512
  /// How many candidates are judged, at most.
  private static let candidateMax = 512
  /// How many pages one reference proposes, at most.
  private static let proposalMax = 64
  /// The least weight of evidence for a number that differs from what the file suggests.
  private static let leastWeight = 4

  /// The number of the first whole page; nil when the evidence does not decide.
  ///
  /// Below 1 where other bytes lie before the database.
  let firstNumber: Int?

  /// Weighs the evidence of a file's pages, and where that is too little asks for what copies of them
  /// tell.
  ///
  /// - Throws: ``ReadFailure`` when the copies cannot be read.
  init(
    _ roll: PageRoll, byCopies: () throws(ReadFailure) -> Int? = { nil }
  ) throws(ReadFailure) {
    let step = max(1, roll.references.count / Self.sampleMax)
    let sample = stride(from: 0, to: roll.references.count, by: step).map { roll.references[$0] }
    var weights = Self.candidates(roll, sample).map { candidate in
      (first: candidate, weight: Self.weight(of: candidate, roll, sample))
    }
    weights.sort {
      $0.weight == $1.weight ? abs($0.first - 1) < abs($1.first - 1) : $0.weight > $1.weight
    }
    if let best = weights.first, best.weight >= Self.leastWeight,
      weights.count < 2 || weights[1].weight * 2 <= best.weight
    {
      firstNumber = best.first
    } else if let number = try byCopies() {
      firstNumber = number
    } else if roll.phase == 0, Self.weight(of: 1, roll, sample, sparingDestroyed: true) >= 0 {
      // Nothing contradicts what is so of nearly every file: that it starts with page 1. A whole
      // b-tree page in its place would; pages that are destroyed do not.
      firstNumber = 1
    } else {
      firstNumber = nil
    }
  }

  /// Numbers of the first page that some evidence speaks for, the strongest first.
  static func candidates(_ roll: PageRoll, _ sample: [PageRoll.Reference]) -> [Int] {
    let places = Places(roll)
    var proposals: [Int: Int] = [:]
    func propose(_ number: Int, at positions: some Sequence<Int>) {
      for position in positions.prefix(proposalMax) {
        proposals[number - position, default: 0] += 1
      }
    }
    for reference in sample {
      switch reference.expectation {
      case .table(let above, let upTo):
        if let upTo { propose(reference.number, at: places.ending[upTo] ?? []) }
        if let above { propose(reference.number, at: places.beginning[above &+ 1] ?? []) }
      case .index: propose(reference.number, at: places.indexes)
      case .chain(1): propose(reference.number, at: places.chainEnds)
      case .chain: propose(reference.number, at: places.before[reference.number + 1] ?? [])
      case .before(let position):
        propose(reference.number, at: [position - 1])
      case .parent: break
      }
    }
    for map in roll.pointerMaps.prefix(8) {
      propose(2, at: (0..<proposalMax).map { map - $0 * roll.geometry.pointerMapSpan })
    }
    proposals[1, default: 0] += 1
    let bounds = (2 - roll.entries.count)...max(65536, 16 * roll.entries.count)
    return proposals.filter { bounds.contains($0.key) }
      .sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
      .prefix(candidateMax).map(\.key)
  }

  /// Where pages with certain marks lie.
  private struct Places {
    var beginning: [Int64: [Int]] = [:]
    var ending: [Int64: [Int]] = [:]
    var before: [Int: [Int]] = [:]
    var indexes: [Int] = []
    var chainEnds: [Int] = []

    init(_ roll: PageRoll) {
      for (position, entry) in roll.entries.enumerated() {
        switch entry.content {
        case .zero: break
        case .other:
          before[Int(entry.next), default: []].append(position)
          if entry.next == 0 { chainEnds.append(position) }
        case .tree(let kind):
          if !kind.isTable { indexes.append(position) }
          guard kind == .tableLeaf, let rowIDs = entry.rowIDs else { break }
          beginning[rowIDs.lowerBound, default: []].append(position)
          ending[rowIDs.upperBound, default: []].append(position)
        }
      }
    }
  }

  /// How much speaks for a number of the first page, less what speaks against it.
  private static func weight(
    of first: Int, _ roll: PageRoll, _ sample: [PageRoll.Reference], sparingDestroyed: Bool = false
  ) -> Int {
    let judge = PageJudge(roll: roll, first: first, sparesDestroyed: sparingDestroyed)
    var weight = sample.reduce(0) { $0 + judge.weight(of: $1) }
    for map in roll.pointerMaps.prefix(64) {
      guard let number = PageNumber(first + map) else { continue }
      weight += roll.geometry.isPointerMap(number) ? 4 : -4
    }
    if roll.startsWithFirstPage { weight += first == 1 ? leastWeight : -leastWeight }
    // The b-tree of page 1 starts behind the file header: a page with one at its start is another.
    if first == 1, case .tree = roll.entries.first?.content { weight -= leastWeight }
    return weight
  }
}

/// What one reference says about one number of the first page.
struct PageJudge {
  /// The pages.
  let roll: PageRoll
  /// The number of the first of them.
  let first: Int
  /// Whether pages that are none of a tree, where one should be, say nothing.
  var sparesDestroyed = false

  /// Positive where the page of that number is what it must be, 0 where it is not there.
  func weight(of reference: PageRoll.Reference) -> Int {
    guard reference.number > 1 else { return -2 }
    guard let entry = entry(reference.number) else { return 0 }
    switch reference.expectation {
    case .table(let above, let upTo): return table(entry, above, upTo)
    case .index(let above, let upTo, let isCertain, let fieldCount):
      let weight = index(entry, above, upTo, isCertain: isCertain)
      // Entries with more values than others are those of another tree, but for columns that came.
      guard let fieldCount, let own = entry.fieldCount, own != fieldCount else { return weight }
      return min(weight, 0)
    case .parent(let map, let place): return parent(entry, map, place)
    case .before(let position):
      if case .other = entry.content { return Int(entry.next) == first + position ? 3 : -2 }
      return entry.isZero ? 0 : -2
    case .chain(let length): return chain(from: reference.number, length)
    }
  }

  private func entry(_ number: Int) -> PageRoll.Entry? {
    let position = number - first
    return roll.entries.indices.contains(position) ? roll.entries[position] : nil
  }

  /// Pages whose parents are the same look alike: which of them leads to the page of the entry tells.
  private func parent(_ entry: PageRoll.Entry, _ map: Int, _ place: Int) -> Int {
    guard case .tree(let kind) = entry.content else { return destroyed(entry) }
    guard !kind.isLeaf else { return -2 }
    // Where the map itself lies is known but for what moved: its number is one that maps have.
    let span = roll.geometry.pointerMapSpan
    let number = 2 + (max(0, map + first - 2) + span / 2) / span * span
    return PageNumber(number + 1 + place).map(entry.children.contains) ?? false ? 3 : -1
  }

  /// A page that is none of a tree may have been one before the damage.
  private func destroyed(_ entry: PageRoll.Entry) -> Int {
    entry.isZero || sparesDestroyed ? 0 : -1
  }

  private func table(_ entry: PageRoll.Entry, _ above: Int64?, _ upTo: Int64?) -> Int {
    guard case .tree(let kind) = entry.content else { return destroyed(entry) }
    guard kind.isTable else { return -2 }
    guard let rowIDs = entry.rowIDs else { return 0 }
    guard above.map({ rowIDs.lowerBound > $0 }) ?? true,
      upTo.map({ rowIDs.upperBound <= $0 }) ?? true
    else { return -2 }
    let touches =
      upTo == rowIDs.upperBound || above.map { $0 &+ 1 == rowIDs.lowerBound } ?? false
    return touches ? 3 : 2
  }

  private func index(
    _ entry: PageRoll.Entry, _ above: Value?, _ upTo: Value?, isCertain: Bool
  ) -> Int {
    guard case .tree(let kind) = entry.content else { return destroyed(entry) }
    guard !kind.isTable else { return -2 }
    guard let keys = entry.keys, above != nil || upTo != nil else { return 1 }
    let fits =
      (above.map { $0.compare(with: keys.least, .binary) <= 0 } ?? true)
      && (upTo.map { keys.greatest.compare(with: $0, .binary) <= 0 } ?? true)
    // The order of an index may be another than that of the bytes.
    return fits ? 3 : isCertain ? -2 : 1
  }

  private func chain(from number: Int, _ length: Int) -> Int {
    var next = number
    // A chain that leaves the file says nothing; a long one has said enough after a while.
    for remaining in stride(from: length - 1, through: max(0, length - 64), by: -1) {
      guard let entry = entry(next) else { return next > 1 ? 0 : -2 }
      if case .tree = entry.content { return -2 }
      if entry.isZero, remaining > 0 { return 0 }
      if (entry.next == 0) != (remaining == 0) { return -2 }
      next = Int(entry.next)
    }
    return length > 1 ? 3 : 1
  }
}

extension PageRoll.Entry {
  fileprivate var isZero: Bool {
    if case .zero = content { true } else { false }
  }
}
