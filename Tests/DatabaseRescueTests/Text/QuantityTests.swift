// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

import DatabaseRescue
import Testing

@Suite struct QuantityTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1049, "1.0 kB"),
    (1050, "1.1 kB"), (9949, "9.9 kB"), (9950, "10 kB"), (999_499, "999 kB"),
    (999_500, "1.0 MB"), (1_234_567, "1.2 MB"), (15_000_000_000, "15 GB"), (Int.max, "9.2 EB"),
  ])
  func `sizes have two digits at least where they can`(_ count: Int, _ text: String) {
    #expect(Quantity.bytes(count) == text)
  }

  @Test(arguments: [
    (0, "0 rows"), (1, "1 row"), (999, "999 rows"), (1000, "1,000 rows"),
    (15_607, "15,607 rows"), (1_234_567, "1,234,567 rows"), (-4200, "-4,200 rows"),
    (Int.min, "-9,223,372,036,854,775,808 rows"),
  ])
  func `counts are grouped and agree with their noun`(_ number: Int, _ text: String) {
    #expect(Quantity.count(number, "row") == text)
  }

  @Test(arguments: [
    (-1.0, "0 s"), (8.9, "8 s"), (60.0, "1 min"), (3599.0, "59 min"), (7200.0, "2 h"),
    (172_799.0, "47 h"), (172_800.0, "2 days"), (Double.infinity, "1,000,000,000 days"),
  ])
  func `spans of time are in one unit`(_ seconds: Double, _ text: String) {
    #expect(Quantity.duration(seconds: seconds) == text)
  }

  @Test func `a noun may have its own plural`() {
    #expect(Quantity.count(2, "index", plural: "indexes") == "2 indexes")
  }
}
