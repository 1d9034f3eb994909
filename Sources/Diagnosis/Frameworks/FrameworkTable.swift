// SPDX-License-Identifier: Apache-2.0
// The rows of a table in which a framework keeps its books, by the few columns that tell something.

import SQLiteFormat

/// A table of a framework in a database.
struct FrameworkTable {
  /// The most rows of a book that are read.
  private static let rowsMax = 10_000

  private let survey: Survey
  private let tree: TreeSurvey
  private let shape: RowShape
  private let places: [Name: Int]

  /// A table with these columns; nil where there is none that can be read as a whole.
  ///
  /// The tables of an app, which frameworks mark, may have any number of rows.
  init?(_ table: Name, _ columns: [Name], in survey: Survey, isBook: Bool = true) {
    guard let tree = survey.tree(named: table), tree.isReadable,
      !isBook || tree.records <= Self.rowsMax,
      let shape = survey.schema?.shape(ofTable: table)
    else { return nil }
    var places: [Name: Int] = [:]
    for column in columns {
      guard let place = shape.stored.firstIndex(where: { $0.name == column }) else { return nil }
      places[column] = place
    }
    self.survey = survey
    self.tree = tree
    self.shape = shape
    self.places = places
  }

  /// The name, as it is in the file.
  var name: Name { tree.entry.name }

  /// Whether anything is true of a row.
  func any(where isTrue: ([Name: Value]) -> Bool) -> Bool {
    var isFound = false
    forEach { row in
      isFound = isTrue(row)
      return !isFound
    }
    return isFound
  }

  /// Calls `body` with what can be read of each row, by column, until it returns false; texts are in
  /// UTF-8.
  func forEach(_ body: ([Name: Value]) -> Bool) {
    guard let image = survey.image, let root = tree.root else { return }
    image.forEachRecord(ofTree: root, isTable: tree.isRowIDTable) { stored in
      let fields = Array(stored.record.fields)
      var row: [Name: Value] = [:]
      for (column, place) in places {
        row[column] = (try? shape.storedValue(at: place, of: fields, in: stored)).map(inUTF8)
      }
      return body(row)
    }
  }

  private func inUTF8(_ value: Value) -> Value {
    guard case .text(let bytes) = value else { return value }
    return .text(survey.encoding.string(bytes))
  }
}
