// SPDX-License-Identifier: Apache-2.0
// An image as one file of its own, for SQLite to open.

import SQLiteFormat

extension Image {
  /// Writes every page to a new file that SQLite can open without any journal beside it.
  ///
  /// Pages that none of the files has become zeros: SQLite's checks then report them.
  ///
  /// - Throws: ``RescueError`` when a page cannot be read, when the file cannot be written, and when
  ///   there is no room for it.
  package func write(to path: FilePath, storage: any Storage) throws(RescueError) {
    do {
      let needed = dataByteCount + (1 << 20)
      let free = try storage.freeBytes(at: path.folder)
      guard free >= needed else {
        throw RescueError(
          .cannotWrite,
          "a private copy needs \(needed) bytes in '\(path.folder)', \(free) are free",
          meaning: "nothing was changed", advice: "free some space, or set TMPDIR to another folder"
        )
      }
      let file = try storage.open(path, .createNew)
      var end = 0
      try forEachPiece { piece, offset in
        try file.write(piece, at: offset)
        end = offset + piece.count
      }
      // What lies in a hole at the end is one there, too.
      if end < byteCount { try file.truncate(to: byteCount) }
    } catch {
      throw RescueError(error, doing: "write '\(path)'", meaning: "nothing was changed")
    }
  }

  /// The whole of it as one run of bytes, as it would stand in a file of its own.
  ///
  /// - Throws: ``RescueError`` when a page cannot be read.
  func wholeBytes() throws(RescueError) -> Bytes {
    var bytes = Bytes(repeating: 0, count: byteCount)
    do {
      try forEachPiece { piece, offset in
        bytes.replaceSubrange(offset..<offset + piece.count, with: piece)
      }
    } catch {
      throw RescueError(error, doing: "copy the pages", meaning: "nothing was changed")
    }
    return bytes
  }

  /// How many bytes a file of its own has.
  var byteCount: Int { pageCount * geometry.pageSize }

  /// Gives all pages in runs without a hole, each with the offset at which it begins.
  private func forEachPiece(_ take: (Bytes, Int) throws -> Void) throws {
    var (start, pending) = (0, Bytes())
    for number in dataPages {
      let place = (number.number - 1) * geometry.pageSize
      if place != start + pending.count || pending.count >= 1 << 18 {
        try take(pending, start)
        (start, pending) = (place, [])
      }
      var page = try content(of: number)
      page.append(contentsOf: repeatElement(0, count: geometry.pageSize - page.count))
      if number == .first { markAsComplete(&page) }
      pending.append(contentsOf: page)
    }
    try take(pending, start)
  }

  /// The bytes of a page; none of one that is in none of the files.
  private func content(of number: PageNumber) throws -> Bytes {
    do {
      return try bytes(of: number)
    } catch {
      guard case .unreadable(let reason) = error.problem else { return [] }
      throw ReadFailure(offset: offset(of: number), reason: reason)
    }
  }

  /// Marks page 1 as that of a database with a rollback journal and the right page count.
  private func markAsComplete(_ page: inout Bytes) {
    guard page.count >= DatabaseHeader.byteCount, page.matches(DatabaseHeader.magic) else { return }
    if page[18] == 2 { page[18] = 1 }
    if page[19] == 2 { page[19] = 1 }
    let count = UInt32(clamping: pageCount)
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      page[28 + index] = UInt8(truncatingIfNeeded: count >> UInt32(shift))
      page[92 + index] = page[24 + index]
    }
  }
}
