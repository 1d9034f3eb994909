// SPDX-License-Identifier: Apache-2.0
// Which rows other rows refer to: a foreign key is found among the keys of the table it names.

import SQLiteFormat

/// The keys of the tables in doubt to which rows refer whose tables are known.
struct ReferredKeys {
  /// A table whose rows refer to those of tables in doubt.
  private struct Child {
    /// Its place among the claimants; nil where its tree is sound.
    let claimant: Int?
    let tree: TreeSurvey
    /// The claimants that it refers to, and how the key follows from a row.
    let references: [(parent: Int, key: IndexShape)]
  }

  /// How many keys of a table are kept at most.
  private static let keysMax = 1 << 20

  /// How the key of one column follows from a row of each claimant that has one.
  private var shapes: [Int: IndexShape] = [:]
  private let children: [Child]
  /// The hashes of the keys of each claimant to which rows refer.
  private var keys: [Int: Set<UInt64>] = [:]
  private var heard = PageSet()
  private var hasHeardSound = false

  /// The foreign keys of one column that refer to claimants; nobody was asked yet.
  init(to claimants: [Claimant], in survey: Survey, _ schema: SchemaSurvey) {
    var places: [Name: Int] = [:]
    var keyColumns: [Name: Name] = [:]
    for (index, claimant) in claimants.enumerated() where claimant.holdsRows {
      places[claimant.name] = index
      guard let table = schema.table(named: claimant.name) else { continue }
      let key = table.columns.filter { $0.primaryKeyPosition > 0 }
      guard key.count == 1, let shape = schema.shape(of: key[0].name, in: table) else { continue }
      keyColumns[claimant.name] = key[0].name
      shapes[index] = shape
    }
    children = schema.parsed.description.tables.compactMap { table in
      let references = table.foreignKeys.compactMap { foreignKey -> (Int, IndexShape)? in
        guard let parent = places[foreignKey.table], let key = keyColumns[foreignKey.table],
          foreignKey.columns.count == 1,
          foreignKey.referencedColumns.isEmpty || foreignKey.referencedColumns == [key],
          let shape = schema.shape(of: foreignKey.columns[0], in: table)
        else { return nil }
        return (parent, shape)
      }
      guard !references.isEmpty, let tree = survey.tree(named: table.name) else { return nil }
      return Child(claimant: places[table.name], tree: tree, references: references)
    }
  }

  /// Hears the rows that have found their tables.
  mutating func hear(_ claimants: [Claimant], _ pages: PageReader) {
    for child in children {
      if let claimant = child.claimant {
        for page in claimants[claimant].chain.lazy.flatMap(\.pages) where heard.insert(page) {
          for row in pages.rows(on: page, isTable: child.tree.isRowIDTable) { note(row, of: child) }
        }
      } else if !hasHeardSound, let root = child.tree.root {
        pages.image.forEachRecord(ofTree: root, isTable: child.tree.isRowIDTable) { row in
          note(row, of: child)
          return true
        }
      }
    }
    hasHeardSound = true
  }

  private mutating func note(_ row: StoredRecord, of child: Child) {
    for (parent, key) in child.references where keys[parent]?.count ?? 0 < Self.keysMax {
      keys[parent, default: []].insert(key.key(of: row).digest)
    }
  }

  /// Whether rows refer to those of a claimant.
  func isParent(_ claimant: Int) -> Bool { keys[claimant] != nil }

  /// Whether a claimant needs rows that lie together: more than half of them are referred to, and
  /// it has more that are than one page of such rows holds, so that its rows are not all on its
  /// root.
  func areNeeded(
    _ rows: some Sequence<StoredRecord>, onOnePage most: Int, by claimant: Int
  ) -> Bool {
    guard let shape = shapes[claimant], let keys = keys[claimant], keys.count > most else {
      return false
    }
    var (all, needed) = (0, 0)
    for row in rows {
      all += 1
      if keys.contains(shape.key(of: row).digest) { needed += 1 }
    }
    return needed * 2 > all
  }
}

extension SchemaSurvey {
  /// How the value of one column follows from a row; nil where it is not stored.
  fileprivate func shape(of column: Name, in table: TableDescription) -> IndexShape? {
    shape(ofTable: table.name)?.indexField(named: column).map {
      IndexShape(name: column, fields: [$0])
    }
  }
}
