// SPDX-License-Identifier: Apache-2.0
// Indexes that another index, or the table itself, does the work of.

import SQLiteFormat

enum DuplicateIndexesAdvice: Adviser {
  static let kind = AdviceKind.duplicateIndexes
  static let words = AdviceWords(
    title: "indexes are there twice",
    costs: "Each is kept up with every change of its table, and takes its pages in the file, in "
      + "backups and in the cache.",
    action:
      "Drop the one that the other does the work of, and its statement from the app's schema.",
    unless: "Keep it where a query names it with INDEXED BY, or where it is much smaller than the "
      + "one that begins with it and is scanned as a whole.")

  static func trait(of basis: AdviceBasis) -> AdviceTrait? {
    let found = basis.tables.flatMap { table in
      table.indexes.enumerated().compactMap { position, index -> (index: Name, by: String)? in
        basis.isNamedInQueries(index.name)
          ? nil : table.substitute(for: index, at: position).map { (index.name, $0) }
      }
    }.map { ($0.index, $0.by, basis.measure(of: $0.index)?.pages ?? 0) }.sorted { $0.2 > $1.2 }
    guard !found.isEmpty else { return nil }
    let pages = found.reduce(0) { $0 + $1.2 }
    return AdviceTrait(
      found: "\(counted(found.count, "index does", "indexes do")) what another does as well, on "
        + "\(counted(pages, "page", "pages")) with \(grouped(pages * basis.pageSize)) bytes",
      figures: ["indexes": found.count, "pages": pages, "bytes": pages * basis.pageSize],
      places: found.map { name, substitute, pages in
        Advice.Place(
          object: name.text, message: "\(counted(pages, "page", "pages")); \(substitute)",
          sql: "DROP INDEX \(name.quotedIdentifier);")
      })
  }
}

extension AdviceBasis {
  /// Whether a view or trigger may say INDEXED BY this index: without it, that fails.
  fileprivate func isNamedInQueries(_ index: Name) -> Bool {
    (survey.schema?.entries ?? []).contains { entry in
      guard entry.kind == .view || entry.kind == .trigger, let sql = entry.sql?.lowercased() else {
        return false
      }
      return sql.contains("indexed") && sql.contains(index.text.lowercased())
    }
  }
}

extension TableDescription {
  /// What does the work of an index, in words; nil where nothing does.
  ///
  /// Only indexes that were made by a statement of their own can be dropped. One that refuses
  /// duplicates is needed for that, unless the other refuses the same ones.
  fileprivate func substitute(for index: IndexDescription, at position: Int) -> String? {
    guard index.origin == .created else { return nil }
    if index.predicate == nil, let rowIDColumn, index.columns.count == 1,
      index.columns[0].name == rowIDColumn
    {
      return "its column is the rowid, which needs no index"
    }
    for (place, other) in indexes.enumerated() where place != position {
      guard index.predicate == other.predicate, other.columns.starts(with: index.columns) else {
        continue
      }
      let isSame = index.columns.count == other.columns.count
      if index.unique, !(isSame && other.unique) { continue }
      // Of two that are the same, the first one stays, and one that a constraint needs before it.
      if isSame, other.origin == .created, index.unique == other.unique, place > position {
        continue
      }
      let what = other.origin == .primaryKey ? "the primary key" : "'\(other.name)'"
      return "\(what) \(isSame ? "has the same columns" : "begins with its columns")"
    }
    return nil
  }
}
