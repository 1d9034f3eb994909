// SPDX-License-Identifier: Apache-2.0
// The JSON Schema of each published format, as `dbrescue schema` prints it.

import Diagnosis

extension PublishedFormat {
  /// The JSON Schema (draft 2020-12), as a text.
  package var schemaText: String {
    switch self {
    case .report:
      JSONShape.schema(
        "dbrescue report", oneOf: Array(ReportShapes.documents.keys),
        ReportShapes.documents.merging(ReportShapes.parts) { $1 }
          .merging(LogShapes.documents) { $1 }.merging(LogShapes.parts) { $1 }
      ).indented + "\n"
    case .log:
      JSONShape.schema(
        "dbrescue run log, one line", oneOf: Array(LogShapes.documents.keys),
        LogShapes.documents.merging(LogShapes.parts) { $1 }
      ).indented + "\n"
    case .contract: Contract.jsonSchema + "\n"
    case .playbook: Self.playbookSchema.indented + "\n"
    }
  }

  private static var playbookSchema: JSON {
    let shape = PlaybookReader.shape.published.schema
    return .object(
      shape.members.merging([
        "$schema": .string(JSONShape.draft), "title": "dbrescue playbook",
        "description": "JSON5 is read: comments and trailing commas are welcome.",
      ]) { $1 })
  }
}
