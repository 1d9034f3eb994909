// SPDX-License-Identifier: Apache-2.0
// Which row each row refers to, where the rows that are referred to have other ids than before: what
// refers to them has to follow.

import SQLiteFormat

extension StateComparison {
  /// A reference of one table to another one whose rows have other ids than before.
  struct Link {
    let child: TablePair
    let parent: TablePair
    /// The columns of the child.
    let columns: [Name]
    /// How many rows lead to others than before, at least.
    let moved: Int
  }

  /// Compares where rows of tables lead whose parents have other ids than before.
  func findLinks() -> [Link] {
    let pairs = Dictionary(
      comparable.map { ($0.old, $0) }, uniquingKeysWith: { first, _ in first })
    let tables = Dictionary(
      before.schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return before.schema.tables.flatMap { table in
      table.foreignKeys.compactMap { key -> Link? in
        guard let child = pairs[table.name], let parent = pairs[key.table] else { return nil }
        let referenced = key.referenced(in: tables[key.table])
        // Numbers that stand in other rows may be an order that was changed; texts are what rows are.
        let texts = tables[key.table]?.columns.filter {
          !referenced.contains($0.name) && [.text, .blob].contains(Affinity(declaredType: $0.type))
        }
        return MovedLinks(
          from: child, key.columns, to: parent, referenced, byContents: texts?.isEmpty == false
        ).map { Link(child: child, parent: parent, columns: key.columns, moved: $0.count) }
      }
    }
  }

  /// Rows that refer to other rows than before, as their parents were numbered anew and they were not.
  var linkProblems: [String] {
    links.filter { $0.moved > 0 }.map { link in
      "\(counted(link.moved, "row")) of '\(link.child.new)' "
        + "\(link.moved == 1 ? "refers" : "refer") to other rows of '\(link.parent.new)' than before, "
        + "whose ids are others now"
    }
  }
}

/// References that lead to other rows than before.
private struct MovedLinks {
  /// How many there are, at least.
  let count: Int

  /// Compares where rows lead, told by what they and their parents hold and not by their ids; nil where
  /// the parents have the ids that they had, or what rows hold has changed, too.
  ///
  /// Where `byContents`, parents that have the same ids, but what they hold in other rows, have been given
  /// the ids of each other.
  init?(
    from child: TablePair, _ columns: [Name], to parent: TablePair, _ referenced: [Name],
    byContents: Bool
  ) {
    let all = [child.then, child.now, parent.then, parent.now]
    guard all.allSatisfy({ $0.sample.level == 0 }), columns.count == referenced.count,
      child.then.rows == child.now.rows, parent.then.rows == parent.now.rows,
      byContents && parent.hasMixedRows
        || parent.then.columns.contains(where: {
          referenced.contains($0.name) && parent.column($0)?.sum != $0.sum
        }),
      let links = Reading(child, columns), let keys = Reading(parent, referenced)
    else { return nil }
    guard !keys.contents.isEmpty, links.keepsContents, keys.keepsContents else { return nil }
    let then = Self.links(links.then, keys.then)
    let now = Self.links(links.now, keys.now)
    let moved = then.counts.reduce(0) { $0 + max(0, $1.value - (now.counts[$1.key] ?? 0)) }
    count = max(0, moved - now.unknown)
  }

  /// How often what a row holds leads to what another holds, and of how many that cannot be told.
  private static func links(
    _ children: [Reading.Row], _ parents: [Reading.Row]
  ) -> (counts: [UInt64: Int], unknown: Int) {
    let contents = Dictionary(
      parents.map { ($0.key, Optional($0.content)) }, uniquingKeysWith: { _, _ in nil })
    var (counts, unknown) = ([UInt64: Int](), 0)
    for child in children where !child.key.contains(RowSample.null) {
      guard let parent = contents[child.key] ?? nil else {
        unknown += 1
        continue
      }
      var hash = ContentHash()
      hash.add(child.content)
      hash.add(parent)
      counts[hash.value, default: 0] += 1
    }
    return (counts, unknown)
  }
}

/// The rows of a table by some of its columns, with what of the rest is as before.
private struct Reading {
  struct Row {
    let key: [UInt32]
    let content: UInt64
  }

  /// The columns that have what they had, by their places before and now.
  let contents: [(old: Int, new: Int)]
  let then: [Row]
  let now: [Row]

  /// Reads the rows of before and of now; nil where a column is not there any more.
  init?(_ pair: TablePair, _ key: [Name]) {
    func place(_ name: Name) -> (old: Int, new: Int)? {
      guard let old = pair.then.columns.firstIndex(where: { $0.name == name }),
        let new = pair.now.columns.firstIndex(where: {
          $0.name == pair.name(of: pair.then.columns[old])
        })
      else { return nil }
      return (old, new)
    }
    let keys = key.compactMap(place)
    guard keys.count == key.count else { return nil }
    contents = pair.then.columns.compactMap { column in
      let other = pair.column(column)
      return !key.contains(column.name) && column.isTelling && other?.sum == column.sum
        && other?.nulls == column.nulls ? place(column.name) : nil
    }
    then = Self.rows(of: pair.then, keys.map(\.old), contents.map(\.old))
    now = Self.rows(of: pair.now, keys.map(\.new), contents.map(\.new))
  }

  /// Whether the rows hold together what they held together.
  var keepsContents: Bool {
    func counts(_ rows: [Row]) -> [UInt64: Int] {
      Dictionary(rows.map { ($0.content, 1) }, uniquingKeysWith: +)
    }
    return counts(then) == counts(now)
  }

  private static func rows(of figures: TableFigures, _ key: [Int], _ contents: [Int]) -> [Row] {
    figures.sample.rows.map { row in
      var hash = ContentHash()
      for place in contents { hash.add(UInt64(row[row.startIndex + place])) }
      return Row(key: key.map { row[row.startIndex + $0] }, content: hash.value)
    }
  }
}
