// SPDX-License-Identifier: Apache-2.0
// What a measurement can be told.

import DatabaseRescue

/// What a measurement can be told.
struct Options {
  /// Whether the database is small, for a quick look.
  var isSmall = false
  /// How often each thing is measured.
  var runs = 3
  /// Where the databases are.
  var folder: FilePath

  /// Understands the words of a command line.
  init(_ words: inout [String]) throws {
    folder = FilePath(World().environment["TMPDIR"] ?? "/tmp").appending("dbrescue-bench")
    while !words.isEmpty {
      switch words.removeFirst() {
      case "--small": isSmall = true
      case "--runs":
        guard let number = Int(words.first ?? ""), (1...1000).contains(number) else {
          throw UsageError(message: "--runs needs a number from 1 on")
        }
        runs = number
        words.removeFirst()
      case "--folder":
        guard !words.isEmpty else { throw UsageError(message: "--folder needs a path") }
        folder = FilePath(words.removeFirst())
      case let word: throw UsageError(message: "'\(word)' is not understood")
      }
    }
  }
}

/// A command line that cannot be understood.
struct UsageError: Error {
  let message: String
}
