// SPDX-License-Identifier: Apache-2.0
// Reading a log or journal: bytes that cannot be had are something wrong with it.

extension PageSource {
  /// Reads up to `count` bytes from `offset`, as a part of what is wrong with a format.
  ///
  /// - Throws: ``FormatError`` when the bytes exist but cannot be had.
  func bytes(at offset: Int, count: Int) throws(FormatError) -> Bytes {
    do {
      return try read(at: offset, count: count)
    } catch {
      throw FormatError(.unreadable(error.reason), offset: offset)
    }
  }
}
