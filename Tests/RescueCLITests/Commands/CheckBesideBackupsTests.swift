// SPDX-License-Identifier: Apache-2.0
// `check` beside the backups of a database: an older copy in its place is told of, and what only
// looks like one is not.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import RescueCLI

@Suite struct CheckBesideBackupsTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try make()
  }

  private static let insert = """
    INSERT INTO t (body) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    SELECT 'text' FROM n;
    """

  private func make() throws {
    try Connection(file, mode: .create, schemaBy: .us).execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT);" + Self.insert)
  }

  private func change(_ sql: String) throws {
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(sql)
  }

  /// Makes a backup, and puts an older copy in the place of the database.
  ///
  /// - Returns: The name of the backup.
  private func goBack(_ options: any Word...) throws -> String {
    let old = try file.contents()
    try change(Self.insert)
    let backup = try bench.run(["backup", file, "--json"] as [any Word] + options)
    #expect(backup.status == 0, "\(backup.all)")
    bench.pass(hours: 1)
    // It stays the same file, as with `cp`.
    let written = try SystemStorage().open(file, .readWrite)
    try written.truncate(to: 0)
    try written.write(old, at: 0)
    return try #require(backup.backup["id"]?.text)
  }

  /// What was said, however its lines are broken.
  private func words(_ ending: Ending) -> String {
    ending.all.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func `an older copy of the file is sound, and is told of with the backup's name`() throws {
    let id = try goBack()
    let (check, diagnosis) = (try bench.run("check", file), try bench.run("diagnose", file))
    #expect(check.status == 0 && check.status == diagnosis.status, "\(check.all)")
    #expect(check.all.contains("older than its backup"), "\(check.all)")
    #expect(check.all.contains("DBR-F130") && check.all.contains(id), "\(check.all)")
    #expect(check.all.contains("next: dbrescue diagnose"), "\(check.all)")
  }

  @Test func `backups in another folder are looked at where it is named`() throws {
    let vault = bench["vault"]
    let id = try goBack("--vault", vault)
    #expect(try !bench.run("check", file).all.contains("DBR-F130"))
    let ending = try bench.run("check", file, "--vault", vault)
    #expect(ending.all.contains("DBR-F130") && ending.all.contains(id), "\(ending.all)")
    #expect(ending.all.contains("--vault"), "\(ending.all)")
  }

  @Test func `backups that cannot be looked at are not checked, and no reason to fail`() throws {
    _ = try goBack()
    let vault = bench["vault"]
    try FileManager.default.createSymbolicLink(
      atPath: vault.description, withDestinationPath: vault.description)
    let ending = try bench.run("check", file, "--vault", vault)
    #expect(ending.status == 0 && !ending.all.contains("DBR-F130"), "\(ending.all)")
    #expect(ending.all.contains("as far as it was checked"), "\(ending.all)")
    #expect(words(ending).contains("its backups cannot be looked at"), "\(ending.all)")
  }

  @Test func `a monitor hears of an older copy, and its status stays what it was`() throws {
    let id = try goBack()
    let ending = try bench.run("vault", "status", file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("older than its backup \(id)"), "\(ending.all)")
  }

  @Test func `a newer backup that is damaged is named as one that was not compared`() throws {
    let id = try goBack()
    let folder = file.adding(suffix: ".rescue").appending("backups")
    for name in try SystemStorage().names(in: folder) where name.description.hasSuffix(".db.gz") {
      let path = folder.appending(name)
      try path.replaceContents(with: Bytes(path.contents().dropLast(200)))
    }
    let ending = try bench.run("check", file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(
      words(ending).contains("backup \(id), which is newer, is damaged or cannot be read"),
      "\(ending.all)")
  }

  @Test func `what an app does to its rows is no reason for alarm`() throws {
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 1)
    for sql in [
      "VACUUM", "DELETE FROM t WHERE id % 2", Self.insert, "DELETE FROM t", "DROP TABLE t; VACUUM",
    ] {
      try change(sql)
      let ending = try bench.run("check", file)
      #expect(ending.status == 0 && !ending.all.contains("DBR-F130"), "\(sql): \(ending.all)")
    }
    try SystemStorage().remove(file)
    try make()
    #expect(try !bench.run("check", file).all.contains("DBR-F130"))
  }

  @Test func `what this program puts back is meant to be older`() throws {
    let first = try #require(try bench.run("backup", file, "--json").backup["id"]?.text)
    bench.pass(hours: 1)
    try change(Self.insert)
    #expect(try bench.run("backup", file).status == 0)
    bench.pass(hours: 1)
    let restored = try bench.run("restore", file, "--from", first, "--yes")
    #expect(restored.status == 0, "\(restored.all)")
    #expect(try !bench.run("check", file).all.contains("DBR-F130"))
    bench.pass(hours: 1)
    let code = try #require(restored.record).code
    #expect(try bench.run("undo", "\(code)", file, "--yes").status == 0)
    #expect(try !bench.run("check", file).all.contains("DBR-F130"))
  }
}
