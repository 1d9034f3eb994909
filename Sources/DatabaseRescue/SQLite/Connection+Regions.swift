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
    let part = { (suffix: String) in Name("\(table.name)_\(suffix)").quotedIdentifier }
    var nodes: [Int64: Bytes] = [:]
    let stored = try prepare("SELECT nodeno, data FROM \(part("node"))")
    while try stored.step() {
      if case .blob(let node) = stored[1], let id = stored[0].integerValue { nodes[id] = node }
    }
    guard let tree = RegionTree(nodes, cellByteCount: table.regionByteCount) else { return nil }
    let noted = try rows("SELECT rowid FROM \(part("rowid"))").compactMap { $0[0].integerValue }
    guard noted.allSatisfy({ tree.rows[$0] != nil }) else { return nil }
    configure(SQLITE_DBCONFIG_DEFENSIVE, false)
    defer { configure(SQLITE_DBCONFIG_DEFENSIVE, true) }
    try execute("BEGIN; DELETE FROM \(part("parent"))")
    let parents = PreparedStatement(
      try prepare("INSERT INTO \(part("parent")) (nodeno, parentnode) VALUES (?, ?)"))
    for (node, parent) in tree.parents.sorted(by: { $0.key < $1.key }) {
      try parents.run([.integer(node), .integer(parent)])
    }
    let places = PreparedStatement(
      try prepare(
        """
        INSERT INTO \(part("rowid")) (rowid, nodeno) VALUES (?, ?)
        ON CONFLICT (rowid) DO UPDATE SET nodeno = excluded.nodeno
        """))
    for (row, node) in tree.rows.sorted(by: { $0.key < $1.key }) {
      try places.run([.integer(row), .integer(node)])
    }
    try execute("COMMIT")
    return tree.rows.count - noted.count
  }
}
