// SPDX-License-Identifier: Apache-2.0
// The schema from every source: the schema table first, then its lost pages, then from outside.

import SQLiteFormat

extension SchemaSurvey {
  /// Reads the schema of an image.
  ///
  /// Where the schema table is damaged, pages of it that nothing leads to are searched for, and
  /// `expected` fills what is missing or cannot be parsed. A schema table that is not believed is
  /// not read at all.
  static func read(
    _ image: Image, encoding: TextEncoding?, expected: () -> [SchemaEntry] = { [] },
    parser: any SchemaParsing, believesTable: Bool = true, claims: inout PageClaims
  ) -> SchemaSurvey {
    let own = SchemaEntry(
      kind: .table, name: "sqlite_schema", table: "sqlite_schema", root: .first, sql: nil)
    var scratch = claims
    var (records, doubtful) = believesTable ? rows(of: image, &scratch) : ([], [])
    if !believesTable { _ = claims.claim(.first, for: .schema) }
    let tree = TreeSurvey(
      TreeTask(
        entry: own, root: believesTable ? .first : nil, isRowIDTable: true,
        owner: .schema),
      in: image, claims: &claims)
    let live = records.count
    var orphans = live
    if !tree.isReadable {
      let firstFree = believesTable ? image.header?.firstFreelistTrunk : nil
      records += orphanRows(of: image, besides: Freelist(image, first: firstFree), &claims)
      orphans = records.count
      records += rowsOfOtherTimes(image, besides: believesTable ? nil : image.firstPage)
    }

    let chosen = Self.encoding(of: records, in: image, stated: encoding)
    var misfits = FaultList()
    var sources: [SchemaSource: Int] = [:]
    var entries: [SchemaEntry] = []
    var names: Set<Name> = []
    var rowPages: [Name: PageNumber] = [:]
    var review = SchemaRowReview()
    for (position, stored) in records.enumerated() {
      guard var entry = SchemaEntry(stored.record, encoding: chosen) else {
        if position < live {
          misfits.add(FormatError(.recordHeader, page: stored.page, offset: stored.offset))
        }
        continue
      }
      let source: SchemaSource =
        position < live ? .schemaTable : position < orphans ? .orphanPage : .otherTime
      guard names.insert(entry.key).inserted || source == .schemaTable else { continue }
      if source == .schemaTable {
        review.add(entry, stored.record)
        rowPages[entry.name] = stored.page
      }
      // Without page numbers no pointer leads anywhere.
      if !image.hasPageNumbers { entry = entry.with(root: nil, sql: entry.sql) }
      entries.append(entry)
      sources[source, default: 0] += 1
    }
    let borneOut = DoubtfulSchema(image, doubtful, chosen, parser).borneOut(besides: entries)
    entries += borneOut
    sources[.doubtfulCell] = borneOut.isEmpty ? nil : borneOut.count
    names.formUnion(borneOut.map(\.key))
    var parsed = parser.parse(entries)
    if tree.isReadable, misfits.isEmpty { review.finish(parsed) }
    let mending = MendedSchema(entries, parsed, chosen, in: image, parser)
    let isWhole = tree.isReadable && misfits.isEmpty && parsed.refused.isEmpty
    // Of a schema that is all there, only what its rows speak against is not believed.
    let expected = isWhole && mending.isEachBorneOut ? [] : expected()
    let better = mending.better(among: expected)
    let added = isWhole ? better : expected
    let known = Set(expected.map(\.key))
    let mended =
      isWhole && mending.isEachBorneOut ? [] : mending.tables().filter { !known.contains($0.key) }
    if !(added + mended).isEmpty {
      let refuted = (better + mended).map(\.name).filter { parsed.table(named: $0) != nil }
      let doubted = Set(parsed.refused.map(\.name) + refuted)
      sources[.expected] = added.isEmpty ? nil : Self.add(added, to: &entries, doubted)
      sources[.mended] = mended.isEmpty ? nil : Self.add(mended, to: &entries, doubted)
      // What the file says stays damaged, although the statement is known from elsewhere.
      let refused = parsed.refused + refuted.map { RefusedStatement(refuted: $0) }
      parsed = parser.parse(entries)
      parsed.refused = refused + parsed.refused.filter { !refused.contains($0) }
      entries += Self.automaticIndexes(missingFrom: entries, parsed.description)
    }
    return SchemaSurvey(
      entries: entries, sources: sources, tree: tree, misfits: misfits,
      rowFaults: review.faults,
      parsed: parsed, encoding: chosen, rowPages: rowPages)
  }

  /// The rows of the schema table, and those of which nothing in its pages proves that they are in
  /// use.
  private static func rows(
    of image: Image, _ claims: inout PageClaims
  ) -> (records: [StoredRecord], doubtful: [StoredRecord]) {
    var records: [StoredRecord] = []
    var doubtful: [StoredRecord] = []
    var scan = TreeScan(image, root: .first, isTable: true, owner: .schema)
    scan.run(&claims) { event in
      switch event {
      case .record(let stored), .misplaced(let stored): records.append(stored)
      case .doubtful(let stored, _): doubtful.append(stored)
      default: break
      }
      return true
    }
    return (records, doubtful)
  }

  /// The rows of schema pages that the schema's tree has lost.
  private static func orphanRows(
    of image: Image, besides freelist: Freelist, _ claims: inout PageClaims
  ) -> [StoredRecord] {
    let pages = PageReader(image)
    let free = Set(freelist.leaves)
    var records: [StoredRecord] = []
    for page in image.dataPages where claims.owner(of: page) == nil && !free.contains(page) {
      guard let leaf = try? image.btreePage(page), leaf.kind == .tableLeaf,
        leaf.cellCount > 0
      else { continue }
      let rows = pages.rows(on: page, isTable: true)
      guard !rows.isEmpty, rows.allSatisfy({ $0.record.isOfSchema }) else { continue }
      _ = claims.claim(page, for: .schema)
      records += rows
    }
    return records
  }

  /// The rows of the schema table as the journals have it of other times, the newest first; none
  /// of a time with a first page that is not believed.
  private static func rowsOfOtherTimes(
    _ image: Image, besides firstPage: Bytes?
  ) -> [StoredRecord] {
    Generations(image).suffix(generationsMax).reversed().flatMap { generation -> [StoredRecord] in
      if let firstPage, generation.image.firstPage == firstPage { return [] }
      var claims = PageClaims(pageCount: generation.image.pageCount)
      return rows(of: generation.image, &claims).records
    }
  }

  /// How many states of the journals are asked for a lost schema.
  private static var generationsMax: Int { 16 }

  /// The header's encoding, unless another one reads more of the schema; without a schema, the one
  /// that the text of the pages tells.
  private static func encoding(
    of records: [StoredRecord], in image: Image, stated: TextEncoding?
  ) -> TextEncoding {
    let candidates = (stated.map { [$0] } ?? []) + TextEncoding.allCases
    func readable(_ candidate: TextEncoding) -> Int {
      records.count { SchemaEntry($0.record, encoding: candidate) != nil }
    }
    if let stated, !records.isEmpty, readable(stated) == records.count { return stated }
    let counts = candidates.map(readable)
    guard let most = counts.max(), most > 0, let best = counts.firstIndex(of: most) else {
      return EncodingVote(image).winner ?? candidates[0]
    }
    return candidates[best]
  }

  /// Adds what only the expected schema has, and its statements for those that are not believed.
  private static func add(
    _ expected: [SchemaEntry], to entries: inout [SchemaEntry], _ doubted: Set<Name>
  ) -> Int {
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
  private static func automaticIndexes(
    missingFrom entries: [SchemaEntry], _ description: SchemaDescription
  ) -> [SchemaEntry] {
    let names = Set(entries.map(\.key))
    return description.tables.flatMap { table in
      table.indexes.filter { index in
        index.sql == nil && !(table.withoutRowID && index.origin == .primaryKey)
      }.map { index in
        SchemaEntry(kind: .index, name: index.name, table: table.name, root: nil, sql: nil)
      }
    }.filter { !names.contains($0.key) }
  }
}

extension Image {
  fileprivate var firstPage: Bytes? { try? bytes(of: .first) }
}

extension SchemaEntry {
  /// What no two entries share.
  var key: Name { "\(kind.rawValue) \(name)" }

  func with(root: PageNumber?, sql: String?) -> SchemaEntry {
    SchemaEntry(kind: kind, name: name, table: table, root: root, sql: sql)
  }
}

extension Record {
  /// Whether a record is beyond doubt a row of the schema table, in some encoding.
  var isOfSchema: Bool {
    TextEncoding.allCases.contains { encoding in
      guard let entry = SchemaEntry(self, encoding: encoding) else { return false }
      guard let sql = entry.sql else {
        return entry.kind == .index && entry.name.hasPrefix("sqlite_autoindex_")
      }
      return Name(sql.prefix(7)) == "CREATE "
    }
  }
}

extension RefusedStatement {
  /// A statement that SQLite accepts, and that is not the one by which the rows were written.
  fileprivate init(refuted name: Name) {
    self.init(name: name, reason: "its rows are not such as it declares", weight: .refuted)
  }
}
