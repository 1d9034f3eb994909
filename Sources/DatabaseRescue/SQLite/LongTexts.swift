// SPDX-License-Identifier: Apache-2.0
// Long texts that were written as blobs, and become texts once their database is finished.

import SQLiteFormat
import Synchronization

/// The long texts of a fresh database.
package final class LongTexts: Sendable {
  /// Where a long text is.
  struct Place: Sendable {
    /// The root of its table.
    let root: PageNumber
    /// Its row.
    let rowID: Int64
    /// The position of its column in the record.
    let field: Int
  }

  private let places = Mutex<[Place]>([])

  /// Notes a text that was written as a blob.
  func add(_ place: Place) {
    places.withLock { $0.append(place) }
  }

  /// Makes texts of the blobs, in a finished database that nobody has open.
  ///
  /// - Throws: ``StorageError``, ``ReadFailure`` or ``FormatError`` when the file is not as SQLite
  ///   has left it.
  package func mark(in path: FilePath, storage: any Storage) throws {
    let places = places.withLock(\.self)
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
      guard let type = try file.read(at: offset, count: 1).first else {
        throw FormatError(.recordHeader)
      }
      // The last byte of a varint has its lowest bit.
      try file.write([type | 1], at: offset)
    }
  }
}
