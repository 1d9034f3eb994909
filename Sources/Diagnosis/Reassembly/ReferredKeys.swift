// SPDX-License-Identifier: Apache-2.0
// Which rows other rows refer to: a foreign key is found among the keys of the table it names.

import SQLiteFormat

/// The keys of the tables in doubt to which rows refer whose tables are known.
struct ReferredKeys {
  /// A foreign key of one column.
  private struct Reference {
    /// What its rows refer to, by the hash of the key.
    let shape: IndexShape
    /// The claimant that has them; nil where their tree is sound.
    let claimant: Int?
    /// The root of their tree.
    let root: PageNumber?
    let isTable: Bool
  }

  /// How many keys of a table are kept at most.
  private static let keysMax = 1 << 20

  /// How the key to which others refer follows from a row of each claimant; nil where none do.
  private var shapes: [IndexShape?] = []
  private var references: [[Reference]] = []
  private var keys: [Set<UInt64>] = []
  private var heard = PageSet()
  private var hasHeardSound = false

  /// The foreign keys that refer to claimants; nobody was asked yet.
  init(to claimants: [Claimant], in survey: Survey, _ schema: SchemaSurvey) {
    var positions: [Name: Int] = [:]
    for (index, claimant) in claimants.enumerated() where claimant.holdsRows {
      positions[claimant.name] = index
    }
    for claimant in claimants {
      let parent = claimant.holdsRows ? schema.table(named: claimant.name) : nil
      let key = parent?.columns.filter { $0.primaryKeyPosition > 0 } ?? []
      guard let parent, key.count == 1, let shape = schema.shape(of: key[0].name, in: parent) else {
        (shapes, references) = (shapes + [nil], references + [[]])
        continue
      }
      shapes.append(shape)
      references.append(
        schema.parsed.description.tables.flatMap { child in
          child.foreignKeys.filter {
            $0.table == parent.name && $0.columns.count == 1
              && ($0.referencedColumns.isEmpty || $0.referencedColumns == [key[0].name])
          }.compactMap { foreignKey in
            guard let shape = schema.shape(of: foreignKey.columns[0], in: child) else { return nil }
            return Reference(
              shape: shape, claimant: positions[child.name],
              root: survey.tree(named: child.name)?.root, isTable: !child.withoutRowID)
          }
        })
    }
    keys = Array(repeating: [], count: claimants.count)
  }

  /// Hears the rows that have found their tables.
  mutating func hear(_ claimants: [Claimant], _ pages: PageReader) {
    var fresh: [Int: [PageNumber]] = [:]
    for child in Set(references.joined().compactMap(\.claimant)) {
      let chain = claimants[child].chain.lazy.flatMap(\.pages)
      fresh[child] = chain.filter { !heard.contains($0) }
    }
    for (parent, references) in references.enumerated() {
      for reference in references {
        if let child = reference.claimant {
          for page in fresh[child] ?? [] {
            for row in pages.rows(on: page, isTable: reference.isTable) {
              note(reference.shape.key(of: row).digest, for: parent)
            }
          }
        } else if !hasHeardSound, let root = reference.root {
          pages.image.forEachRecord(ofTree: root, isTable: reference.isTable) { row in
            note(reference.shape.key(of: row).digest, for: parent)
          }
        }
      }
    }
    for page in fresh.values.joined() { heard.insert(page) }
    hasHeardSound = true
  }

  @discardableResult
  private mutating func note(_ key: UInt64, for parent: Int) -> Bool {
    guard keys[parent].count < Self.keysMax else { return false }
    keys[parent].insert(key)
    return true
  }

  /// Whether a claimant needs rows that lie together: more than half of them are referred to, and
  /// it has more that are than one page of such rows holds, so that its rows are not all on its
  /// root.
  func areNeeded(_ rows: [StoredRecord], onOnePage most: Int, by claimant: Int) -> Bool {
    guard let shape = shapes[claimant], keys[claimant].count > most else { return false }
    return rows.count { keys[claimant].contains(shape.key(of: $0).digest) } * 2 > rows.count
  }
}

extension SchemaSurvey {
  /// How the value of one column follows from a row; nil where it is not stored.
  fileprivate func shape(of column: Name, in table: TableDescription) -> IndexShape? {
    guard let stored = shape(ofTable: table.name)?.stored,
      let place = stored.firstIndex(where: { $0.name == column })
    else { return nil }
    return IndexShape(
      name: column,
      fields: [
        stored[place].isRowID ? .rowID : .stored(place, default: stored[place].defaultValue)
      ])
  }
}
