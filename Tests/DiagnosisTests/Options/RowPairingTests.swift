// SPDX-License-Identifier: Apache-2.0
// The rows of two states paired: however few are kept at a time, the figures are the same.

@testable import Diagnosis
import RescueTestSupport
import Testing

@Suite struct RowPairingTests {
  /// The figures of two states, with all rows kept and with few.
  private static func figures(
    _ current: [ComparedRow], _ other: [ComparedRow], haveKeys: Bool, keptMax: Int
  ) -> [Int] {
    let pairing = RowPairing(
      rowCount: current.count + other.count, haveKeys: haveKeys, keptMax: keptMax,
      current: { current.forEach($0) }, other: { other.forEach($0) })
    return [pairing.same, pairing.changed, pairing.onlyCurrent, pairing.onlyOther]
  }

  private static func row(_ identity: UInt64, _ content: UInt64) -> ComparedRow {
    ComparedRow(identity: identity, content: content)
  }

  @Test(arguments: [Int.max, 50])
  func `changed, lost and regained rows are told apart`(_ keptMax: Int) {
    let other = (1...2000).map { Self.row($0, $0 * 3) }
    let current =
      other.dropFirst(3).map { $0.identity > 1990 ? Self.row($0.identity, 5) : $0 }
      + [Self.row(3000, 7), Self.row(3001, 7)]
    #expect(
      Self.figures(current, other, haveKeys: true, keptMax: keptMax) == [1987, 10, 2, 3])
  }

  @Test(arguments: [Int.max, 50])
  func `rows that were numbered anew are the same`(_ keptMax: Int) {
    let other = (1...2000).map { Self.row($0, $0 * 3) }
    let current = (1...1999).map { Self.row($0, ($0 + 1) * 3) }
    #expect(Self.figures(current, other, haveKeys: false, keptMax: keptMax) == [1999, 0, 0, 1])
    #expect(Self.figures(current, other, haveKeys: true, keptMax: keptMax) == [0, 1999, 0, 1])
  }

  @Test func `few rows at a time give what all at once give`() {
    for seed in UInt64(1)...60 {
      var random = SeededRandom(seed: seed)
      func state() -> [ComparedRow] {
        (0..<random.below(3000)).map { _ in
          Self.row(UInt64(random.below(2000)), UInt64(random.below(3)))
        }
      }
      let (current, other) = (state(), state())
      for haveKeys in [true, false] {
        let whole = Self.figures(current, other, haveKeys: haveKeys, keptMax: .max)
        let parts = Self.figures(
          current, other, haveKeys: haveKeys, keptMax: 1 + random.below(200))
        #expect(whole == parts, "seed \(seed)")
        #expect(whole[0] + whole[1] + whole[2] == current.count, "seed \(seed)")
        #expect(whole[0] + whole[1] + whole[3] == other.count, "seed \(seed)")
      }
    }
  }
}
