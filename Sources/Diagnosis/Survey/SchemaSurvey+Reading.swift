// SPDX-License-Identifier: Apache-2.0
// The schema from every source: the schema table first, then its lost pages, then from outside.

import SQLiteFormat

extension SchemaSurvey {
  /// Reads the schema of an image.
  ///
  /// Where the schema table is damaged, pages of it that nothing leads to are searched for, and
  /// `expected` fills what is missing or cannot be parsed. A schema table that is not believed is
  /// not read at all. `roots` are those of another time. Where there are `strays`, which are pages
  /// in use that no tree of the schema leads to, the schema table has lost rows, also where all that
  /// is left of it can be read.
  static func read(
    _ image: Image, encoding: TextEncoding?, expected: () -> [SchemaEntry] = { [] },
    _ roots: [Name: PageNumber] = [:], parser: any SchemaParsing, believesTable: Bool = true,
    strays: Set<PageNumber> = [], claims: inout PageClaims
  ) -> SchemaSurvey {
    var found = FoundSchemaRows(in: image, believesTable: believesTable, claims: &claims)
    let encoding = self.encoding(of: found.records, in: image, stated: encoding)
    var listing = SchemaListing(of: found, encoding, in: image)
    let missing = listing.missingTables
    if !missing.isEmpty || !strays.isEmpty,
      found.searchBesideTree(
        in: image, &claims,
        for: { row in
          SchemaEntry(row.record, encoding: encoding).map { entry in
            entry.kind == .table
              && (missing.contains(entry.name) || entry.root.map(strays.contains) == true)
          } ?? false
        })
    {
      listing = SchemaListing(of: found, encoding, in: image)
    }
    listing.settleRivals(in: image, by: parser)
    listing.add(DoubtfulSchema(image, found.doubtful, encoding, parser))
    var parsed = parser.parse(listing.entries)
    let isRead = found.tree.isReadable && listing.misfits.isEmpty
    if isRead { listing.review.finish(parsed) }
    let mending = MendedSchema(listing.entries, parsed, encoding, in: image, parser)
    // Of a schema that is all there, only what its rows speak against is not believed.
    let isWhole =
      isRead && parsed.refused.isEmpty && listing.doubled == 0 && strays.isEmpty
    if !isWhole || !mending.isEachBorneOut {
      let expected = expected()
      listing.complete(&parsed, from: expected, mending, onlyBetter: isWhole, by: parser)
      listing.complete(roots, parsed, in: image)
      listing.completeInOrder(of: expected, parsed, in: image)
    }
    return SchemaSurvey(
      entries: listing.entries, sources: listing.sources, tree: found.tree,
      misfits: listing.misfits, rowFaults: listing.review.faults, parsed: parsed,
      encoding: encoding, rowPages: listing.rowPages, order: listing.order,
      rootsInOrder: listing.rootsInOrder)
  }

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
