// SPDX-License-Identifier: Apache-2.0
// The colours of the page map: the same in a drawing of squares, in a picture of points, and in the
// legend.

extension PageMap {
  /// The colours as red, green and blue: those of the kinds, then those of owners.
  ///
  /// Nearly everybody can tell them apart, also who does not see red, green or blue as others do, on
  /// light paper and on dark. What is missing has none there: the paper shows through.
  static let palette: [(Int, Int, Int)] = [
    (0xC2, 0xC2, 0xC2), (0x80, 0x6E, 0x96), (0x77, 0x98, 0x9C), (0x55, 0x5F, 0x6B),
    (0xEA, 0xB9, 0x3F), (0xF4, 0xF4, 0xF4), (0xD4, 0x2F, 0x0C),
    (0x1B, 0x59, 0x9D), (0x22, 0xB3, 0x74), (0xC1, 0x7A, 0xC8),
    (0x86, 0xC7, 0xFF), (0x6F, 0x4D, 0x46), (0x19, 0x8D, 0x6C),
  ]

  /// The palette as rules of a style sheet.
  static var styleSheet: String {
    palette.indices.map { place in
      let style = className(of: UInt8(place))
      return ".map .\(style), .legend .\(style) { fill: rgb\(palette[place]); }\n"
    }.joined()
  }

  /// The name by which the style sheet knows a colour.
  static func className(of colour: UInt8) -> String {
    colour >= firstOwnerColour
      ? "owner\(colour - firstOwnerColour)"
      : Kind.allCases.first { $0.colour == colour }?.rawValue ?? "unowned"
  }
}
