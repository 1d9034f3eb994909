// SPDX-License-Identifier: Apache-2.0
// What is there after a guard has ended: who may use the database, the way back, and whether anybody
// can tell.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct GuardAfterwardsTests {
  let bench: Workbench
  let file: FilePath
  init() throws {
    bench = try Workbench()
    file = try bench.place("healthy-v4.db", as: "app.db")
  }

  /// Runs a script under guard, in which `$0` is the database.
  private func guarding(_ policy: String, _ script: String) throws -> Ending {
    try bench.run("guard", file, "--on-failure", policy, "--", "/bin/sh", "-c", script, file)
  }

  /// A copy of the database that has taken its place, after it was changed.
  private func replacement(_ sql: String) throws -> FilePath {
    let new = bench["new.db"]
    try file.copyFileSet(to: new)
    try Connection(new, mode: .readWrite, schemaBy: .us).execute(sql)
    return new
  }

  private func mode() throws -> String? { try SystemStorage().status(of: file)?.access.mode }

  // MARK: Who may use it

  @Test func `who might use the database may again when it is put back`() throws {
    try SystemStorage().setAccess(of: file, to: FileAccess(mode: 0o640))
    let new = try replacement("DELETE FROM sets")
    let ending = try guarding("restore", "chmod 600 '\(new)'; mv '\(new)' \"$0\"")
    #expect(ending.status == 18, "\(ending.all)")
    #expect(try mode() == "640")
  }

  @Test func `that others may use the database after a migration is told`() throws {
    try SystemStorage().setAccess(of: file, to: FileAccess(mode: 0o640))
    let new = try replacement("CREATE TABLE more (a)")
    let ending = try guarding("restore", "chmod 600 '\(new)'; mv '\(new)' \"$0\"")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(
      ending.all.contains("unless it was meant: the file of the database is"), "\(ending.all)")
    #expect(ending.all.contains("mode 600, and was"), "\(ending.all)")
  }

  // MARK: The way back

  /// Backups until only the newest five of one day would stay.
  private func makeBackups() throws {
    for _ in 0..<6 { #expect(try bench.run("backup", file).status == 0) }
  }

  private func wayBack() throws -> Backup {
    let new = try replacement("DELETE FROM sets")
    #expect(try guarding("stop", "cat '\(new)' > \"$0\"").status == 19)
    return try #require(try Vault(of: file).list().first)
  }

  private func isThere(_ backup: Backup) throws -> Bool { try backup.path.exists }

  @Test func `the way back from a migration that was left stays until somebody has gone back`()
    throws
  {
    let backup = try wayBack()
    try makeBackups()
    let pruned = try bench.run("vault", "prune", file, "--yes")
    #expect(pruned.status == 0, "\(pruned.all)")
    #expect(try isThere(backup))
    #expect(pruned.all.contains("the way back from a migration that was refused"), "\(pruned.all)")
    #expect(
      try bench.run("restore", file, "--from", backup.name.id.description, "--yes").status == 0)
    try makeBackups()
    #expect(try bench.run("vault", "prune", file, "--yes").status == 0)
    #expect(try !isThere(backup))
  }

  @Test(arguments: [["backup", "--accept"], ["guard"]])
  func `the way back from a migration that was left goes once what it left is kept`(
    _ words: [String]
  ) throws {
    let backup = try wayBack()
    let rest: [any Word] = words[0] == "guard" ? ["--", "true"] : ["--accept"]
    #expect(try bench.run([words[0], file] + rest).status == 0)
    try makeBackups()
    #expect(try bench.run("vault", "prune", file, "--yes").status == 0)
    #expect(try !isThere(backup))
  }

  @Test func `what a migration that was refused and left has cost is told by the next one`() throws
  {
    let backup = try wayBack()
    let next = try bench.run("guard", file, "--", "true")
    #expect(next.status == 0, "\(next.all)")
    #expect(next.all.contains("already before it: since backup \(backup.name.id)"), "\(next.all)")
    #expect(next.all.contains("'sets' has 0 rows and had"), "\(next.all)")
    #expect(next.all.contains("--from \(backup.name.id)"), "\(next.all)")
  }

  // MARK: What cannot be told

  @Test func `a folder that cannot be looked into leaves untold whether a migration was cut off`()
    throws
  {
    let folder = file.adding(suffix: ".rescue")
    #expect(
      try Command("/bin/ln", ["-s", folder.name.description, folder.description]).run().status == 0)
    let words = "whether a migration was cut off here could not be told: 'app.db.rescue'"
    let check = try bench.run("check", file)
    #expect(check.all.contains(words), "\(check.all)")
    #expect(check.all.contains("as far as it was checked"), "\(check.all)")
    #expect(try bench.run("check", file, "--json").output.contains("\"subject\": \"migration\""))
    let vault = bench["vault"]
    try SystemStorage().createFolder(vault)
    let status = try bench.run("vault", "status", file, "--vault", vault)
    #expect(status.status == 77, "\(status.all)")
    #expect(status.all.contains(words), "\(status.all)")
  }
}
