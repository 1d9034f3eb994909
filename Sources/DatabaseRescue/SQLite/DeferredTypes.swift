// SPDX-License-Identifier: Apache-2.0
// Serial types that are written into the records of a database when nobody has it open.

import SQLiteFormat
import Synchronization

/// The types of values that were written as blobs of the same length, and are none.
package final class DeferredTypes: Sendable {
  /// A value in a record, and what it is.
  struct Place: Sendable {
    /// The root of its table.
    let root: PageNumber
    /// Its row.
    let rowID: Int64
    /// The position of its column in the record.
    let field: Int
    /// Its serial type, of as many bytes as that of the blob in its place.
    let serialType: Int
  }

  private let places = Mutex<[Place]>([])

  /// Whether nothing was put off.
  var isEmpty: Bool { places.withLock(\.isEmpty) }

  /// How many values were put off.
  var count: Int { places.withLock(\.count) }

  /// Forgets all but the first values: the rows of the others are not there any more.
  func forget(after count: Int) {
    places.withLock { $0.removeLast(max(0, $0.count - count)) }
  }

  /// Notes a value that was written as a blob.
  func add(_ place: Place) {
    places.withLock { $0.append(place) }
  }

  /// Writes the types, in a database that nobody has open.
  ///
  /// - Throws: ``StorageError``, ``ReadFailure`` or ``FormatError`` when the file is not as SQLite
  ///   has left it.
  package func write(to path: FilePath, storage: any Storage) throws {
    let places = places.withLock { places in
      defer { places = [] }
      return places
    }
    guard !places.isEmpty else { return }
    let file = try storage.open(path, .readWrite)
    let start = try file.read(at: 0, count: DatabaseHeader.byteCount)
    guard let geometry = DatabaseHeader(start)?.geometry else {
      throw FormatError(.pageIncomplete, page: .first)
    }
    let image = Image(FileSet(main: file), geometry: geometry)
    for place in places {
      let offset = try image.offset(
        ofSerialType: place.field, ofRow: place.rowID, inTableAt: place.root)
      // A blob and a text of the same length, and all numbers and short blobs, have types that
      // differ in the last byte of their varint only.
      try file.write([UInt8(place.serialType & 0x7F)], at: offset)
    }
  }
}
