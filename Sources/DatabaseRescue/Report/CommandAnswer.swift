// SPDX-License-Identifier: Apache-2.0
// What a command answers: one value, of which JSON and lines for people are two renderings.

/// What a command answers: one value, rendered as one JSON document or as lines for people.
package protocol CommandAnswer {
  /// The status in which the command ends.
  var exitStatus: Int32 { get }

  /// The answer as a JSON document.
  ///
  /// - Throws: ``RescueError`` of kind `internal`, which is a defect.
  var document: JSON { get throws(RescueError) }

  /// The answer for people.
  var lines: [AnswerLine] { get }

  /// What is not as it should be, which is also said beside a document.
  var warnings: [StyledText] { get }
}

extension CommandAnswer {
  package var exitStatus: Int32 { 0 }
  package var warnings: [StyledText] { [] }
}

/// A line of an answer for people, with how much it matters.
package enum AnswerLine: Sendable {
  /// A line of the result.
  case result(StyledText)
  /// A line of the result for those who want to know everything.
  case detail(StyledText)
  /// A table of the result, which is made to fit the terminal.
  case table(TextTable)
  /// A line of the result that is to be pasted, and never cut.
  case pasted(String)
  /// What is said beside the result, unless quiet.
  case note(StyledText)
  /// What is said beside the result, also if quiet.
  case said(StyledText)
  /// What is said beside the result as a warning; one that a document has in another form.
  case warning(StyledText)
}

extension [AnswerLine] {
  /// Two columns of the result: what something is called, and what is said of it.
  static func pairs(_ pairs: [(label: StyledText, text: StyledText)]) -> [AnswerLine] {
    var table = TextTable([.text(""), .prose("")], isWrapped: true)
    for pair in pairs { table.add([pair.label, pair.text]) }
    return table.lines().map { .result($0) }
  }
}
