// SPDX-License-Identifier: Apache-2.0
// Why a salvage sets the rows of a table aside, for tests that look at nothing else.

import SQLiteFormat
import Testing

@testable import Diagnosis

/// What a salvage makes of the rows of a table.
struct SalvagedRows {
  /// The rowids of the rows that it places.
  var placed: [Int64] = []
  /// Why it sets others aside, by rowid.
  var doubts: [Int64: Doubt] = [:]

  init(of table: Name, in survey: Survey) throws {
    let reader = try #require(SalvageReader(Reconstruction(survey)))
    var claims = reader.startingClaims
    reader.read(try #require(survey.tree(named: table)), &claims) { item in
      switch item {
      case .row(_, let row): placed.append(row.rowID ?? 0)
      case .doubtful(_, let row, let doubt): doubts[row.rowID ?? 0] = doubt
      case .partial: break
      }
    }
  }
}
