// SPDX-License-Identifier: Apache-2.0
// Tables that were being rebuilt by hand: the new one has rows of the old one, or the old one is gone,
// and it has not got the old one's name; or it has that name, and the old one is still there under
// another.

import SQLiteFormat

/// A table that was to take the place of another one, with rows of that or still without.
struct CopiedTable {
  /// The table.
  let name: Name
  /// How many rows it has.
  let rows: Int
  /// The one whose place it was to take, by the name that it has now.
  let original: Name
  /// How many rows that has; nil where it is not there.
  let rowsOfOriginal: Int?

  /// Looks for one in a sound database; nil for none.
  init?(in survey: Survey) {
    guard let schema = survey.schema?.parsed.description else { return nil }
    let tables = survey.userTables
    for (name, table) in tables.sorted(by: { $0.key < $1.key }) {
      for form in RebuildName.incoming where table.records > 0 || form.isOdd {
        guard let original = form.table(of: name), original != name,
          !Self.hasLifeOfItsOwn(name, schema)
        else { continue }
        let other = tables[original]
        let isView = schema.views.contains { $0.name == original }
        guard
          other == nil
            ? table.records > 0 && form.isOdd && !isView
            : Self.hasRows(name, of: original, in: survey)
        else { continue }
        (self.name, self.original) = (name, original)
        (rows, rowsOfOriginal) = (table.records, other?.records)
        return
      }
    }
    return nil
  }

  /// Looks in a sound database for one that has its name already, while the old one has been moved out
  /// of its way and was not dropped; nil for none.
  ///
  /// A table that is renamed stays where it stands in the schema: what an app puts aside from a table
  /// stands behind that.
  init?(besideMovedIn survey: Survey) {
    let tables = survey.userTables
    let order = (survey.schema?.entries ?? []).filter { $0.kind == .table }.map(\.name)
    for original in tables.keys.sorted() {
      for form in RebuildName.outgoing {
        guard let name = form.table(of: original), let rows = tables[name]?.records, rows > 0,
          let moved = order.firstIndex(of: original), let made = order.firstIndex(of: name),
          moved < made, Self.hasRows(name, of: original, in: survey)
        else { continue }
        (self.name, self.original, self.rows) = (name, original, rows)
        rowsOfOriginal = tables[original]?.records
        return
      }
    }
    return nil
  }

  /// Whether something in the schema needs a table under the name that it has.
  private static func hasLifeOfItsOwn(_ name: Name, _ schema: SchemaDescription) -> Bool {
    let table = schema.tables.first { $0.name == name }
    guard let table, table.kind == .ordinary else { return true }
    return !schema.users(of: name).isEmpty || schema.triggers.contains { $0.table == name }
      || table.indexes.contains { $0.origin == .created }
  }

  /// Whether a table has the columns of another one, and no rows but the first of that, under the
  /// same numbers: so a copy begins.
  private static func hasRows(_ copy: Name, of original: Name, in survey: Survey) -> Bool {
    guard let image = survey.image, let (mine, theirs) = trees(copy, original, in: survey),
      mine.records <= theirs.records, let own = survey.schema?.table(named: copy),
      let other = survey.schema?.table(named: original),
      let key = own.rowIDColumn, key == other.rowIDColumn
    else { return false }
    let shared = own.places.compactMap { name, place in
      other.places[name].map { (mine: place, theirs: $0) }
    }
    guard !shared.isEmpty, shared.count == min(own.places.count, other.places.count) else {
      return false
    }
    let (copied, given) = (image.firstRows(of: mine), image.firstRows(of: theirs))
    return zip(copied, given).allSatisfy { copied, given in
      copied.rowID == given.rowID
        && shared.allSatisfy { places in
          guard let value = given.record.value(places.theirs) else { return true }
          return copied.record.value(places.mine) == value
        }
    }
  }

  private static func trees(
    _ copy: Name, _ original: Name, in survey: Survey
  ) -> (TreeSurvey, TreeSurvey)? {
    guard let mine = survey.tree(named: copy), let theirs = survey.tree(named: original),
      mine.isRowIDTable, theirs.isRowIDTable
    else { return nil }
    return (mine, theirs)
  }
}

extension TableDescription {
  /// Where in a record its columns lie, but for the one that is the rowid.
  fileprivate var places: [Name: Int] {
    Dictionary(
      storageOrder.enumerated().compactMap { place, position in
        position == rowIDAlias || !columns.indices.contains(position)
          ? nil : (columns[position].name, place)
      }, uniquingKeysWith: { first, _ in first })
  }
}

extension Image {
  /// How many rows are enough to tell a copy.
  private static let rowsMax = 256

  /// The first rows of a table.
  fileprivate func firstRows(of table: TreeSurvey) -> [StoredRecord] {
    guard let root = table.root else { return [] }
    var rows: [StoredRecord] = []
    forEachRecord(ofTree: root, isTable: true) { stored in
      rows.append(stored)
      return rows.count < Self.rowsMax
    }
    return rows
  }
}
