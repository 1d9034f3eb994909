// SPDX-License-Identifier: Apache-2.0
// How words begin a sentence.

extension String {
  /// The text with its first letter in upper case, as a sentence begins.
  package var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
