// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word that is nearest to what was typed.

/// The known word that is nearest to what was typed.
package enum Suggestion {
  /// The nearest word, if it is near enough to have been meant; the first of equals.
  package static func nearest(to typed: String, among words: [String]) -> String? {
    let typed = typed.lowercased()
    let near = words.map { (word: $0, distance: distance(typed, $0)) }
      .filter { $0.distance <= max(1, $0.word.count / 3) && $0.distance < $0.word.count }
    return near.min { $0.distance < $1.distance }?.word
  }

  /// How many letters have to be inserted, dropped, changed or swapped with their neighbour.
  package static func distance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    // Three rows of the table of distances between the beginnings of both words.
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var row = [i + 1]
      for (j, other) in right.enumerated() {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (letter == other ? 0 : 1))
        if i > 0, j > 0, letter == right[j - 1], left[i - 1] == other {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[right.count]
  }
}
