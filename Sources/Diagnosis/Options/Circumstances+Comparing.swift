// SPDX-License-Identifier: Apache-2.0
// What a database and another state of it have in common, by rows and by pages.

import SQLiteFormat

extension Circumstances.Copy {
  /// The most pages that are compared.
  private static let pagesMax = 1 << 12

  /// Compares a copy with a database; nil where either cannot be read to its end.
  package init?(
    _ other: Reconstruction, named name: String, of own: Reconstruction, isOfConflict: Bool
  ) {
    guard let image = own.survey.image, let others = other.survey.image,
      let header = other.survey.header, let rows = try? own.compare(with: other)
    else { return nil }
    let pages = (1...max(1, min(image.pageCount, Self.pagesMax))).compactMap { PageNumber($0) }
    let same = pages.count { page in
      (try? image.bytes(of: page)).map { $0 == (try? others.bytes(of: page)) } ?? false
    }
    self.init(
      name: name, changeCounter: header.changeCounter, overlap: .init(rows),
      isOfConflict: isOfConflict, sharesPages: same * 2 > pages.count)
  }
}

extension Circumstances.Overlap {
  /// What two states have in common, of all tables together.
  package init(_ tables: [RowComparison]) {
    self.init(
      common: tables.reduce(0) { $0 + $1.same + $1.changed },
      mostSame: tables.map(\.same).max() ?? 0,
      changed: tables.reduce(0) { $0 + $1.changed },
      onlyBackup: tables.reduce(0) { $0 + $1.onlyOther },
      hasOwn: tables.contains { $0.onlyCurrent > 0 || !$0.columnsOnlyCurrent.isEmpty })
  }
}
