// SPDX-License-Identifier: Apache-2.0
// Rows by their keys, in a memory that does not grow with them: what a row held and holds can be
// compared also where others came.

/// Rows by their keys, with a hash for each column: all of them, or so many as are kept in mind.
///
/// Where there are too many, only those stay whose key's hash ends in another zero.
struct RowSample: Hashable, Sendable {
  /// The hash of NULL.
  static let null: UInt32 = 0
  /// How many rows are kept in mind, and how many of their values.
  private static let (rowsMax, valuesMax) = (1 << 16, 1 << 20)

  /// How many zeros the hashes of keys end in.
  private var level = 0
  /// Whether all rows are kept in mind.
  var isWhole: Bool { level == 0 }
  /// How many columns a row has.
  private let width: Int
  /// The places of rows by the hashes of their keys; nil where several have one.
  private var places: [UInt64: Int?] = [:]
  private var hashes: [UInt32] = []

  /// Makes an empty sample of rows with so many columns.
  init(width: Int) {
    self.width = width
  }

  private var keptMax: Int { min(Self.rowsMax, Self.valuesMax / max(width, 1)) }

  /// Takes a row in by the hash of its key; nil is the hash of NULL.
  mutating func add(_ key: UInt64, _ row: [UInt64?]) {
    guard key.trailingZeroBitCount >= level, row.count == width, width > 0 else { return }
    guard places[key] == nil else {
      places[key] = .some(nil)
      return
    }
    places[key] = hashes.count / width
    for hash in row { hashes.append(hash.map { UInt32(truncatingIfNeeded: $0 >> 32) | 1 } ?? 0) }
    while places.count > keptMax { thinOut() }
  }

  private mutating func thinOut() {
    level += 1
    let all = self
    (places, hashes) = ([:], [])
    for (key, place) in all.places where key.trailingZeroBitCount >= level {
      places[key] = .some(place.map { _ in hashes.count / width })
      if let place { hashes += all.hashes(at: place) }
    }
  }

  /// The hashes of a row's columns, by the place of the row.
  func hashes(at place: Int) -> ArraySlice<UInt32> {
    hashes[place * width..<(place + 1) * width]
  }

  /// The hashes of all rows.
  var rows: [ArraySlice<UInt32>] {
    guard width > 0 else { return [] }
    return stride(from: 0, to: hashes.count, by: width).map { hashes[$0..<$0 + width] }
  }

  /// The hashes that a column has.
  func values(at column: Int) -> Set<UInt32> {
    Set(stride(from: column, to: hashes.count, by: width).map { hashes[$0] })
  }

  /// The places of rows that have the same key here and in another sample.
  func pairs(with other: RowSample) -> [(own: Int, theirs: Int)] {
    let level = max(level, other.level)
    return other.places.compactMap { key, theirs in
      guard key.trailingZeroBitCount >= level, let theirs, let found = places[key], let own = found
      else { return nil }
      return (own, theirs)
    }
  }

  /// How many keys of another sample are not here, of those that both would have in mind.
  func keysMissing(of other: RowSample) -> Int {
    let level = max(level, other.level)
    return other.places.keys.count {
      $0.trailingZeroBitCount >= level && places[$0] == nil
    }
  }
}

extension ArraySlice {
  /// An element, counted from the first one of the slice.
  subscript(at place: Int) -> Element { self[startIndex + place] }
}
