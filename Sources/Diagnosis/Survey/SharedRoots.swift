// SPDX-License-Identifier: Apache-2.0
// Tables of which the schema names one root: one of the numbers has changed, and the rows tell whose.

import SQLiteFormat

extension Image {
  /// The tables in their order; of those with one root, the one that can have its rows comes first.
  ///
  /// A page that two trees lead to belongs to the first of them.
  func settlingSharedRoots(of tables: [SchemaEntry], _ schema: SchemaSurvey) -> [SchemaEntry] {
    var places: [PageNumber: [Int]] = [:]
    for (place, table) in tables.enumerated() {
      if let root = table.root { places[root, default: []].append(place) }
    }
    var settled = tables
    for (root, rivals) in places where rivals.count > 1 {
      guard let rows = sampledRecords(ofTree: root) else { continue }
      let fits = rivals.map { rival in
        schema.table(named: tables[rival].name).map { RecordFit(rows, RecordForm($0)) }
      }
      let owner = fits.indices.first { index in
        guard let fit = fits[index], fit.admitted == 1000 else { return false }
        return fits.indices.allSatisfy { other in
          other == index || fits[other].map { fit.isBetter(than: $0) } ?? true
        }
      }
      if let owner { settled.swapAt(rivals[0], rivals[owner]) }
    }
    return settled
  }
}
