// SPDX-License-Identifier: Apache-2.0
// What is wrong with how the virtual tables of a database are stored.

import SQLiteFormat

extension Survey {
  /// The virtual tables of which something is stored.
  package var virtualTables: [VirtualTable] { schema?.parsed.virtualTables ?? [] }

  /// What is wrong with how a virtual table is stored; of tables that cannot be read, their trees
  /// tell.
  func faults(of table: VirtualTable) -> [VirtualTableFault] {
    var faults = table.misshapen.map { VirtualTableFault.misshapen($0) }
    faults += table.parts.filter { treePlaces[$0.name] == nil }.map { .partMissing($0.name) }
    for part in table.parts {
      if let damaged = tally(of: part)?.faults, !damaged.isEmpty {
        faults.append(.rowsDamaged(part.name, damaged))
      }
    }
    switch table.module {
    case "fts5": return faults + faultsOfFullText5(table)
    case "fts3", "fts4": return faults + faultsOfFullText3(table)
    default: return faults + faultsOfRegions(table)
    }
  }

  /// Whether something is wrong with how a virtual table is stored.
  package func isDamaged(_ table: VirtualTable) -> Bool { !faults(of: table).isEmpty }

  private func tally(of part: VirtualTable.Part?) -> ShadowTally? {
    guard let part, let tree = tree(named: part.name), tree.isReadable else { return nil }
    return tree.shadow
  }

  /// How many rows a part of a virtual table has; nil where not all of them can be read.
  func rowCount(of part: VirtualTable.Part?) -> Int? {
    guard let part, let tree = tree(named: part.name), tree.isReadable else { return nil }
    return tree.records
  }

  // MARK: Full text

  private func faultsOfFullText5(_ table: VirtualTable) -> [VirtualTableFault] {
    var faults: [VirtualTableFault] = []
    if let settings = tally(of: table.part("config")), ![4, 5].contains(settings.version) {
      faults.append(.formatUnknown)
    }
    guard let pages = tally(of: table.part("data")) else { return faults }
    guard let segments = pages.structure else { return faults + [.structureLost] }
    let stored = segments.filter { $0.ids != nil }
    let lost = stored.count { $0.ids.map { !pages.holds($0) } ?? false }
    if lost > 0 { faults.append(.segmentsLost(lost)) }
    let names = Set(segments.map(\.id))
    if pages.ids.contains(where: { !names.contains($0.lowerBound >> FullTextSegment.idShift) }) {
      faults.append(.segmentsUnnamed)
    }
    if let terms = tally(of: table.part("idx")) {
      let bare = stored.count { !terms.segmentIDs.contains($0.id) }
      if bare > 0 { faults.append(.pageTermsLost(bare)) }
    }
    if stored.isEmpty, tally(of: table.part("docsize"))?.hasWords == true {
      faults.append(.indexEmpty)
    }
    // Apps may take documents out of an index without content that are not in it.
    if let own = rowCount(of: table.part("content")) {
      let sizes = rowCount(of: table.part("docsize")) ?? own
      let counted = pages.documentCount.map { Int($0) } ?? own
      if sizes > own {
        faults.append(.textsLost(sizes - own))
      } else if sizes != own || counted != own {
        faults.append(.countsDiffer)
      }
    }
    return faults
  }

  /// Whether a full-text index over another table has more rows than that.
  func hasFewerTexts(_ table: VirtualTable) -> Bool {
    guard let name = table.contentTable, let texts = tree(named: name), texts.isReadable,
      let sizes = rowCount(of: table.part("docsize"))
    else { return false }
    return sizes > texts.records
  }

  private func faultsOfFullText3(_ table: VirtualTable) -> [VirtualTableFault] {
    var faults: [VirtualTableFault] = []
    guard let directory = tally(of: table.part("segdir")) else { return faults }
    if let blocks = tally(of: table.part("segments")) {
      let lost = directory.segments.count { !blocks.holds($0) }
      if lost > 0 { faults.append(.segmentsLost(lost)) }
    }
    let texts = tally(of: table.part("docsize")) ?? tally(of: table.part("content"))
    if rowCount(of: table.part("segdir")) == 0, texts?.hasWords == true {
      faults.append(.indexEmpty)
    }
    if let own = rowCount(of: table.part("content")),
      let sizes = rowCount(of: table.part("docsize")), sizes != own
    {
      faults.append(sizes > own ? .textsLost(sizes - own) : .countsDiffer)
    }
    return faults
  }

  // MARK: R-trees

  private func faultsOfRegions(_ table: VirtualTable) -> [VirtualTableFault] {
    guard let nodes = tally(of: table.part("node")), let rows = tally(of: table.part("rowid")),
      let parents = tally(of: table.part("parent"))
    else { return [] }
    var links = rows.links
    links.add(parents.links)
    let hasRoot = nodes.holds(1...1)
    let nodeCount = rowCount(of: table.part("node")) ?? 0
    guard links != nodes.links || !hasRoot || nodeCount != parents.links.count + 1 else {
      return []
    }
    let tree = regionTree(of: table)
    if table.auxiliaryCount > 0, let tree, tree.rows.count > rows.links.count {
      return [.rowsUnnoted(tree.rows.count - rows.links.count)]
    }
    // Nodes that are not noted make up for no row.
    let rowsMissing = tree.map { rows.links.count - $0.rows.count } ?? 0
    return [.nodesDiffer(missing: max(0, rowsMissing, links.count - nodes.links.count))]
  }
}

extension Survey {
  /// The nodes of an R-tree; nil where they are not whole.
  func regionTree(of table: VirtualTable) -> RegionTree? {
    guard table.isRegions, let image, let part = table.part("node"),
      let tree = tree(named: part.name), tree.isReadable, let root = tree.root
    else { return nil }
    var nodes: [Int64: Bytes] = [:]
    image.forEachRecord(ofTree: root, isTable: true) { stored in
      if let id = stored.rowID, case .blob(let bytes)? = stored.record.value(1) {
        nodes[id] = bytes
      }
      return true
    }
    return RegionTree(nodes, cellByteCount: table.regionByteCount)
  }

  /// Whether all that a table says which stores an R-tree follows from the nodes of that.
  func followsFromNodes(_ tree: TreeSurvey) -> Bool {
    let name = tree.entry.name
    let table = virtualTables.first { table in
      table.part("parent")?.name == name
        || table.part("rowid")?.name == name && table.auxiliaryCount == 0
    }
    return table.flatMap { regionTree(of: $0) } != nil
  }

  /// Whether the nodes of the R-tree of this name are whole, so that its other tables can be made of
  /// them.
  func hasWholeNodes(_ name: String?) -> Bool {
    virtualTables.first { $0.name.text == name }.flatMap { regionTree(of: $0) } != nil
  }
}
