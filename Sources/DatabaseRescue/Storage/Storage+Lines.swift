// SPDX-License-Identifier: Apache-2.0
// Lines that are only ever added to a file: one that is torn hides no other.

import SQLiteFormat

extension Storage {
  /// Adds whole lines to a file, which is made where there is none, and makes them durable.
  ///
  /// - Throws: ``StorageError`` or `ReadFailure`.
  func append(lines: Bytes, to path: FilePath) throws {
    let isNew = try status(of: path) == nil
    let file = try open(path, .append)
    // Somebody may have been cut off in the middle of a line.
    let end = try file.read(at: file.byteCount - 1, count: 1)
    let isTorn = !end.isEmpty && end != [UInt8(ascii: "\n")]
    try file.append(isTorn ? [UInt8(ascii: "\n")] + lines : lines)
    try file.synchronize()
    if isNew { try synchronizeFolder(path.folder) }
  }
}
