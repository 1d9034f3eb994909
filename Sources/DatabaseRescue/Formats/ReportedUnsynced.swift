// SPDX-License-Identifier: Apache-2.0
// What is known of rows that were not sent anywhere yet, as every document says it.

package import Diagnosis

/// What is known of rows that were not sent anywhere yet, as every document says it.
package struct ReportedUnsynced: Hashable, Sendable, Codable {
  /// Whether there are any: `none`, `some`, `cannot-tell` or `not-looked-for`.
  package let state: PlainName
  /// How many there are; nil when nobody can tell.
  package let rows: Int?

  /// Makes an entry of a document.
  package init(_ unsynced: UnsyncedRows) {
    switch unsynced {
    case .none: (state, rows) = ("none", 0)
    case .some(let count): (state, rows) = ("some", count)
    case .cannotTell: (state, rows) = ("cannot-tell", nil)
    }
  }

  /// Makes the entry of a run that is known by its state only.
  init(state: PlainName) {
    self.state = state
    rows = state == "none" ? 0 : nil
  }

  /// The state in words.
  var words: String {
    switch rows {
    case nil: "cannot tell, which does not mean none"
    case 0?: "none"
    case let count?: "\(count.of("row", "waits", "wait")) to be sent"
    }
  }
}
