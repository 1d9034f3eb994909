// SPDX-License-Identifier: Apache-2.0
// The log that an image is read with.

import SQLiteFormat

/// A log that is there and is not applied.
struct LogNotApplied: Error {
  let state: String
}

extension Image {
  /// The log that is applied.
  ///
  /// - Throws: ``LogNotApplied`` where none is.
  var appliedLog: WriteAheadLog {
    get throws {
      guard case .applied(let log) = wal else { throw LogNotApplied(state: "\(wal)") }
      return log
    }
  }
}
