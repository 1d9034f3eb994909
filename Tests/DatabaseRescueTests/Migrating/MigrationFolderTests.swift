// SPDX-License-Identifier: Apache-2.0
// A folder of numbered SQL files makes sense as a whole, or is refused with the names of all files
// that do not.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@Suite struct MigrationFolderTests {
  /// A folder that makes no sense.
  struct Flaw: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let files: [FilePath: Bytes]
    let says: String

    init(_ name: String, _ files: [FilePath: String], says: String) {
      self.init(name, files.mapValues { Bytes($0.utf8) }, says: says)
    }

    init(_ name: String, _ files: [FilePath: Bytes], says: String) {
      testDescription = name
      self.files = files
      self.says = says
    }
  }

  static let flaws = [
    Flaw("a gap", ["1.sql": "", "3.sql": ""], says: "there is none for version 2"),
    Flaw(
      "a number twice", ["0002_a.sql": "", "2_b.sql": ""],
      says: "'0002_a.sql' and '2_b.sql' have the same number"),
    Flaw("no number", ["init.sql": "", "1.sql": ""], says: "'init.sql' does not begin with"),
    Flaw("zero", ["0000.sql": ""], says: "'0000.sql' does not begin with"),
    Flaw(
      "a number too large", ["2147483648_a.sql": ""], says: "'2147483648_a.sql' does not begin"),
    Flaw("no file", [FilePath: String](), says: "is no file whose name ends in .sql"),
    Flaw("not UTF-8", ["1.sql": [0x2D, 0x2D, 0xFF]], says: "'1.sql' is not text in UTF-8"),
    Flaw("a NUL", ["1.sql": Bytes("SELECT 1;\0".utf8)], says: "'1.sql' contains a NUL"),
    Flaw("BEGIN", ["1.sql": "\n\nBEGIN;"], says: "1.sql:3: BEGIN has no place here"),
    Flaw("commit", ["1.sql": "SELECT 1; commit"], says: "1.sql:1: COMMIT has no place here"),
    Flaw("END TRANSACTION", ["1.sql": "END TRANSACTION"], says: "1.sql:1: END has no place"),
    Flaw("ROLLBACK", ["1.sql": "ROLLBACK"], says: "1.sql:1: ROLLBACK has no place"),
    Flaw("SAVEPOINT", ["1.sql": "SAVEPOINT a"], says: "1.sql:1: SAVEPOINT has no place"),
    Flaw("ATTACH", ["1.sql": "ATTACH 'x' AS y"], says: "1.sql:1: ATTACH has no place"),
    Flaw("VACUUM", ["1.sql": "VACUUM"], says: "1.sql:1: VACUUM does nothing"),
    Flaw(
      "user_version", ["1.sql": "-- 1\nPRAGMA main.user_version = 4"],
      says: "1.sql:2: PRAGMA user_version has no place here"),
    Flaw(
      "foreign_keys", ["1.sql": "PRAGMA foreign_keys=OFF;"],
      says: "1.sql:1: PRAGMA foreign_keys has no place here"),
    Flaw(
      "writable_schema", ["1.sql": "PRAGMA writable_schema=1;"],
      says: "1.sql:1: PRAGMA writable_schema has no place here"),
    Flaw(".mode", ["1.sql": ".mode csv"], says: "1.sql:1: a line that begins with '.'"),
  ]

  @Test(arguments: flaws)
  func `what makes no sense is refused by name`(_ flaw: Flaw) throws {
    try ScratchFolder.with { scratch in
      let folder = try Self.folder(flaw.files, in: scratch)
      let error = try #require(throws: RescueError.self) { try MigrationFolder(folder) }
      #expect(error.kind == .invalidInput)
      #expect(error.message.contains(flaw.says), "\(error.message)")
    }
  }

  @Test func `every file that cannot be used is named`() throws {
    try ScratchFolder.with { scratch in
      let folder = try Self.folder(
        ["a.sql": [], "1.sql": Bytes("BEGIN".utf8), "3.sql": []], in: scratch)
      let error = try #require(throws: RescueError.self) { try MigrationFolder(folder) }
      #expect(error.message.hasPrefix("1.sql:1: BEGIN"))
      #expect(error.advice.contains("also: 'a.sql' does not begin"))
      #expect(error.advice.contains("none for version 2"))
    }
  }

  @Test func `what else lies there is not looked at`() throws {
    try ScratchFolder.with { scratch in
      let text = "\u{FEFF}CREATE TABLE a (b);"
      let folder = try Self.folder(
        [
          "0007_a.sql": Bytes(text.utf8), "8.SQL": [], "README.md": [0xFF], ".9.sql": [0xFF],
        ], in: scratch)
      try SystemStorage().createFolder(folder.appending("old"))
      let files = try MigrationFolder(folder).files
      #expect(files.map(\.version) == [7, 8])
      #expect(files.map(\.name) == ["0007_a.sql", "8.SQL"])
    }
  }

  @Test func `a folder that is not there is missing`() throws {
    let error = try #require(throws: RescueError.self) { try MigrationFolder("/no/such/folder") }
    #expect(error.kind == .missing)
  }

  private static func folder(
    _ files: [FilePath: Bytes], in scratch: ScratchFolder
  ) throws -> FilePath {
    let folder = scratch["migrations"]
    try SystemStorage().createFolder(folder)
    for (name, bytes) in files { try folder.appending(name).replaceContents(with: bytes) }
    return folder
  }
}
