// SPDX-License-Identifier: Apache-2.0
// The entries of a schema, put together from the rows of a file and from what is known besides.

import SQLiteFormat

/// The entries of a schema on the way to being whole, each named once.
struct SchemaListing {
  /// The entries.
  var entries: [SchemaEntry] = []
  /// How many of them came from where.
  private(set) var sources: [SchemaSource: Int] = [:]
  /// Rows of the schema table that are none of a schema.
  private(set) var misfits = FaultList()
  /// The pages of the rows, by the name of what they declare.
  private(set) var rowPages: [Name: PageNumber] = [:]
  /// The places of the tables among those of the schema that was given.
  private(set) var order: [Name: Int] = [:]
  /// How many objects have the root that they have where the given schema was made at once.
  var rootsInOrder = 0
  /// What is wrong with the rows of the schema table.
  var review = SchemaRowReview()
  /// How many rows of the schema table declare what another one does.
  private(set) var doubled = 0
  /// Those of them between which their places do not decide, each with the entry of the other one.
  private var rivals: [(place: Int, rival: SchemaEntry)] = []

  /// Lists what the rows of a file say.
  init(of found: FoundSchemaRows, _ encoding: TextEncoding, in image: Image) {
    var known: [Name: (place: Int, isInPlace: Bool)] = [:]
    let rows = MendedSchemaRow.rows(of: found.records, encoding)
    for (position, stored) in found.records.enumerated() {
      let source = found.source(of: position)
      guard let row = rows[position] else {
        if source == .schemaTable {
          misfits.add(FormatError(.recordHeader, page: stored.page, offset: stored.offset))
        }
        continue
      }
      var entry = row.entry
      let other = known[entry.key]
      guard other == nil || source == .schemaTable else { continue }
      let isInPlace = found.isInPlace(position)
      let isBetter = other.map { isInPlace && !$0.isInPlace } ?? true
      if source == .schemaTable {
        review.add(entry, stored.record, besides: row.faults, isTwice: other != nil)
        if isBetter { rowPages[entry.name] = stored.page }
      }
      // Without page numbers no pointer leads anywhere.
      if !image.hasPageNumbers { entry = entry.with(root: nil, sql: entry.sql) }
      guard let other else {
        known[entry.key] = (entries.count, isInPlace)
        entries.append(entry)
        sources[source, default: 0] += 1
        continue
      }
      doubled += 1
      if isBetter {
        entries[other.place] = entry
        known[entry.key] = (other.place, isInPlace)
      } else if isInPlace == other.isInPlace, entry != entries[other.place] {
        rivals.append((other.place, entry))
      }
    }
  }

  /// How many rows that declare one object are compared by the rows of their trees, at most.
  private static let rivalsMax = 64

  /// Takes of two rows that declare one object, and lie equally well, the one that its tree bears
  /// out.
  mutating func settleRivals(in image: Image, by parser: any SchemaParsing) {
    for (place, rival) in rivals.prefix(Self.rivalsMax) {
      let owner = entries.first {
        $0.kind == .table && $0.name == rival.table && $0.key != rival.key
      }
      func isBorneOut(_ entry: SchemaEntry) -> Bool {
        parser.parse([owner, entry].compactMap(\.self)).isBorneOut(entry, in: image)
      }
      if isBorneOut(rival), !isBorneOut(entries[place]) { entries[place] = rival }
    }
  }

  /// The tables of indexes that no row declares.
  var missingTables: Set<Name> {
    let tables = Set(entries.filter { $0.kind == .table }.map(\.name))
    return Set(entries.filter { $0.kind == .index }.map(\.table)).subtracting(tables)
  }

  /// Adds what doubtful rows say, as far as the file bears it out.
  mutating func add(_ doubtful: DoubtfulSchema) {
    let borneOut = doubtful.borneOut(besides: entries)
    entries += borneOut
    sources[.doubtfulCell] = borneOut.isEmpty ? nil : borneOut.count
  }

  /// Fills what is missing, or cannot be believed, from what is expected and from mended statements,
  /// and has the result parsed; of what is expected, `onlyBetter` takes what the rows speak for.
  mutating func complete(
    _ parsed: inout ParsedSchema, from expected: [SchemaEntry], _ mending: MendedSchema,
    onlyBetter: Bool, by parser: any SchemaParsing
  ) {
    for entry in expected where entry.kind == .table { order[entry.name] = order.count }
    let better = mending.better(among: expected)
    let added = onlyBetter ? better : expected
    let known = Set(expected.map(\.key))
    let mended = mending.tables().filter { !known.contains($0.key) }
    guard !(added + mended).isEmpty else { return }
    let refuted = (better + mended).map(\.name).filter { parsed.table(named: $0) != nil }
    let doubted = Set(parsed.refused.map(\.name) + refuted)
    sources[.expected] = added.isEmpty ? nil : add(added, doubted)
    sources[.mended] = mended.isEmpty ? nil : add(mended, doubted)
    // What the file says stays damaged, although the statement is known from elsewhere.
    let refused = parsed.refused + refuted.map { RefusedStatement(refuted: $0) }
    parsed = parser.parse(entries)
    parsed.refused = refused + parsed.refused.filter { !refused.contains($0) }
    entries += automaticIndexes(missingBeside: parsed.description)
  }

  /// Adds what only the expected schema has, and its statements for those that are not believed.
  private mutating func add(_ expected: [SchemaEntry], _ doubted: Set<Name>) -> Int {
    var positions: [Name: Int] = [:]
    for (position, entry) in entries.enumerated() { positions[entry.key] = position }
    var count = 0
    for entry in expected {
      if let position = positions[entry.key] {
        guard doubted.contains(entry.name) else { continue }
        entries[position] = entry.with(root: entries[position].root, sql: entry.sql)
      } else {
        entries.append(entry.with(root: nil, sql: entry.sql))
      }
      count += 1
    }
    return count
  }

  /// The indexes that SQLite makes for constraints of tables that were added.
  private func automaticIndexes(missingBeside description: SchemaDescription) -> [SchemaEntry] {
    let names = Set(entries.map(\.key))
    return description.tables.flatMap(\.automaticIndexes).filter { !names.contains($0.key) }
  }
}

extension TableDescription {
  /// The indexes that SQLite makes for its constraints, in the order of their numbers.
  var automaticIndexes: [SchemaEntry] {
    indexes.filter { $0.sql == nil && !(withoutRowID && $0.origin == .primaryKey) }
      .sorted { ($0.name.text.utf8.count, $0.name.text) < ($1.name.text.utf8.count, $1.name.text) }
      .map { SchemaEntry(kind: .index, name: $0.name, table: name, root: nil, sql: nil) }
  }
}

extension SchemaListing {
  /// Gives objects without a root those that they had at another time, where every one of these is
  /// the root of a tree that bears its object out.
  ///
  /// SQLite moves roots in a VACUUM alone, and where it keeps pointer maps: then some of them are
  /// another object's now, or pages below another one.
  mutating func complete(_ roots: [Name: PageNumber], _ parsed: ParsedSchema, in image: Image) {
    var taken = Set(entries.compactMap(\.root))
    let open = entries.indices.compactMap { place -> (place: Int, root: BTreePage)? in
      guard entries[place].root == nil, let root = roots[entries[place].name],
        parsed.table(named: entries[place].table) != nil
      else { return nil }
      return (try? image.btreePage(root)).map { (place, $0) }
    }
    guard !open.isEmpty, image.hasPageNumbers else { return }
    let children = image.children
    let isEachRoot = open.allSatisfy { place, page in
      let entry = entries[place].with(root: page.number, sql: nil)
      return taken.insert(page.number).inserted && !children.contains(page.number)
        && (parsed.isBorneOut(entry, in: image) || parsed.mayHaveEmptied(entry, page))
    }
    guard isEachRoot else { return }
    for (place, page) in open {
      entries[place] = entries[place].with(root: page.number, sql: entries[place].sql)
    }
  }
}

extension ParsedSchema {
  /// Whether a page is what is left of the tree of an entry when its last row was deleted.
  func mayHaveEmptied(_ entry: SchemaEntry, _ page: BTreePage) -> Bool {
    page.kind.isLeaf && page.cellCount == 0
      && page.kind.isTable
        == (entry.kind == .table && table(named: entry.table)?.withoutRowID == false)
  }
}

extension Image {
  /// The pages to which interior pages lead.
  var children: PageSet {
    var children = PageSet()
    for number in dataPages {
      guard let page = try? btreePage(number), !page.kind.isLeaf else { continue }
      for case let child? in page.children(of: cells(of: page).cells)
      where child.number <= pageCount {
        children.insert(child)
      }
    }
    return children
  }
}

extension RefusedStatement {
  /// A statement that SQLite accepts, and that is not the one by which the rows were written.
  fileprivate init(refuted name: Name) {
    self.init(name: name, reason: "its rows are not such as it declares", weight: .refuted)
  }
}
