// SPDX-License-Identifier: Apache-2.0
// The words of a command line, taken one by one until none is left.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A command line that cannot be understood.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}

/// The words that have not been understood yet.
struct ArgumentList {
  private var words: [String]

  init(_ words: [String]) {
    self.words = words
  }

  /// Takes the first word.
  mutating func positional(_ what: String) throws -> String {
    guard let first = words.first, !first.hasPrefix("-") else {
      throw UsageError("\(what) is missing")
    }
    return words.removeFirst()
  }

  /// Takes the first word as a path.
  mutating func file() throws -> FilePath {
    FilePath(try positional("the file"))
  }

  /// Takes a flag; false when it is not there.
  mutating func flag(_ name: String) -> Bool {
    guard let index = words.firstIndex(of: name) else { return false }
    words.remove(at: index)
    return true
  }

  /// Takes an option with a value that `read` understands; nil when it is not there.
  mutating func choice<Value>(_ name: String, _ read: (String) -> Value?) throws -> Value? {
    guard let index = words.firstIndex(of: name) else { return nil }
    guard words.indices.contains(index + 1), let value = read(words[index + 1]) else {
      throw UsageError("\(name) needs a value that it knows")
    }
    words.removeSubrange(index...(index + 1))
    return value
  }

  /// Takes an option with a whole number; nil when it is not there.
  mutating func number(_ name: String) throws -> Int? {
    try choice(name) { Int($0) }
  }

  /// Checks that everything has been understood.
  func finish() throws {
    if let word = words.first { throw UsageError("'\(word)' is not understood") }
  }
}

/// Writes to the standard error.
func standardError(_ text: String) {
  _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
}
