// SPDX-License-Identifier: Apache-2.0
// That the colours of the page map can be told apart by everybody, as far as sums can tell.

import Diagnosis
import Testing

@testable import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

@Suite struct PageMapPaletteTests {
  /// How people see: what each makes of linear red, green and blue (Machado, Oliveira, Fernandes 2009).
  static let sights: [(name: String, matrix: [[Double]])] = [
    ("all colours", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    (
      "no red",
      [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
      ]
    ),
    (
      "no green",
      [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
      ]
    ),
    (
      "no blue",
      [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
      ]
    ),
  ]

  /// The papers of the style sheet; what is missing is as they are.
  private static let papers = [(0xFF, 0xFF, 0xFF), (0x16, 0x18, 0x1C)]

  @Test(arguments: sights.indices)
  func `the colours of the page map can be told apart`(_ sight: Int) {
    let (name, matrix) = Self.sights[sight]
    let colours = PageMap.palette.indices.filter { $0 != PageMap.Kind.missing.colour }
      .map { (PageMap.className(of: UInt8($0)), PageMap.palette[$0]) }
    let papers = Self.papers.map { ("paper", $0) }
    for (place, (one, first)) in colours.enumerated() {
      for (other, second) in colours[(place + 1)...] + papers {
        let distance = distance(seen(first, matrix), seen(second, matrix))
        let isDamaged = [one, other].contains(PageMap.Kind.damaged.rawValue)
        #expect(distance >= (isDamaged ? 20 : 12), "\(one) and \(other), \(name): \(distance)")
      }
    }
  }

  @Test func `the style sheet has the colours of the palette`() {
    let rules = PageMap.styleSheet.split(separator: "\n")
    #expect(rules.count == PageMap.palette.count)
    #expect(PageMap.palette.count == Int(PageMap.firstOwnerColour) + PageMap.ownersMax)
    let (red, green, blue) = PageMap.palette[Int(PageMap.Kind.damaged.colour)]
    #expect(
      rules.contains(
        ".map .damaged, .legend .damaged { fill: rgb(\(red), \(green), \(blue)); }"))
  }

  @Test func `the distance of colours is that of CIE 1976`() {
    let sight = Self.sights[0].matrix
    let (white, red) = (seen((255, 255, 255), sight), seen((255, 0, 0), sight))
    #expect(abs(distance(white, seen((0, 0, 0), sight)) - 100) < 0.1)
    #expect(abs(red[0] - 53.24) < 0.1 && abs(red[1] - 80.09) < 0.1 && abs(red[2] - 67.2) < 0.1)
  }

  /// A colour as somebody sees it, in CIE L*a*b* (white is D65).
  private func seen(_ colour: (Int, Int, Int), _ matrix: [[Double]]) -> [Double] {
    let linear = [colour.0, colour.1, colour.2].map(Self.linear)
    let light = Self.product(matrix, linear).map { share in min(max(share, 0), 1) }
    let toXYZ: [[Double]] = [
      [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
      [0.0193339, 0.1191920, 0.9503041],
    ]
    let white: [Double] = [0.95047, 1, 1.08883]
    let steps = zip(Self.product(toXYZ, light), white).map(Self.step)
    return [116 * steps[1] - 16, 500 * (steps[0] - steps[1]), 200 * (steps[1] - steps[2])]
  }

  private func distance(_ one: [Double], _ other: [Double]) -> Double {
    let gaps: [Double] = zip(one, other).map { $0 - $1 }
    return Self.product([gaps], gaps)[0].squareRoot()
  }

  private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
    matrix.map { row in
      zip(row, vector).reduce(0.0) { sum, pair in sum + pair.0 * pair.1 }
    }
  }

  /// How much light a value of a display stands for.
  private static func linear(_ value: Int) -> Double {
    let share = Double(value) / 255
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
  }

  /// How bright a part of a colour looks beside that of white.
  private static func step(_ value: Double, _ white: Double) -> Double {
    let share = value / white
    return share > 216.0 / 24389 ? cbrt(share) : (24389.0 / 27 * share + 16) / 116
  }
}
