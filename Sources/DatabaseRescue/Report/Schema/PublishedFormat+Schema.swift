// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of each published format, as `dbrescue schema` prints it.

import Diagnosis
import SQLiteFormat

extension PublishedFormat {
  /// The JSON Schema (draft 2020-12), as a text.
  package var schemaText: String {
    (self == .contract ? Contract.jsonSchema : schema.indented) + "\n"
  }

  /// The same as a reference page in Markdown.
  package var referencePage: String {
    let head = [
      "# \(schema["title"]?.text ?? name)", "",
      "`dbrescue schema \(rawValue) --markdown` prints this page; without `--markdown`, the JSON Schema.",
      "[formats.md](../formats.md) says what the documents are for.", "",
    ]
    let tail = self == .playbook ? Self.playbookWords : []
    return (head + SchemaPage(schema).markdown + tail).dropLast().joined(separator: "\n") + "\n"
  }

  private var schema: JSON {
    switch self {
    case .report:
      JSONShape.schema(
        "dbrescue report, version \(version)", oneOf: Array(ReportShapes.documents.keys),
        ReportShapes.documents.merging(ReportShapes.parts) { $1 }
          .merging(LogShapes.documents) { $1 }.merging(LogShapes.parts) { $1 })
    case .log:
      JSONShape.schema(
        "dbrescue run log, one line, version \(version)", oneOf: Array(LogShapes.documents.keys),
        LogShapes.documents.merging(LogShapes.parts) { $1 })
    case .contract: JSON(reading: Bytes(Contract.jsonSchema.utf8)) ?? .null
    case .playbook: Self.playbookSchema
    }
  }

  private static var playbookSchema: JSON {
    let shape = PlaybookReader.shape.published(saying: PlaybookReader.words).schema
    return .object(
      shape.members.merging([
        "$schema": .string(JSONShape.draft), "title": "dbrescue playbook",
        "description": "JSON5 is read: comments and trailing commas are welcome.",
      ]) { $1 })
  }

  /// What a playbook can do, and ask for.
  private static var playbookWords: [String] {
    let actions = PlaybookAction.allCases.map { "| `\($0.rawValue)` | \($0.meaning) |" }
    let facts = PlaybookFact.allCases.map { fact in
      "| `\(fact.name)` | \(fact.kind.words) | \(fact.meaning.replacing("|", with: "\\|")) |"
    }
    return ["## Actions", "", "| action | what it does |", "|---|---|"] + actions
      + ["", "## Facts", "", "| fact | value | what it says |", "|---|---|---|"] + facts + [""]
  }
}

extension PlaybookFact.Kind {
  /// What the fact may be, in a few words.
  fileprivate var words: String {
    switch self {
    case .flag: "1 or 0"
    case .integer: "whole number"
    case .real: "number"
    case .words(let words) where words.count > 24: "text such as `'\(words[0])'`"
    case .words(let words): words.map { "`'\($0)'`" }.joined(separator: " ")
    case .text: "text"
    }
  }
}
