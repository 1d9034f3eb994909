// SPDX-License-Identifier: Apache-2.0
// What was put together again of a damaged database, in one value.

/// What was put together again of the trees that are damaged: all that losses, gaps, checks and the
/// salvage go by.
package struct Reconstruction: Sendable {
  /// Which page is whose, and what stays without an owner.
  package var reassembly = Reassembly()
  /// Where overflow chains go on whose links are broken.
  var chains = ChainRepair()
}
