// SPDX-License-Identifier: Apache-2.0
// One file in an archive, and its bytes.

import SQLiteFormat

/// One file in an archive.
struct ArchivedFile: Hashable {
  /// How its bytes stand there.
  enum Method: Hashable {
    case stored
    case deflated
    /// Locked with a password.
    case locked
    /// In a way that is not read here.
    case other
  }

  /// Its name, with the folders above it.
  let path: Bytes
  /// Where its bytes stand in the archive, as far as they are there.
  let range: Range<Int>
  let method: Method
  /// The CRC-32 of its bytes; nil where the archive does not tell.
  var checksum: UInt32?
  /// Whether the archive ends before its bytes do.
  var isCut = false

  /// Its name without what leads nowhere: `./app.db` is `app.db`.
  var place: Bytes {
    let parts = path.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
    return Bytes(parts.joined(separator: [UInt8(ascii: "/")]))
  }

  /// The last component of its name; nil where that could be none of a file.
  var name: FilePath? {
    let name = FilePath(bytes: path).name
    return name.bytes.isEmpty || name == "." || name == ".." ? nil : name
  }

  /// Whether it was put there by a system for itself.
  var isOfSystem: Bool {
    path.starts(with: "__MACOSX/".utf8) || name?.bytes.starts(with: "._".utf8) ?? true
      || name == ".DS_Store"
  }
}

/// The bytes of a file in an archive, from start to end, in pieces.
final class ArchivedFileStream: PieceStream {
  private static let pieceByteCount = GunzipStream.pieceByteCount

  private let archive: any PageSource
  private let file: ArchivedFile
  private let inflater: Inflater?
  private var position: Int
  private var window = Bytes()
  private var used = 0
  private var hasEnded = false
  private var checksum: UInt32 = 0

  /// Begins to read; nil where memory is short.
  init?(_ file: ArchivedFile, in archive: any PageSource) {
    (self.file, self.archive, position) = (file, archive, file.range.lowerBound)
    if file.method == .deflated {
      guard let inflater = Inflater() else { return nil }
      self.inflater = inflater
    } else {
      inflater = nil
    }
  }

  func next() throws(GunzipStream.Failure) -> Bytes? {
    let bytes = if let inflater { try inflated(by: inflater) } else { try read() }
    if !bytes.isEmpty {
      checksum = CRC32.checksum(of: bytes, after: checksum)
      return bytes
    }
    if file.isCut && !hasEnded { throw .cut }
    if let expected = file.checksum, expected != checksum { throw .damaged(position) }
    return nil
  }

  /// The next bytes; none at the end.
  private func inflated(by inflater: Inflater) throws(GunzipStream.Failure) -> Bytes {
    while !hasEnded {
      if used == window.count { (window, used) = (try read(), 0) }
      let result = inflater.inflate(window, in: used..<window.count, max: Self.pieceByteCount)
      used += result.consumed
      switch result.state {
      case .damaged where result.bytes.isEmpty: throw .damaged(position)
      case .ended: hasEnded = true
      case .more where result.bytes.isEmpty && result.consumed == 0: throw .cut
      case .more, .damaged: break
      }
      if !result.bytes.isEmpty { return result.bytes }
    }
    return []
  }

  private func read() throws(GunzipStream.Failure) -> Bytes {
    let count = min(Self.pieceByteCount, file.range.upperBound - position)
    do {
      let bytes = try archive.read(at: position, count: count)
      position += bytes.count
      return bytes
    } catch {
      throw .unreadable(error)
    }
  }
}
