// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the known word that a mistyped one is nearest to.

/// The known word that a mistyped one is nearest to.
package enum NearestWord {
  /// The nearest of some words; nil when none is near enough to be meant.
  ///
  /// Near enough is one mistake in three characters: a character missing, added
  /// or changed, or two neighbours swapped.
  package static func to(_ word: String, in words: some Sequence<String>) -> String? {
    guard word.utf8.count <= 100 else { return nil }
    let nearest = words.map { (word: $0, distance: distance(from: word, to: $0)) }
      .filter { $0.distance < $0.word.count }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    guard let nearest, nearest.distance <= max(1, (word.count + 1) / 3) else { return nil }
    return nearest.word
  }

  /// The end of a message that names the nearest word; empty when there is none.
  package static func hint(for word: String, in words: some Sequence<String>) -> String {
    to(word, in: words).map { "; did you mean \($0.quoted)?" } ?? ""
  }

  /// The number of mistakes between two words, capitals not counted.
  static func distance(from left: String, to right: String) -> Int {
    let left = Array(left.lowercased().unicodeScalars)
    let right = Array(right.lowercased().unicodeScalars)
    var before: [Int] = []
    var above = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let change = above[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(change, above[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, before[column - 1] + 1)
        }
        current.append(best)
      }
      (before, above) = (above, current)
    }
    return above[right.count]
  }
}
