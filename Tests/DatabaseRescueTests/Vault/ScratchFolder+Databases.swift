// SPDX-License-Identifier: Apache-2.0
// What the tests of backups have in their folders: databases, and what came to lie beside them.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat

extension ScratchFolder {
  /// The names in a folder of this folder; none where there is none.
  func names(_ folder: String = ".") -> [String] {
    let names = try? SystemStorage().names(in: self[FilePath(folder)])
    return (names ?? []).map(\.description)
  }

  /// Makes a database with two tables, one of them of about so many KiB.
  @discardableResult
  func database(
    _ name: String = "app.db", pageSize: Int = 4096, journalMode: String = "delete",
    kibibytes: Int = 64
  ) throws -> FilePath {
    let path = self[FilePath(name)]
    let connection = try Connection(path, mode: .create, schemaBy: .us)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = \(journalMode);
      PRAGMA user_version = 7; PRAGMA application_id = 99;
      CREATE TABLE note(id INTEGER PRIMARY KEY, body TEXT);
      CREATE TABLE tag(note INTEGER REFERENCES note(id), name TEXT);
      CREATE INDEX tag_name ON tag(name);
      INSERT INTO note(body) WITH RECURSIVE n(i) AS
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(kibibytes))
        SELECT substr(hex(randomblob(512)), 1, 1000) FROM n;
      INSERT INTO tag SELECT id, 'tag ' || id FROM note WHERE id % 8 = 0;
      """)
    return path
  }
}
