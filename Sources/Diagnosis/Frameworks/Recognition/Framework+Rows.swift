// SPDX-License-Identifier: Apache-2.0
// The rows that a framework has in its own tables where its book says what a contract knows of it.

package import SQLiteFormat

extension Framework {
  /// The tables of the frameworks of a database that hold nothing but what these note of themselves:
  /// rows that somebody makes up would tell of migrations, or of locks, that there never were.
  package static func ownTables(in schema: SchemaDescription) -> Set<Name> {
    let tables = schema.tables.map { (name: $0.name, columns: $0.columns.map(\.name)) }
    return Set(
      detect(in: tables).flatMap { match in
        let sheet = match.framework.sheet
        return (sheet.book.map { [$0.table] } ?? []) + sheet.unfinished.map(\.table)
      })
  }

  /// The rows by which the framework notes what a book says, as far as it names their columns; nil
  /// where the book has nothing that rows could be made of.
  package func rows(for book: FrameworkBook) -> (table: Name, rows: [[Name: Value]])? {
    guard let place = sheet.book else { return nil }
    var common: [Name: Value] = [:]
    for condition in place.counts { common[condition.column] = condition.example }
    func row(_ names: [Value]) -> [Name: Value] {
      common.merging(zip(place.names, names)) { _, name in name }
    }
    switch place.kind {
    case .model: return nil
    case .mark:
      return book.identityHash.map { (place.table, [row([.text(Bytes($0.utf8))])]) }
    case .list, .set, .last, .heads, .number:
      guard let migrations = book.migrations else { return nil }
      let rows = migrations.map { name in
        row(
          name.split(
            separator: ".", maxSplits: place.names.count - 1, omittingEmptySubsequences: false
          ).map { .text(Bytes($0.utf8)) })
      }
      return (place.table, rows)
    }
  }
}

extension RowCondition {
  /// A value for which it is true; nil where any will do, or none is known.
  fileprivate var example: Value? {
    switch test {
    case .isTrue, .isNotNull: .integer(1)
    case .isFalse, .lacksBits: .integer(0)
    case .isNull: .null
    case .equals(let number): .integer(number)
    case .isText(let text): .text(Bytes(text.utf8))
    case .isAny, .isNotText, .isLess: nil
    }
  }
}
