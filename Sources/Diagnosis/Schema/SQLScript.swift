// SPDX-License-Identifier: Apache-2.0
// A script cut into its statements, each with its line: before SQLite has seen any of it.

import SQLiteFormat

/// A script cut into its statements.
package struct SQLScript: Hashable, Sendable {
  /// One statement of a script.
  package struct Statement: Hashable, Sendable {
    /// Its text, without the semicolon.
    package let text: String
    /// The line that it begins on, from 1.
    package let line: Int
    /// Its tokens, as far as they tell what kind of statement it is.
    package let head: SQLTokens
  }

  /// How many tokens tell what kind of statement it is.
  private static let headMax = 8

  /// The statements.
  package let statements: [Statement]

  /// Cuts a script as SQLite does: at the semicolons that stand in no text and in no trigger.
  package init(_ script: String) {
    let text = Bytes(script.utf8)
    var cutter = Cutter(text)
    SQLTokens.scan(text) { cutter.take($0, $1) }
    cutter.endStatement(at: text.count)
    statements = cutter.statements
  }

  private struct Cutter {
    private let text: Bytes
    private(set) var statements: [Statement] = []
    private var head: [SQLToken] = []
    private var start: Int?
    /// The two tokens before.
    private var last: (SQLToken?, SQLToken?)
    /// How many lines there are before `counted`.
    private var line = 1
    private var counted = 0

    init(_ text: Bytes) {
      self.text = text
    }

    mutating func take(_ token: SQLToken, _ range: Range<Int>) {
      defer { last = (last.1, token) }
      if token == .symbol(";"), !isInTrigger { return endStatement(at: range.lowerBound) }
      if start == nil { start = range.lowerBound }
      if head.count < SQLScript.headMax { head.append(token) }
    }

    /// Whether a semicolon ends a statement of a trigger, and not the trigger.
    private var isInTrigger: Bool {
      var words = head[...]
      guard words.popFirst()?.isWord("create") == true else { return false }
      if let next = words.first, next.isWord("temp") || next.isWord("temporary") {
        words.removeFirst()
      }
      guard words.first?.isWord("trigger") == true else { return false }
      return !(last.0 == .symbol(";") && last.1?.isWord("end") == true)
    }

    mutating func endStatement(at end: Int) {
      defer { (start, head) = (nil, []) }
      guard let start else { return }
      line += text[counted..<start].count { $0 == UInt8(ascii: "\n") }
      counted = start
      statements.append(
        Statement(
          text: String(decoding: text[start..<end], as: UTF8.self), line: line,
          head: SQLTokens(head)))
    }
  }
}
