// SPDX-License-Identifier: Apache-2.0
// What an R-tree notes of its rows and nodes, made anew of its nodes.

internal import CSQLite
import Diagnosis
import SQLiteFormat

extension Connection {
  /// Makes the tables anew in which an R-tree notes where its rows and nodes lie; what they hold
  /// besides stays.
  ///
  /// - Returns: How many rows were noted nowhere; nil, and nothing done, where the nodes are not
  ///   whole, or rows are noted that none of them has.
  func noteRegions(of table: VirtualTable) throws(SQLiteError) -> Int? {
    guard
      let tree = RegionTree(try nodes(of: table), cellByteCount: table.regionByteCount)
    else { return nil }
    let noted = try rows("SELECT rowid FROM \(table.partName("rowid"))")
      .compactMap { $0[0].integerValue }
    guard noted.allSatisfy({ tree.rows[$0] != nil }) else { return nil }
    configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    defer { configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
    try execute("BEGIN; DELETE FROM \(table.partName("parent"))")
    let parents = PreparedStatement(
      try prepare("INSERT INTO \(table.partName("parent")) (nodeno, parentnode) VALUES (?, ?)"))
    for (node, parent) in tree.parents.sorted(by: { $0.key < $1.key }) {
      try parents.run([.integer(node), .integer(parent)])
    }
    let places = PreparedStatement(
      try prepare(
        """
        INSERT INTO \(table.partName("rowid")) (rowid, nodeno) VALUES (?, ?)
        ON CONFLICT (rowid) DO UPDATE SET nodeno = excluded.nodeno
        """))
    for (row, node) in tree.rows.sorted(by: { $0.key < $1.key }) {
      try places.run([.integer(row), .integer(node)])
    }
    try execute("COMMIT")
    return tree.rows.count - noted.count
  }

  /// Makes an R-tree anew of the rows that are left in its nodes, with what is noted of each besides.
  ///
  /// - Returns: How many rows it has that were noted and that were not, and how many were noted that have
  ///   no coordinates any more.
  func remakeRegions(
    of table: VirtualTable
  ) throws(SQLiteError) -> (kept: Int, added: Int, lost: Int) {
    let nodes = try nodes(of: table)
    var noted: [Int64: [Value]] = [:]
    let stored = try prepare("SELECT rowid, * FROM \(table.partName("rowid"))")
    while try stored.step() {
      let values = (0..<stored.columnCount).map { stored[$0] }
      if let id = values[0].integerValue { noted[id] = Array(values.dropFirst(2)) }
    }
    let links = noted.compactMapValues { $0.first?.integerValue }
    let found = RegionRows(nodes, links: links, cellByteCount: table.regionByteCount).rows
    // As many bytes as the module gives a node: of a page, or for 51 cells.
    let pageSize = Int(try value("PRAGMA page_size")?.integerValue ?? 4096)
    let byteCount =
      nodes.values.map(\.count).filter { $0 >= Self.nodeByteCountMin }.max()
      ?? min(pageSize - 64, 4 + 51 * table.regionByteCount)
    configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    defer { configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
    try execute("BEGIN")
    for suffix in ["node", "rowid", "parent"] {
      try execute("DELETE FROM \(table.partName(suffix))")
    }
    // A root without cells is a tree without rows.
    try PreparedStatement(
      try prepare("INSERT INTO \(table.partName("node")) (nodeno, data) VALUES (1, ?)")
    ).run([.blob(Bytes(repeating: 0, count: byteCount))])
    let width = 1 + (table.regionByteCount - 8) / 4 + table.auxiliaryCount
    let places = Array(repeating: "?", count: width).joined(separator: ", ")
    let row = PreparedStatement(
      try prepare("INSERT INTO \(table.name.quotedIdentifier) VALUES (\(places))"))
    var (kept, added) = (0, 0)
    for region in found {
      let rest = noted[region.id]?.dropFirst() ?? []
      do {
        try row.run(
          [.integer(region.id)] + region.words.map(table.coordinate)
            + rest + Array(repeating: .null, count: table.auxiliaryCount - rest.count))
      } catch  where error.isOfRow {
        continue  // Coordinates that end before they begin are none.
      }
      if noted[region.id] == nil { added += 1 } else { kept += 1 }
    }
    try execute("COMMIT")
    return (kept, added, noted.count - kept)
  }

  /// How many bytes a node has at least: of fewer, the module takes none.
  private static let nodeByteCountMin = 512 - 64

  private func nodes(of table: VirtualTable) throws(SQLiteError) -> [Int64: Bytes] {
    var nodes: [Int64: Bytes] = [:]
    let stored = try prepare("SELECT nodeno, data FROM \(table.partName("node"))")
    while try stored.step() {
      if case .blob(let node) = stored[1], let id = stored[0].integerValue { nodes[id] = node }
    }
    return nodes
  }
}

extension VirtualTable {
  /// The name of a table that stores it, as SQL wants it.
  fileprivate func partName(_ suffix: String) -> String {
    Name("\(name)_\(suffix)").quotedIdentifier
  }
}
