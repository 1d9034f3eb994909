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
    func byName(_ pairs: [TablePair]) -> [Name: TablePair] {
      Dictionary(pairs.map { ($0.old, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let children = byName(comparable)
    // What becomes of those that refer to them is not theirs, where the rows of parents may come and go.
    let parents = children.merging(byName(freeByContract)) { first, _ in first }
    let tables = Dictionary(
      before.schema.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return before.schema.tables.flatMap { table in
      table.foreignKeys.compactMap { key -> Link? in
        guard let child = children[table.name], let parent = parents[key.table],
          let referenced = tables[key.table]
        else { return nil }
        return MovedLinks(
          from: Side(pair: child, table: table), key.columns,
          to: Side(pair: parent, table: referenced), key.referenced(in: referenced)
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

/// A table on one side of a reference.
private struct Side {
  let pair: TablePair
  /// As it was before.
  let table: TableDescription
}

/// References that lead to other rows than before.
private struct MovedLinks {
  /// How many there are, at least.
  let count: Int

  /// Compares where rows lead, told by what they and their parents hold and not by their ids; nil where
  /// the parents have the ids that they had, or too little of what rows hold has stayed.
  ///
  /// Rows may have come. Parents that have the same ids, but the texts that they hold in other rows, have
  /// been given the ids of each other, and so have those that have several of their columns in other rows
  /// together; numbers of one column that stand in other rows may be an order that was changed.
  init?(from child: Side, _ columns: [Name], to parent: Side, _ referenced: [Name]) {
    let all = [child.pair.then, child.pair.now, parent.pair.then, parent.pair.now]
    guard all.allSatisfy(\.sample.isWhole), columns.count == referenced.count,
      child.pair.then.rows <= child.pair.now.rows, parent.pair.then.rows <= parent.pair.now.rows,
      let keys = Reading(parent, referenced), keys.keepsContents, !keys.contents.isEmpty,
      !keys.keepsKeys || keys.hasContentsInOtherRows, let links = Reading(child, columns)
    else { return nil }
    // What the rows are called themselves may be new, too.
    let told = links.keepsContents ? links : links.without(child.pair.then.keyNames)
    guard told.keepsContents else { return nil }
    let then = Self.links(told.then, keys.then)
    let now = Self.links(told.now, keys.now)
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

/// The rows of a table by some of its columns, with what of the rest has stayed.
private struct Reading {
  struct Row {
    let key: [UInt32]
    let content: UInt64
  }

  /// A column, by its places before and now.
  struct Place {
    let name: Name
    let old: Int
    let new: Int
  }

  private let side: Side
  private let keys: [Place]
  /// The columns that have what they had, whatever came besides; references to other rows are not
  /// among them, which may have followed these.
  let contents: [Place]
  let then: [Row]
  let now: [Row]

  /// Reads the rows of before and of now; nil where a column is not there any more.
  init?(_ side: Side, _ key: [Name]) {
    let pair = side.pair
    func place(_ name: Name) -> Place? {
      guard let old = pair.then.columns.firstIndex(where: { $0.name == name }),
        let new = pair.now.columns.firstIndex(where: {
          $0.name == pair.name(of: pair.then.columns[old])
        })
      else { return nil }
      return Place(name: name, old: old, new: new)
    }
    let keys = key.compactMap(place)
    guard keys.count == key.count else { return nil }
    let references = Set(side.table.foreignKeys.flatMap(\.columns) + key)
    let contents = pair.then.columns.filter { !references.contains($0.name) && $0.isTelling }
      .compactMap { place($0.name) }
      .filter { place in
        Counts(pair.then.sample.rows.map { $0[at: place.old] })
          .isWithin(Counts(pair.now.sample.rows.map { $0[at: place.new] }))
      }
    self.init(side, keys, contents)
  }

  private init(_ side: Side, _ keys: [Place], _ contents: [Place]) {
    (self.side, self.keys, self.contents) = (side, keys, contents)
    then = Self.rows(of: side.pair.then, keys.map(\.old), contents.map(\.old))
    now = Self.rows(of: side.pair.now, keys.map(\.new), contents.map(\.new))
  }

  /// The same, told without some of the columns.
  func without(_ columns: [Name]) -> Reading {
    Reading(side, keys, contents.filter { !columns.contains($0.name) })
  }

  /// Whether what rows held together is still held together.
  var keepsContents: Bool { Counts(then.map(\.content)).isWithin(Counts(now.map(\.content))) }

  /// Whether every key is still there.
  var keepsKeys: Bool { Counts(then.map(\.key)).isWithin(Counts(now.map(\.key))) }

  /// Whether rows of other keys than before hold what most rows can be told apart by.
  var hasContentsInOtherRows: Bool { hasTextsInOtherRows || hasColumnsInOtherRows }

  /// Whether texts by which most rows can be told apart are in rows of other keys than before.
  private var hasTextsInOtherRows: Bool {
    let texts = Set(
      side.table.columns.filter { [.text, .blob].contains(Affinity(declaredType: $0.type)) }
        .map(\.name))
    let told = without(contents.map(\.name).filter { !texts.contains($0) })
    guard !told.contents.isEmpty, Set(told.then.map(\.content)).count * 2 > told.then.count else {
      return false
    }
    let now = Dictionary(
      told.now.map { ($0.key, $0.content) }, uniquingKeysWith: { first, _ in first })
    let others = told.then.count { row in now[row.key].map { $0 != row.content } ?? false }
    // One may have got another name, and a new row the one that it had.
    return others > 1
  }

  /// Whether what all columns hold together, by which most rows can be told apart, is in rows of other
  /// keys than before, of which most differ in two columns at least.
  private var hasColumnsInOtherRows: Bool {
    guard contents.count > 1, Set(then.map(\.content)).count * 2 > then.count else { return false }
    let places = Dictionary(
      zip(now.map(\.key), side.pair.now.sample.rows), uniquingKeysWith: { first, _ in first })
    let changes = zip(then.map(\.key), side.pair.then.sample.rows).compactMap { key, old in
      places[key].map { new in
        contents.count { old[at: $0.old] != new[at: $0.new] }
      }
    }
    .filter { $0 > 0 }
    return changes.count > 1 && changes.count(where: { $0 > 1 }) * 2 > changes.count
  }

  private static func rows(of figures: TableFigures, _ key: [Int], _ contents: [Int]) -> [Row] {
    figures.sample.rows.map { row in
      var hash = ContentHash()
      for place in contents { hash.add(UInt64(row[at: place])) }
      return Row(key: key.map { row[at: $0] }, content: hash.value)
    }
  }
}

/// How often values occur.
private struct Counts<Value: Hashable> {
  private let counts: [Value: Int]

  init(_ values: [Value]) {
    counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
  }

  /// Whether each value occurs as often in others.
  func isWithin(_ others: Counts) -> Bool {
    counts.allSatisfy { others.counts[$0.key, default: 0] >= $0.value }
  }
}
