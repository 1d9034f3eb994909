// SPDX-License-Identifier: Apache-2.0
// What a measurement can be told.

import DatabaseRescue

/// What a measurement can be told.
struct Options {
  /// Whether the database is small, for a quick look.
  var isSmall = false
  /// The word that must be in the name of what is measured; nil for everything.
  var only: String?
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
      case "--only":
        guard !words.isEmpty else { throw UsageError(message: "--only needs a word") }
        only = words.removeFirst()
      case "--folder":
        guard !words.isEmpty else { throw UsageError(message: "--folder needs a path") }
        folder = FilePath(words.removeFirst())
      case let word: throw UsageError(message: "'\(word)' is not understood")
      }
    }
  }
}

extension Options {
  /// Whether a piece of work is to be measured, with those of its group.
  func isWanted(_ name: String) -> Bool { only.map { name.contains($0) } ?? true }
}

/// A command line that cannot be understood.
struct UsageError: Error {
  let message: String
}
