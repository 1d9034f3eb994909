// SPDX-License-Identifier: Apache-2.0
// A file read or copied in pieces, from its start to its end.

import SQLiteFormat

extension PageSource {
  /// Hands out all of the file in pieces, each with its place.
  func forEachPiece(_ body: (Bytes, _ offset: Int) throws -> Void) throws {
    var offset = 0
    while true {
      let bytes = try read(at: offset, count: 1 << 20)
      if bytes.isEmpty { return }
      try body(bytes, offset)
      offset += bytes.count
    }
  }
}

extension Storage {
  /// Writes all of a file to a new one, which is not durable yet; `goOn` ends that by throwing.
  @discardableResult
  func copy(
    _ source: any StoredFile, to path: FilePath, goOn: () throws -> Void = {}
  ) throws -> any StoredFile {
    let file = try open(path, .createNew)
    try source.forEachPiece { bytes, offset in
      try goOn()
      try file.write(bytes, at: offset)
    }
    return file
  }
}
