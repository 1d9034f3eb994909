// SPDX-License-Identifier: Apache-2.0
// Two whole databases compared as SQLite reads them: schema, versions, counters and every row.

package import DatabaseRescue
import SQLiteFormat

extension Oracle {
  /// The schema, the versions and the counters, each as one text; what SQLite keeps for itself,
  /// such as statistics, is left out.
  private var frame: [String] {
    get throws {
      let queries = [
        """
        SELECT group_concat(type || ' ' || name || ' ' || coalesce(sql, ''), char(10))
        FROM (SELECT * FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          ORDER BY type, name)
        """,
        "SELECT 'user_version ' || user_version FROM pragma_user_version",
        "SELECT 'application_id ' || application_id FROM pragma_application_id",
        "SELECT 'encoding ' || encoding FROM pragma_encoding",
      ]
      let sequences = """
        SELECT group_concat(name || ' ' || seq, char(10))
        FROM (SELECT * FROM sqlite_sequence ORDER BY name)
        """
      let counted = try value("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'") != nil
      return try (queries + (counted ? [sequences] : [])).map {
        try value($0)?.utf8String ?? ""
      }
    }
  }

  /// Everything in the database, one object or row a line, for comparing and never for reading.
  package var wholeContent: [String] {
    get throws {
      try frame
        + tables.flatMap { table in
          try [table] + rows(of: table).map(\.description).sorted()
        }
    }
  }

  /// The first difference between two databases; nil when they hold the same.
  ///
  /// The message shows values: for tests only.
  package static func firstDifference(
    expected: FilePath, actual: FilePath, comparingFrames: Bool = true
  ) throws -> String? {
    let (expected, actual) = (try Oracle(expected), try Oracle(actual))
    let errors = try actual.integrityErrors
    if !errors.isEmpty { return "not sound: \(errors[0])" }
    if comparingFrames {
      for (one, other) in zip(try expected.frame, try actual.frame) where one != other {
        return "expected\n\(one)\nfound\n\(other)"
      }
    }
    let tables = (try expected.tables, try actual.tables)
    if tables.0 != tables.1 { return "tables \(tables.0) expected, \(tables.1) found" }
    for table in tables.0 {
      let difference = RescueTestSupport.firstDifference(
        expected: try expected.rows(of: table), actual: try actual.rows(of: table))
      if let difference { return "\(table): \(difference)" }
    }
    return nil
  }
}
