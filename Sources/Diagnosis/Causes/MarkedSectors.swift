// SPDX-License-Identifier: Apache-2.0
// Sectors that hold a short text or one byte again and again: so programs that copy failing disks
// mark what they could not read, as ddrescue does with the text that --fill-mode is given.

import SQLiteFormat

/// Sectors of a page that hold a mark in the place of what was there.
enum MarkedSectors {
  /// The longest mark that is looked for.
  private static let markMax = 64

  /// How many sectors of a page hold a mark.
  ///
  /// A value of the app's own may repeat itself as well, but begins and ends anywhere.
  static func count(in bytes: Bytes) -> Int {
    let marks = stride(from: 0, to: bytes.count, by: Scar.sector).map {
      mark(of: bytes, from: $0)
    }
    var (count, index) = (0, 0)
    while index < marks.count {
      let run = marks[index...].prefix { $0 != nil }
      if let first = run.first ?? nil, let last = run.last ?? nil,
        !repeats(bytes, index * Scar.sector - 1, as: first, ahead: true),
        !repeats(bytes, run.endIndex * Scar.sector, as: last, ahead: false)
      {
        count += run.count
      }
      index = run.endIndex + 1
    }
    return count
  }

  /// How long the mark is that a sector holds again and again; nil for none, and for zeros and 255,
  /// which media give of themselves.
  ///
  /// Lines that a program writes again and again end in line feeds.
  private static func mark(of bytes: Bytes, from start: Int) -> Int? {
    let end = start + Scar.sector
    guard end <= bytes.count,
      let length = (1...markMax).first(where: { length in
        (start..<(end - length)).allSatisfy { bytes[$0] == bytes[$0 + length] }
      })
    else { return nil }
    let mark = bytes[start..<(start + length)]
    return mark.contains(0x0A) || mark.allSatisfy({ $0 == 0 || $0 == 0xFF }) ? nil : length
  }

  /// Whether a byte beside a run of marks goes on with it.
  private static func repeats(_ bytes: Bytes, _ place: Int, as length: Int, ahead: Bool) -> Bool {
    bytes.indices.contains(place) && bytes[place] == bytes[place + (ahead ? length : -length)]
  }
}
