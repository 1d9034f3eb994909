// SPDX-License-Identifier: Apache-2.0
// Text inside a file replaced in place: how a schema comes to say what SQLite would never store.

package import SQLiteFormat

extension Bytes {
  /// These bytes with a text replaced wherever it lies, by one of the same length.
  ///
  /// That includes what earlier versions of a row have left in free space. An unknown collation,
  /// for example, is `NOCASE` replaced by `NOCASX`.
  ///
  /// - Throws: ``UnfitFixture`` when the text is not there or the lengths differ, which would
  ///   move everything behind it.
  package func replacing(text: String, with other: String) throws -> Bytes {
    let wanted = Bytes(text.utf8)
    let replacement = Bytes(other.utf8)
    guard wanted.count == replacement.count, let first = wanted.first else {
      throw UnfitFixture("'\(text)' and '\(other)' have different lengths")
    }
    let starts = indices.filter { self[$0] == first && self[$0...].starts(with: wanted) }
    guard !starts.isEmpty else { throw UnfitFixture("'\(text)' is not in the file") }
    var result = self
    for start in starts {
      result.replaceSubrange(start..<(start + wanted.count), with: replacement)
    }
    return result
  }
}
