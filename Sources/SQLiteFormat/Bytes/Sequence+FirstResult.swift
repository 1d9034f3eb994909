// SPDX-License-Identifier: Apache-2.0
// The first of several things that something can be had of, where asking twice may give two answers.

extension Sequence {
  /// The first result that there is, of the elements in turn; none is asked twice.
  ///
  /// The first element of a lazy map is asked for again when it is handed out: what was read once
  /// from a failing disk may not be there the second time.
  package func firstResult<Result>(_ result: (Element) throws -> Result?) rethrows -> Result? {
    for element in self {
      if let result = try result(element) { return result }
    }
    return nil
  }
}
