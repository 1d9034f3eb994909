// SPDX-License-Identifier: Apache-2.0
// The roots of a schema that was lost: where SQLite puts them when it makes the given one.
//
//   CREATE TABLE note (…);            page 2
//   CREATE TABLE tag (… UNIQUE …);    page 3, and the automatic index on page 4
//   CREATE INDEX by_date ON note …;   page 5

import SQLiteFormat

/// Where the root of each object lies in a new database in which a schema was made at once.
private struct RootLayout: Hashable {
  /// The roots by what their entries are known by, in the order of the pages.
  private(set) var roots: [(key: Name, page: Int)] = []

  /// The layouts that a schema can have: all tables before the indexes, and each table with its own, as
  /// frameworks make them.
  ///
  /// Before them stand the first pointer map, and the one table that Android makes in each database. The
  /// module of a virtual table makes tables, too: what comes behind one is not laid out.
  static func all(of expected: [SchemaEntry], _ schema: SchemaDescription) -> Set<RootLayout> {
    let declared = Dictionary(schema.tables.map { ($0.name, $0) }) { first, _ in first }
    let all = expected.filter { $0.kind == .table }
    let tables = Array(all.prefix { declared[$0.name]?.kind == .ordinary })
    let indexes = expected.filter { $0.kind == .index }
    let byTable = tables.flatMap { table in [table] + indexes.filter { $0.table == table.name } }
    return Set(
      [tables + (tables.count < all.count ? [] : indexes), byTable].flatMap { entries in
        (2...4).map { RootLayout(entries, from: $0, declared) }
      })
  }

  /// Lays out entries in their order.
  private init(_ entries: [SchemaEntry], from first: Int, _ tables: [Name: TableDescription]) {
    var (next, hasCounters) = (first, false)
    func add(_ entry: SchemaEntry) {
      roots.append((entry.key, next))
      next += 1
    }
    for entry in entries {
      add(entry)
      guard entry.kind == .table, let table = tables[entry.name] else { continue }
      for index in table.automaticIndexes { add(index) }
      // SQLite makes the table of the counters behind the first one that needs it.
      if table.autoincrement, !hasCounters { (hasCounters, next) = (true, next + 1) }
    }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.roots.elementsEqual(right.roots) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    for root in roots { hasher.combine(root.page) }
  }
}

extension SchemaListing {
  /// How many objects a layout must explain, at least.
  private static let objectsMin = 3
  /// Of how many objects the roots are looked for.
  private static let objectsMax = 256

  /// Gives the objects of a schema that was lost the roots that they have where it was made at once,
  /// as far as the pages there bear that out.
  ///
  /// Of the tables that could stand in each other's place, at least as many show that the order is that
  /// of the file as show nothing.
  mutating func completeInOrder(
    of expected: [SchemaEntry], _ parsed: ParsedSchema, in image: Image
  ) {
    guard image.hasPageNumbers, !expected.isEmpty, entries.count <= Self.objectsMax,
      entries.allSatisfy({ $0.root == nil })
    else { return }
    let children = image.children
    let found = RootLayout.all(of: expected, parsed.description)
      .map { rooted(in: $0, parsed, image, children) }.filter { !$0.isEmpty }
    guard let best = found.max(by: { $0.count < $1.count }),
      found.count(where: { $0.count == best.count }) == 1
    else { return }
    rootsInOrder = best.count
    for (place, root) in best {
      entries[place] = entries[place].with(root: root, sql: entries[place].sql)
    }
  }

  /// The objects that have their root where a layout says, by their places; none where too little
  /// speaks for it.
  private func rooted(
    in layout: RootLayout, _ parsed: ParsedSchema, _ image: Image, _ children: PageSet
  ) -> [Int: PageNumber] {
    let places = Dictionary(entries.enumerated().map { ($1.key, $0) }) { first, _ in first }
    var found: [(place: Int, entry: SchemaEntry, isTold: Bool)] = []
    for (key, page) in layout.roots {
      guard let place = places[key], let number = PageNumber(page) else { continue }
      let entry = entries[place].with(root: number, sql: nil)
      // What was destroyed says nothing.
      guard let root = try? image.btreePage(number) else { continue }
      let isTold = parsed.isBorneOut(entry, in: image)
      guard !children.contains(number), isTold || parsed.mayHaveEmptied(entry, root) else { break }
      found.append((place, entry, isTold))
    }
    func holdsRows(_ entry: SchemaEntry) -> Bool { entry.kind == .table }
    func fits(_ entry: SchemaEntry, at other: SchemaEntry) -> Bool {
      parsed.isBorneOut(entry.with(root: other.root, sql: nil), in: image)
    }
    let told = found.filter(\.isTold).map(\.entry)
    let tables = told.filter(holdsRows)
    var (alike, different) = (0, 0)
    for (place, table) in tables.enumerated() {
      for other in tables[..<place]
      where parsed.isKeyed(table) == parsed.isKeyed(other) {
        if fits(table, at: other), fits(other, at: table) { alike += 1 } else { different += 1 }
      }
    }
    guard told.count >= Self.objectsMin, different >= alike else { return [:] }
    // A table that is not where it should be may be what lies in the place of another one.
    let known = Set(found.map(\.place))
    let others = entries.indices.filter { !known.contains($0) && holdsRows(entries[$0]) }
    return found.reduce(into: [:]) { roots, object in
      let isOnly =
        !holdsRows(object.entry) || !others.contains { fits(entries[$0], at: object.entry) }
      if isOnly { roots[object.place] = object.entry.root }
    }
  }
}

extension ParsedSchema {
  /// Whether a table keeps its rows by their key.
  fileprivate func isKeyed(_ entry: SchemaEntry) -> Bool {
    table(named: entry.table)?.withoutRowID == true
  }
}
