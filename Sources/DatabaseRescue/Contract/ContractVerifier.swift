// SPDX-License-Identifier: Apache-2.0
// Asks SQLite how a database stands to its contract: on a private copy, reading only.

package import Diagnosis
import SQLiteFormat

/// Asks SQLite how a database stands to its contract.
package struct ContractVerifier: Sendable {
  /// How many rows that break an invariant are counted.
  package var rowsMax: Int
  /// How many steps of SQLite's machine a query may take: some seconds' worth.
  package var stepsMax: Int

  /// Makes a verifier.
  package init(rowsMax: Int = 1000, stepsMax: Int = 500_000_000) {
    self.rowsMax = rowsMax
    self.stepsMax = stepsMax
  }

  /// Verifies an open database, of which the schema may be known.
  ///
  /// The contract's SQL may ask and nothing else, and takes no longer than the limit; afterwards
  /// the connection reads double-quoted names as names only.
  ///
  /// - Throws: ``SQLiteError`` when the schema or the versions cannot be read.
  package func verify(
    _ connection: borrowing Connection, against contract: Contract,
    schema: SchemaDescription? = nil
  ) throws(SQLiteError) -> ContractVerification {
    let version = try connection.value("PRAGMA user_version")?.integerValue ?? 0
    let application = try connection.value("PRAGMA application_id")?.integerValue ?? 0
    let applicationID = Int32(truncatingIfNeeded: application)
    let found: SchemaDescription
    if let schema { found = schema } else { found = try SchemaReader.describe(connection) }
    var result = ContractVerification(
      expectedVersion: contract.userVersion, foundVersion: Int32(truncatingIfNeeded: version),
      expectedApplicationID: contract.applicationID, foundApplicationID: applicationID,
      differences: contract.differences(in: found, applicationID: applicationID))
    result.ignoredTables = contract.ignoreTables
    connection.patience.limited(perStatement: stepsMax) {
      checkForeignKeys(connection, of: found, ignoring: contract.ignoreTables, &result)
      // A mistyped column in double quotes would be a string, and a wrong predicate true or false.
      connection.refuseDoubleQuotedStrings()
      connection.permitting(.queries) {
        compareBooks(connection, contract, &result)
        if result.relation == .equal { checkInvariants(connection, contract.invariants, &result) }
        result.differences = counted(result.differences, in: connection).map(\.keepingRules)
        result.unsynced = contract.unsyncedPlaces(in: found).map { place in
          ContractVerification.Unsynced(
            name: place.name, table: place.table, rows: Self.count(place, in: connection))
        }
      }
    }
    return result
  }

  /// Differences of which the rows are counted that do not fit what would mend them.
  package func counted(
    _ differences: [ContractDifference], in connection: borrowing Connection
  ) -> [ContractDifference] {
    var result = differences
    for index in result.indices {
      var counts: [Int] = []
      for test in result[index].mend.tests {
        guard let count = try? connection.value(test.query)?.integerValue else { break }
        counts.append(Int(count))
      }
      if counts.count == result[index].mend.tests.count { result[index].mend.counts = counts }
    }
    return result
  }

  private func checkForeignKeys(
    _ connection: borrowing Connection, of schema: SchemaDescription, ignoring tables: [Name],
    _ result: inout ContractVerification
  ) {
    let ignored = Set(tables)
    for table in schema.tables where !table.foreignKeys.isEmpty {
      guard !ignored.contains(table.name) else { continue }
      do throws(SQLiteError) {
        let count = try connection.value(
          "SELECT count(*) FROM pragma_foreign_key_check(?)", [.text(table.name)])?.integerValue
        guard let count, count > 0 else { continue }
        result.danglingReferences.append(.init(table: table.name, count: Int(count)))
      } catch {
        result.uncheckedForeignKeys.append(.init(name: table.name.text, reason: error.message))
      }
    }
  }

  private func checkInvariants(
    _ connection: borrowing Connection, _ invariants: [Contract.Invariant],
    _ result: inout ContractVerification
  ) {
    for invariant in invariants {
      var count = 0
      do throws(SQLiteError) {
        let statement = try connection.prepare(invariant.sql)
        while count <= rowsMax, try statement.step() { count += 1 }
        guard count > 0 else { continue }
        result.brokenInvariants.append(
          .init(name: invariant.name, rows: min(count, rowsMax), isExact: count <= rowsMax))
      } catch {
        if count > 0 {
          result.brokenInvariants.append(
            .init(name: invariant.name, rows: count, isExact: false))
        } else {
          result.uncheckedInvariants.append(.init(name: invariant.name, reason: error.message))
        }
      }
    }
  }

  /// The rows that wait in a place; whatever cannot be read cannot be told.
  private static func count(
    _ place: Contract.UnsyncedPlace, in connection: borrowing Connection
  ) -> UnsyncedRows {
    guard let predicate = place.predicate else { return .cannotTell }
    do {
      // The predicate may end in a comment.
      let count = try connection.value(
        "SELECT count(*) FROM \(place.table.quotedIdentifier) WHERE (\(predicate)\n)")?.integerValue
      guard let count else { return .cannotTell }
      return count == 0 ? .none : .some(Int(count))
    } catch {
      return .cannotTell
    }
  }
}
