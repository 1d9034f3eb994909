// SPDX-License-Identifier: Apache-2.0
// A picture of at most sixteen colours, as a PNG inside a page.
//
// A PNG is a signature and chunks: length, name, data, CRC-32 of name and data. Four bits tell the
// colour of a point, two points share a byte, and a byte that is zero stands before each row. What
// zlib would compress is stored: blocks of at most 65,535 bytes behind a header of two, and an
// Adler-32 at the end (RFC 1950, 1951, 2083).

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture of at most sixteen colours.
struct IndexedPicture {
  private var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Draws points, row by row; those that a last row lacks are `beyond`.
  ///
  /// What lies behind the picture shows through points of the colour `clear`.
  init(
    width: Int, height: Int, palette: [(Int, Int, Int)], points: [UInt8], beyond: UInt8,
    clear: UInt8? = nil
  ) {
    add("IHDR", Self.number(width) + Self.number(height) + [4, 3, 0, 0, 0])
    add("PLTE", palette.flatMap { [UInt8($0.0), UInt8($0.1), UInt8($0.2)] })
    if let clear { add("tRNS", [UInt8](repeating: .max, count: Int(clear)) + [0]) }
    var rows: [UInt8] = []
    rows.reserveCapacity(height * (width / 2 + 2))
    for row in 0..<height {
      rows.append(0)
      for column in stride(from: 0, to: width, by: 2) {
        let place = row * width + column
        let left = place < points.count ? points[place] : beyond
        let right = column + 1 < width && place + 1 < points.count ? points[place + 1] : beyond
        rows.append(left << 4 | right)
      }
    }
    add("IDAT", Self.stored(rows))
    add("IEND", [])
  }

  /// The picture as an address that holds all of it.
  var address: String { "data:image/png;base64," + Data(file).base64EncodedString() }

  private mutating func add(_ name: String, _ data: [UInt8]) {
    let content = Array(name.utf8) + data
    file += Self.number(data.count) + content + Self.number(Int(Self.checksum(of: content)))
  }

  /// Bytes in the form of zlib, not compressed.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let count = min(65535, bytes.count - start)
      let isLast = start + count == bytes.count
      let (low, high) = (UInt8(count & 0xFF), UInt8(count >> 8))
      result += [isLast ? 1 : 0, low, high, ~low, ~high]
      result += bytes[start..<(start + count)]
      start += count
    } while start < bytes.count
    var (first, second): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      first = (first + UInt32(byte)) % 65521
      second = (second + first) % 65521
    }
    return result + number(Int(second << 16 | first))
  }

  private static func number(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  private static func checksum(of bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { value, byte in
      table[Int((value ^ UInt32(byte)) & 0xFF)] ^ value >> 8
    }
  }
}
