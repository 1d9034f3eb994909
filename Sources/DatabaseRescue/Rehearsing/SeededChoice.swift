// SPDX-License-Identifier: Apache-2.0
// Chance that is the same for the same seed, on every machine: what is made of it can be made again.

/// The SplitMix64 generator.
struct SeededChoice {
  private var state: UInt64

  /// Starts a sequence; a name makes it another one.
  init(seed: UInt64, for name: String = "") {
    // FNV-1a, as the hashes of the standard library differ from run to run.
    state = name.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// One of the elements; nil where there is none.
  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
  }
}
