// SPDX-License-Identifier: Apache-2.0
// The rows that a salvage puts into a table, for tests that look at nothing else.

import SQLiteFormat
import Testing

@testable import Diagnosis

/// The rows that a salvage puts into a table of a database, in the order in which it reads them.
func placedRows(in table: Name, of bytes: Bytes) throws -> [StoredRecord] {
  let survey = Survey(main: bytes)
  let reader = try #require(SalvageReader(Reconstruction(survey)))
  var claims = reader.startingClaims
  var rows: [StoredRecord] = []
  reader.read(try #require(survey.tree(named: table)), &claims) { item in
    if case .row(_, let row) = item { rows.append(row) }
  }
  return rows
}
