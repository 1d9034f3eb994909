// SPDX-License-Identifier: Apache-2.0
// The longest runs of ascending elements of a list, not necessarily side by side: what of it is in order.

import SQLiteFormat

extension Array {
  /// The positions of a longest run of ascending elements.
  func longestAscent(by precedes: (Element, Element) -> Bool) -> [Int] {
    if zip(self, dropFirst()).allSatisfy(precedes) { return Array<Int>(indices) }
    let lengths = ascentsToEach(by: precedes)
    var wanted = lengths.max() ?? 0
    var ascent: [Int] = []
    for index in indices.reversed() where lengths[index] == wanted {
      guard ascent.last.map({ precedes(self[index], self[$0]) }) ?? true else { continue }
      ascent.append(index)
      wanted -= 1
    }
    return ascent.reversed()
  }

  /// Which elements every longest run of ascending ones has.
  ///
  /// Of two neighbours that contradict each other, with nothing to tell which is wrong, none is.
  func inEveryLongestAscent(by precedes: (Element, Element) -> Bool) -> [Bool] {
    let (before, isInSome) = longestAscents(by: precedes)
    var takers = Array<Int>(repeating: 0, count: count + 1)
    for index in indices where isInSome[index] { takers[before[index]] += 1 }
    return indices.map { isInSome[$0] && takers[before[$0]] == 1 }
  }

  /// Which elements some longest run of ascending ones has.
  func inSomeLongestAscent(by precedes: (Element, Element) -> Bool) -> [Bool] {
    longestAscents(by: precedes).isInSome
  }

  /// The place that each element has in the longest run that ends with it, from 1, and whether some
  /// longest run of all has it.
  private func longestAscents(
    by precedes: (Element, Element) -> Bool
  ) -> (before: [Int], isInSome: [Bool]) {
    if zip(self, dropFirst()).allSatisfy(precedes) {
      return (indices.map { $0 + 1 }, map { _ in true })
    }
    let before = ascentsToEach(by: precedes)
    let behind = Array(reversed()).ascentsToEach { precedes($1, $0) }
    let lengths = zip(before, behind.reversed()).map { $0 + $1 - 1 }
    let longest = lengths.max()
    return (before, lengths.map { $0 == longest })
  }

  /// How long the longest run of ascending elements is that ends with each of them.
  private func ascentsToEach(by precedes: (Element, Element) -> Bool) -> [Int] {
    var tails: [Int] = []
    return indices.map { index in
      let place = tails.partitioningIndex { !precedes(self[$0], self[index]) }
      if place == tails.count { tails.append(index) } else { tails[place] = index }
      return place + 1
    }
  }
}
