// SPDX-License-Identifier: Apache-2.0
// Single rows of a merge: what was decided about them, and from which input they come.

import Diagnosis
import SQLiteFormat

extension Merger {
  /// Does what belongs together; where it fails for what is in the databases, all is as before.
  ///
  /// - Returns: The error, where there was one.
  /// - Throws: Errors of the disk, of memory, and of whoever wishes the run to stop.
  mutating func attempt(_ body: (inout Merger) throws -> Void) throws -> SQLiteError? {
    connection.patience.allow(Patience.enough(for: byteCount))
    let before = ledger
    let mark = try aside.mark()
    try connection.execute("SAVEPOINT one_attempt")
    do {
      try body(&self)
      try connection.execute("RELEASE one_attempt")
      try aside.keep(since: mark)
      return nil
    } catch {
      try world.requireGoingOn()
      guard let error = error as? SQLiteError, error.isOfOneObject else { throw error }
      connection.patience.allow(Patience.enough(for: byteCount))
      try connection.execute("ROLLBACK TO one_attempt; RELEASE one_attempt")
      try aside.takeBack(to: mark)
      ledger = before
      return error
    }
  }

  /// How many rows are gone through together.
  private static let batch = 4096

  /// Goes through the rows of a table about which something was decided, while that changes.
  mutating func forEach(
    _ decision: MergeDecision, of table: MergeTable,
    _ body: (inout Merger, Value) throws -> Void
  ) throws {
    let statement = PreparedStatement(
      try connection.prepare(
        """
        SELECT seq FROM \(table.decisions) WHERE decision = \(decision.rawValue) AND seq > ?
        ORDER BY seq LIMIT \(Self.batch)
        """))
    var last = Value.integer(0)
    while true {
      var rows: [Value] = []
      try statement.forEach([last]) { row throws(SQLiteError) in rows.append(row[0]) }
      guard let end = rows.last else { return }
      for row in rows { try body(&self, row) }
      last = end
    }
  }

  /// Notes that a constraint refuses a row; what is no fault of the row ends the run.
  func refuse(_ row: Value, of table: MergeTable, _ error: SQLiteError) throws {
    try world.requireGoingOn()
    guard error.isOfRow else { throw error }
    try connection.prepare(
      "UPDATE \(table.decisions) SET decision = 4, reason = ? WHERE seq = ?"
    ).run([.text(error.message), row])
  }

  /// What an input is called.
  func label(_ input: Int) -> String { labels[input] }

  /// The input from which a row of the result comes that a decision is about.
  func owner(of row: Value, in table: MergeTable) throws -> Int {
    guard inputCount > 2, try connection.tables(in: "work").contains(table.ownersName) else {
      return inputCount - 1
    }
    let same = table.places("m").map { "t.\($0) IS d.\($0)" }.conjunction
    let owner = try connection.value(
      """
      SELECT t.input FROM \(table.decisions) AS d CROSS JOIN \(table.owners) AS t ON \(same)
      WHERE d.seq = ?
      """, [row])
    return owner?.integerValue.map { Int($0) } ?? inputCount - 1
  }

  /// Notes which rows of the result come from an older input, where a still older one may displace
  /// them.
  func noteOwners(of table: MergeTable, _ input: Int) throws {
    guard inputCount > 2, rules.prefersOld || table.clock != nil else { return }
    let places = table.places("m").joined(separator: ", ")
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS \(table.owners) (\(places), input, PRIMARY KEY (\(places)));
      INSERT OR REPLACE INTO \(table.owners) (\(places), input)
      SELECT \(places), \(input) FROM \(table.decisions) WHERE decision IN (0, 3)
      """)
  }
}

extension MergeTable {
  /// The table of owners without the name of its database.
  var ownersName: Name { "t\(number)" }

  /// What is said of a row that is the newer one.
  var newerWords: String { clock.map { ": it is the newer one by '\($0)'" } ?? "" }

  /// Inserts the row of a decision, under the hidden rowid that it had, or that the one before it
  /// has; another one where that is taken.
  func insertion(at side: String) -> String {
    let names = columns.map(\.quotedIdentifier) + (hidesAddress ? [address[0]] : [])
    var values = columns.map { "o.\($0.quotedIdentifier)" }
    if hidesAddress {
      values.append(
        """
        CASE WHEN EXISTS (SELECT 1 FROM main.\(quoted) AS t WHERE t.\(address[0]) = d.\(side)0)
        THEN NULL ELSE d.\(side)0 END
        """)
    }
    return """
      INSERT OR ABORT INTO main.\(quoted) (\(names.joined(separator: ", ")))
      SELECT \(values.joined(separator: ", ")) FROM \(decisions) AS d
      CROSS JOIN older.\(quoted) AS o ON \(isRow("o", "o")) WHERE d.seq = ?
      """
  }

  /// The values of the row of the result that a decision is about.
  var displacedRow: String {
    """
    SELECT \(record("m")) FROM \(decisions) AS d CROSS JOIN main.\(quoted) AS m
    ON \(isRow("m", "m")) WHERE d.seq = ?
    """
  }

  /// Takes the row of the result away that a decision is about.
  var removal: String {
    let places = address.enumerated().map { place, name in
      "\(name)\(collation(at: place)) = (SELECT m\(place) FROM \(decisions) WHERE seq = ?1)"
    }
    return "DELETE FROM main.\(quoted) WHERE \(places.conjunction)"
  }
}

extension SQLiteError {
  /// Whether an error is one of a single object: of the SQL in its declaration, and not of the disk,
  /// of memory, or of a lock.
  ///
  /// A statement that was stopped has taken the whole transaction with it.
  var isOfOneObject: Bool {
    [.constraint, .other, .permission].contains(cause) && !isInterruption
  }
}

extension Survey {
  /// The columns of a table of the result that the file's own table has.
  func columns(
    sharedWith table: TableDescription, renamed: [Name: Name], namesMayBeDamaged: Bool
  ) -> Set<Name> {
    let all = Set(table.columns.map(\.name))
    guard table.kind != .virtual,
      let tree = trees.first(where: { $0.entry.kind == .table && $0.entry.name == table.name }),
      let own = self.table(of: tree)
    else { return all }
    let mapping = ColumnMapping(
      from: own.shape, to: table, renamed: renamed, namesMayBeDamaged: namesMayBeDamaged)
    return Set(mapping.targets).union(mapping.rowIDColumn.map { [$0] } ?? [])
  }
}
