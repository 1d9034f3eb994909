// SPDX-License-Identifier: Apache-2.0
// What a command did to a database under guard, as the run log keeps it.

import Diagnosis
import SQLiteFormat

extension RunRecord {
  /// What a command did to a database under guard.
  package struct Migration: Hashable, Sendable, Codable {
    /// The rows of a table before and after.
    package struct RowCount: Hashable, Sendable, Codable {
      /// The table.
      package let table: PlainName
      /// Rows before; nil when there was no such table.
      package let before: Int?
      /// Rows after; nil when there is no such table.
      package let after: Int?
    }

    /// The program.
    package let program: PlainName
    /// The kind of its end in one word, such as `timed-out`.
    package let end: PlainName
    /// Its exit status, where it has said one.
    package let status: Int32?
    /// The signal that ended it.
    package let signal: Int32?
    /// What became of the database.
    package let result: PlainName
    /// Why the result was refused, one fact a line.
    package let problems: [PlainName]
    /// The tables whose number of rows is another one than before.
    package let rows: [RowCount]

    init(_ report: GuardReport) {
      program = report.judgement.program
      end = PlainName(report.end.word)
      status = report.end.status
      signal = report.end.signal
      result = PlainName(report.result.rawValue)
      problems = report.problems.prefix(listLimit).map { PlainName($0) }
      rows = report.rowCounts.filter { $0.before != $0.after }.prefix(listLimit).map {
        RowCount(table: PlainName($0.table.text), before: $0.before, after: $0.after)
      }
    }
  }
}
