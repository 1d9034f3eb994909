// SPDX-License-Identifier: Apache-2.0
// A path as the file system knows it: bytes, not text.

import SQLiteFormat

/// A path as the file system knows it: bytes without NUL, in no particular encoding.
public struct FilePath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The bytes of the path.
  public let bytes: [UInt8]

  /// Makes a path of bytes; anything from a NUL on is dropped, as the system would.
  public init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes.prefix { $0 != 0 })
  }

  /// Makes a path of a string's UTF-8.
  public init(_ string: String) {
    self.init(bytes: string.utf8)
  }

  /// Makes a path of a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The path for people.
  ///
  /// Bytes that are not valid UTF-8 are written as `\xFF`, so that no two paths look alike. A command to
  /// paste has the path as a shell wants it.
  public var description: String {
    String(utf8: bytes) { ($0 < 16 ? "\\x0" : "\\x") + String($0, radix: 16, uppercase: true) }
  }

  /// Whether the path starts at the root.
  package var isAbsolute: Bool { bytes.first == Self.slash }

  /// The last component.
  public var name: FilePath {
    let trimmed = withoutTrailingSlashes
    guard let slash = trimmed.lastIndex(of: Self.slash) else { return FilePath(bytes: trimmed) }
    return FilePath(bytes: trimmed[(slash + 1)...])
  }

  /// The folder that holds the last component; `.` for a bare name.
  public var folder: FilePath {
    let trimmed = withoutTrailingSlashes
    guard let slash = trimmed.lastIndex(of: Self.slash) else { return "." }
    return slash == 0 ? "/" : FilePath(bytes: trimmed[..<slash])
  }

  /// This path followed by another component or relative path.
  public func appending(_ component: FilePath) -> FilePath {
    if bytes.isEmpty || component.isAbsolute { return component }
    let separator: [UInt8] = bytes.last == Self.slash ? [] : [Self.slash]
    return FilePath(bytes: bytes + separator + component.bytes)
  }

  /// This path with text glued to its end, such as `-wal`.
  package func adding(suffix: String) -> FilePath {
    FilePath(bytes: bytes + Array(suffix.utf8))
  }

  /// What SQLite adds to the name of a database for its journals, which hold pages of it.
  package static let journalSuffixes = ["-wal", "-journal"]

  /// What SQLite adds to the name of a database for the files beside it, in the order in which they
  /// are moved.
  package static let sidecarSuffixes = ["-wal", "-shm", "-journal"]

  /// Whether the path ends in the given text.
  package func hasSuffix(_ suffix: String) -> Bool {
    bytes.count >= suffix.utf8.count && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
  }

  private static let slash = UInt8(ascii: "/")

  private var withoutTrailingSlashes: ArraySlice<UInt8> {
    var trimmed = bytes[...]
    while trimmed.count > 1, trimmed.last == Self.slash { trimmed.removeLast() }
    return trimmed
  }
}
