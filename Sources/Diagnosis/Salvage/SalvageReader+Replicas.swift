// SPDX-License-Identifier: Apache-2.0
// Rows that lie only in copies of pages which are not part of the image: frames of the log that
// nothing proves, older copies of pages that are destroyed, and of those whose rows moved to such
// pages. None of them is placed.

package import SQLiteFormat

/// A row in a copy of a page that is not the one in the image.
package struct ReplicaRow: Sendable {
  /// The table that the page belongs to; nil where nothing tells.
  package let table: TreeSurvey?
  /// The row.
  package let stored: StoredRecord
  /// Where the copy lies, and what it is worth.
  package let source: PageReplica.Source
}

extension SalvageReader {
  /// Reads the rows of unproven frames, of older copies of destroyed pages, and those rows of other
  /// older copies that their table would have where it lost pages, oldest first.
  ///
  /// Each copy is read in the state of the database that it was part of. Most of the rows are in
  /// the image too: whoever calls leaves those out.
  package func readReplicas(_ body: (ReplicaRow) throws -> Void) rethrows {
    var owners = ReplicaOwners(reconstruction.survey, image)
    var stretches = LostStretches(reconstruction)
    let keyedTables = KeyedTables(reconstruction.survey)
    for generation in Generations(image, doubted: reconstruction.survey.ownJournalLeftOut) {
      for replica in generation.replicas {
        let isWanted = owners.wants(replica)
        guard isWanted || replica.wasCommitted && stretches.exist,
          let reading = generation.reading(of: replica, isPatient: isWanted)
        else { continue }
        let page = reading.page
        var owner = owners.tree(of: replica)
        if !isWanted { owner = stretches.owner(of: page, in: generation.image) ?? owner }
        // A page may have belonged to another kind of tree before.
        let tree = owner.flatMap { $0.isRowIDTable == page.kind.isTable ? $0 : nil }
        guard isWanted || tree.map({ stretches.exist(in: $0) }) == true else { continue }
        guard page.kind == .tableLeaf || !page.kind.isTable && tree?.entry.kind != .index,
          (try? image.bytes(of: replica.page)) != page.bytes
        else { continue }
        let rows = generation.rows(in: reading, of: replica)
        var table = tree
        if tree == nil, !page.kind.isTable {
          let candidates = keyedTables.candidates(for: rows)
          guard let first = candidates.first else { continue }
          if candidates.count == 1 { table = first }
        }
        // What the page lost since was deleted, or moved to one that is not there.
        for stored in rows
        where isWanted || tree.map({ stretches.contain(stored, of: $0) }) == true {
          try body(ReplicaRow(table: table, stored: stored, source: replica.source))
        }
      }
    }
  }
}

extension Generation {
  /// A copy of a page of a tree; with patience, also one whose beginning is destroyed.
  fileprivate func reading(of replica: PageReplica, isPatient: Bool) -> PageReading? {
    if let page = try? image.btreePage(replica.page) {
      return PageReading(page: page, content: image.content(of: page))
    }
    return isPatient ? PageReader(image).reading(of: replica.page) : nil
  }

  /// The rows of a copy of a page that can be read.
  fileprivate func rows(in reading: PageReading, of replica: PageReplica) -> [StoredRecord] {
    reading.content.cells.compactMap { cell in
      // Frames from before a restart of the log are parts of several states.
      if case .olderFrame = replica.source, cell.overflow != nil { return nil }
      return (try? image.record(of: cell, on: reading.page).record).map {
        StoredRecord($0, of: cell, on: reading.page)
      }
    }
  }
}

/// The tables without rowids, whose pages look like those of indexes.
private struct KeyedTables {
  private let forms: [(table: TreeSurvey, form: RecordForm)]

  init(_ survey: Survey) {
    forms = survey.trees.filter { $0.entry.kind == .table && !$0.isRowIDTable }
      .compactMap { table in
        survey.schema.flatMap { survey.form(of: table, $0) }.map { (table, $0) }
      }
  }

  /// Those that rows can belong to which lie together; a few of them may be damaged.
  func candidates(for rows: [StoredRecord]) -> [TreeSurvey] {
    guard !rows.isEmpty else { return [] }
    return forms.filter { _, form in
      rows.count { form.admits($0.record) } * 10 >= rows.count * 9
    }.map(\.table)
  }
}

extension PageReplica {
  /// Whether a committed state had the page like that once.
  fileprivate var wasCommitted: Bool {
    switch source {
    case .main, .journal, .olderFrame, .supersededFrame: true
    case .unprovenRecord, .uncommittedFrame, .unverifiedFrame: false
    }
  }
}

/// The stretches in which tables lost rows with whole pages.
private struct LostStretches {
  private let reconstruction: Reconstruction
  private let tables: [TreeSurvey]
  private var gaps: [Name: [Gap]] = [:]
  /// The most tables of which one is asked whether it had a page.
  private static let tablesMax = 64

  init(_ reconstruction: Reconstruction) {
    self.reconstruction = reconstruction
    tables = reconstruction.survey.trees.filter(\.hasLostPagesOfRows)
  }

  /// Whether there may be any.
  var exist: Bool { !tables.isEmpty }

  /// Whether there are any in a table.
  mutating func exist(in table: TreeSurvey) -> Bool { !gaps(in: table).isEmpty }

  /// The table with rowids that had a page in a state of the database.
  func owner(of page: BTreePage, in image: Image) -> TreeSurvey? {
    guard page.kind == .tableLeaf, let rowID = (try? page.cell(0))?.rowID else { return nil }
    return tables.prefix(Self.tablesMax).first { table in
      guard table.isRowIDTable, let root = table.root else { return false }
      return (try? image.cell(ofRow: rowID, inTableAt: root))?.page.number == page.number
    }
  }

  /// Whether a row would lie in one of a table.
  mutating func contain(_ row: StoredRecord, of table: TreeSurvey) -> Bool {
    let order = table.isRowIDTable ? nil : reconstruction.survey.keyOrder(of: table)
    return gaps(in: table).contain(row, order: order)
  }

  private mutating func gaps(in table: TreeSurvey) -> [Gap] {
    guard table.hasLostPagesOfRows else { return [] }
    if let known = gaps[table.entry.name] { return known }
    let found = reconstruction.gaps(in: table)
    gaps[table.entry.name] = found
    return found
  }
}

extension TreeSurvey {
  /// Whether it is a table that leads to pages which are not there.
  fileprivate var hasLostPagesOfRows: Bool { entry.kind == .table && !pageFaults.isEmpty }
}

/// What is known about the pages whose copies are read.
private struct ReplicaOwners {
  private let survey: Survey
  private let image: Image
  /// The owners of pages in the state that the unproven frames lead to.
  private let unproven: PageClaims
  /// The owners of pages in the database file under the journals.
  private let covered: PageClaims
  /// The trees that lead to pages which cannot be read.
  private let expecting: [PageNumber: Int]
  private let isLogBroken: Bool
  private let damagedPages: Set<PageNumber>
  private var destroyed: [PageNumber: Bool] = [:]

  init(_ survey: Survey, _ image: Image) {
    self.survey = survey
    self.image = image
    damagedPages = image.damagedPages
    var expecting: [PageNumber: Int] = [:]
    for (position, tree) in survey.trees.enumerated() {
      for page in tree.pageFaults.first.compactMap(\.page) where expecting[page] == nil {
        expecting[page] = position
      }
    }
    self.expecting = expecting
    isLogBroken =
      if case .applied(let log) = image.wal {
        log.ending != .complete && log.ending != .olderGeneration
      } else {
        true
      }
    var unproven: Generation?
    var covered: Generation?
    for generation in Generations(image) {
      if generation.isUnproven { unproven = generation }
      if generation.isCovered { covered = generation }
    }
    self.unproven = Self.owners(in: unproven, survey)
    let isCoveredWanted =
      survey.isFileAloneInDoubt || !survey.trees.allSatisfy(\.isReadable)
    self.covered = Self.owners(in: isCoveredWanted ? covered : nil, survey)
  }

  /// The owners of pages in another state of the database: what its trees lead to there.
  private static func owners(in generation: Generation?, _ survey: Survey) -> PageClaims {
    guard let generation else { return PageClaims(pageCount: 0) }
    var claims = PageClaims(pageCount: generation.image.pageCount)
    func claim(_ root: PageNumber, isTable: Bool, for owner: PageOwner) {
      var walk = TreeWalk(generation.image, root: root, isTable: isTable, owner: owner)
      while walk.next(&claims) != nil {}
    }
    claim(.first, isTable: true, for: .schema)
    for (position, tree) in survey.trees.enumerated() {
      guard let root = tree.root else { continue }
      claim(root, isTable: tree.isRowIDTable, for: .tree(position))
    }
    return claims
  }

  /// Whether the rows of a copy are worth a look: nothing proves it or refutes it, or nothing else is
  /// left of its page.
  mutating func wants(_ replica: PageReplica) -> Bool {
    // The schema has readers of its own.
    if owner(of: replica) == .schema || replica.page == .first { return false }
    switch replica.source {
    case .unverifiedFrame, .unprovenRecord: return true
    // A transaction that was under way when everything stopped is none; of a log that is cut off
    // or broken, the commit may be what is missing.
    case .uncommittedFrame: return isLogBroken
    // The state without the log or journal may be the one that counts.
    case .main where survey.isFileAloneInDoubt: return true
    case .main, .journal, .olderFrame, .supersededFrame:
      if let known = destroyed[replica.page] { return known }
      let isDestroyed = isDestroyed(replica.page)
      destroyed[replica.page] = isDestroyed
      return isDestroyed
    }
  }

  private func isDestroyed(_ number: PageNumber) -> Bool {
    guard number.number <= survey.mostPagesStated else { return false }
    // What lies there is no page of the tree that leads to it.
    if expecting[number] != nil { return true }
    let page = try? image.btreePage(number)
    guard let owner = survey.claims.owner(of: number) else {
      return page.map { !$0.layoutFaults.isEmpty } ?? true
    }
    if damagedPages.contains(number) { return true }
    guard let tree = tree(of: owner), !tree.isReadable else { return false }
    return page.map { !$0.layoutFaults.isEmpty } ?? true
  }

  /// The tree that the page of a copy belongs to; none of this database has pages in the log of
  /// another.
  func tree(of replica: PageReplica) -> TreeSurvey? {
    if case .foreign = image.wal, image.hasPageNumbers { return nil }
    return owner(of: replica).flatMap { tree(of: $0) }
      ?? expecting[replica.page].map { survey.trees[$0] }
  }

  /// The owner of a copy's page: in the state that the unproven frames lead to, for one of them.
  private func owner(of replica: PageReplica) -> PageOwner? {
    switch replica.source {
    case .unverifiedFrame, .uncommittedFrame:
      if let owner = unproven.owner(of: replica.page) { return owner }
      // A page of the schema that is none any more may be anything.
      let owner = survey.claims.owner(of: replica.page)
      return owner == .schema ? nil : owner
    case .main, .journal, .unprovenRecord, .olderFrame, .supersededFrame:
      return survey.claims.owner(of: replica.page) ?? covered.owner(of: replica.page)
    }
  }

  private func tree(of owner: PageOwner) -> TreeSurvey? {
    owner.tree.flatMap { survey.trees.indices.contains($0) ? survey.trees[$0] : nil }
  }
}

extension Survey {
  /// Whether what the database file has under its log or journal may count.
  fileprivate var isFileAloneInDoubt: Bool { isLogInDoubt || isJournalInDoubt }
}

extension Generation {
  /// Whether the state is that of the database file without its journals.
  fileprivate var isCovered: Bool { replicas.contains { $0.source == .main } }

  /// Whether the state rests on frames that were not committed or that nothing vouches for.
  fileprivate var isUnproven: Bool {
    replicas.contains { replica in
      switch replica.source {
      case .unverifiedFrame, .uncommittedFrame: true
      case .main, .journal, .unprovenRecord, .olderFrame, .supersededFrame: false
      }
    }
  }
}
