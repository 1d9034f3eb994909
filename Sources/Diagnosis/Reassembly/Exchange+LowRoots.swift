// SPDX-License-Identifier: Apache-2.0
// Roots that are none: pages that no tree has lead to them, and to the other rows of their table.
//
//             3  <- no row of the schema        A bit of a root's number has turned: the schema
//           / | \                               names a page further down. Nothing leads to a root,
//   stated 7  8  9  <- of no tree               so the uppermost page that leads there is it.

import SQLiteFormat

extension ExchangeSearch {
  /// The roots of tables whose stated ones lie below them, by the tables' positions among the trees.
  func rootsAboveStated() -> [Int: PageNumber] {
    let parents = parentsOfNoTree
    guard !parents.isEmpty else { return [:] }
    var roots: [Int: PageNumber] = [:]
    for table in tables where table.survey.isRowIDTable {
      guard let position = survey.position(of: table.survey) else { continue }
      let top = TreeWalk.descend(from: table.root) { page in
        guard let above = parents[page], above.count == 1,
          leads(above[0], to: page, of: table)
        else { return .arrived }
        return .below(above[0])
      }
      if let top, top != table.root { roots[position] = top }
    }
    return roots
  }

  /// The interior pages that no tree has, by the pages that they lead to.
  private var parentsOfNoTree: [PageNumber: [PageNumber]] {
    var parents: [PageNumber: [PageNumber]] = [:]
    for unclaimed in survey.unclaimed {
      guard case .btree(.tableInterior, _) = unclaimed.content,
        let reading = pages.reading(of: unclaimed.page, isTable: true)
      else { continue }
      for child in reading.children { parents[child, default: []].append(unclaimed.page) }
    }
    return parents
  }

  /// Whether a page leads to one of a table, and besides to rows that can be the table's, on pages
  /// that no tree has.
  private func leads(_ parent: PageNumber, to page: PageNumber, of table: Table) -> Bool {
    let places = places(
      below: TreePlace(page: parent, after: nil, upTo: nil), isTable: true, table.order)
    let others = places.filter { $0.page != page }
    guard others.count + 1 == places.count, !others.isEmpty,
      others.allSatisfy({ survey.claims.owner(of: $0.page) == nil })
    else { return false }
    return places.allSatisfy { place in
      guard let span = span(of: place.page, table) else { return true }
      return place.admits(span, in: table.order)
        && rows(on: place.page, table).allSatisfy { table.form.admits($0.record) }
    }
  }
}
