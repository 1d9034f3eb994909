// SPDX-License-Identifier: Apache-2.0
// Looking after a vault: what is proven, what goes, and what comes out of a damaged backup.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct VaultCommandTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try FitnessLog.create(file, version: 4, workouts: 60)
  }

  /// Makes a backup, an hour after the last.
  @discardableResult
  private func backUp(_ file: FilePath? = nil) throws -> FilePath {
    bench.pass(hours: 1)
    let ending = try bench.run("backup", file ?? self.file, "--json")
    return FilePath(try #require(try ending.backup["path"]?.text))
  }

  private var folder: FilePath { file.adding(suffix: ".rescue").appending("backups") }

  private func backups() throws -> [JSON] {
    try #require(try bench.run("vault", "list", file, "--json").json["backups"]?.elements)
  }

  private func flip(_ path: FilePath, at offset: Int) throws {
    var bytes = try path.contents()
    bytes[offset] ^= 0x10
    try path.replaceContents(with: bytes)
  }

  // MARK: verify

  @Test func `the date of the last proof is kept and shown`() throws {
    let path = try backUp()
    try backUp()
    #expect(try backups().map { $0["proven"]?["at"]?.text } == [nil, nil])
    bench.pass(hours: 48)
    #expect(try bench.run("vault", "verify", file, path).status == 0)
    let proven = try #require(try backups()[1]["proven"])
    #expect(proven["passed"]?.bool == true)
    let date = try #require(proven["at"]?.text)
    #expect(try bench.run("vault", "list", file).output.contains(date))
    #expect(try backups()[0]["proven"]?["at"]?.text == nil)
  }

  @Test func `where there is nothing to prove, nothing is proven`() throws {
    #expect(try bench.run("vault", "verify", file).status == 24)
    try SystemStorage().createFolder(folder)
    #expect(try bench.run("vault", "verify", folder).status == 24)
  }

  @Test(arguments: [true, false])
  func `a file that another program made is compared with nothing`(_ isDatabase: Bool) throws {
    let path = try backUp()
    let content = bench["content"]
    try content.replaceContents(with: isDatabase ? file.contents() : Bytes("hello".utf8))
    let zip = try Command(
      "/bin/sh", ["-c", "gzip -c < \"$0\" > \"$1\"", content.description, path.description]
    ).run()
    #expect(zip.status == 0)
    #expect(try bench.run("vault", "list", file).output.contains("never"))
    let ending = try bench.run("vault", "verify", file)
    #expect(ending.status == (isDatabase ? 0 : 65))
    #expect(!ending.output.contains(": holds"))
  }

  @Test func `a backup that has rotted is good no more, until it is proven again`() throws {
    try backUp()
    let newest = try backUp()
    let offset = try newest.contents().count / 2
    try flip(newest, at: offset)
    #expect(try backups().map { $0["good"]?.bool } == [true, true])
    #expect(try bench.run("vault", "verify", file).status == 65)
    #expect(try backups().map { $0["good"]?.bool } == [false, true])
    #expect(try bench.run("vault", "list", file).output.contains("damaged"))
    // The latest to restore is now the one before.
    let restored = try bench.run("restore", file, "--output", bench["new.db"], "--json")
    #expect(try restored.json["backup"]?.text != newest.name.description)
    try flip(newest, at: offset)
    #expect(try bench.run("vault", "verify", file).status == 0)
    #expect(try backups().map { $0["good"]?.bool } == [true, true])
  }

  @Test func `the backups of a database that is gone are found by its name`() throws {
    let file = try bench.place("healthy-v4.db", as: "gone.db")
    #expect(try bench.run("backup", file).status == 0)
    try SystemStorage().remove(file)
    #expect(try bench.run("vault", "list", file, "--json").json["backups"]?.elements.count == 1)
    #expect(try bench.run("vault", "verify", file).status == 0)
    #expect(try bench.run("vault", "list", bench["never.db"]).status == 66)
  }

  @Test func `a backup of a sound database that drifts from its contract ends as the check does`()
    throws
  {
    let file = bench["drift.db"]
    try DatabaseBuilder(["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"]).build(at: file)
    let contract = bench["drift.json5"]
    try contract.replaceContents(
      with: Bytes(
        "{schema: 1, name: 'd', userVersion: 0, freshSchema: ['CREATE TABLE t (b)']}".utf8))
    let check = try bench.run("check", file, "--contract", contract)
    let backup = try bench.run("backup", file, "--contract", contract, "--json")
    #expect(check.status == 12 && backup.status == 12, "\(check.all)\n\(backup.all)")
    #expect(try backup.backup["good"]?.bool == false)
  }

  @Test func `lost or torn notes hide no backup`() throws {
    let path = try backUp()
    #expect(try bench.run("vault", "verify", file).status == 0)
    let notes = folder.appending(".proofs.jsonl")
    let whole = try notes.contents()
    try notes.replaceContents(with: Bytes(whole.dropLast(9)))
    #expect(try backups().map { $0["good"]?.bool } == [true])
    #expect(try bench.run("vault", "verify", file, path).status == 0)
    #expect(try backups()[0]["proven"]?["passed"]?.bool == true)
    try notes.replaceContents(with: [0xFF, 0x0A, 0x7B])
    #expect(try backups()[0]["good"]?.bool == true)
  }

  // MARK: prune

  @Test func `an old backup under a new name takes the place of none that is newer`() throws {
    let (old, newest, renamed) = try (backUp(), backUp(), backUp())
    try renamed.replaceContents(with: old.contents())
    let flags = ["--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0"]
    let plan = try bench.run(["vault", "prune", file, "--dry-run", "--json"] + flags)
    let kept = try #require(try plan.json["backups"]?.elements).filter { $0["keep"]?.bool == true }
    #expect(kept.map { $0["path"]?.text } == [newest.description])
    #expect(try backups().first?["path"]?.text == newest.description)
  }

  @Test func `a dry run names every backup with its reason, and removes none`() throws {
    let paths = try (0..<4).map { _ in try backUp() }
    let before = try bench.look()
    let flags = ["--keep-last", "2", "--keep-daily", "0", "--keep-weekly", "0"]
    let plan = try bench.run(["vault", "prune", file, "--dry-run", "--json"] + flags)
    #expect(plan.status == 0)
    let decisions = try #require(try plan.json["backups"]?.elements)
    #expect(
      decisions.map { $0["reason"]?.text } == ["last-good", "last", "superseded", "superseded"])
    #expect(decisions.map { $0["keep"]?.bool } == [true, true, false, false])
    let text = try bench.run(["vault", "prune", file, "-n"] + flags).output
    #expect(text.contains("the newest good one") && text.contains("remove"))
    #expect(try before.changes(until: bench.look()) == [])
    // Nobody is there to ask: nothing is removed either.
    #expect(try bench.run(["vault", "prune", file] + flags).status == 20)
    #expect(try before.changes(until: bench.look()) == [])

    #expect(try bench.run(["vault", "prune", file, "--yes"] + flags).status == 0)
    #expect(
      try backups().compactMap { $0["path"]?.text } == paths.suffix(2).reversed().map(\.description)
    )
    #expect(try bench.run(["vault", "prune", file, "--yes"] + flags).status == 0)
  }

  private let strict: [any Word] = [
    "--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0", "--yes",
  ]

  @Test func `nothing is removed while the newest backup is of a damaged database`() throws {
    for _ in 0..<3 { try backUp() }
    let sound = try file.contents()
    try flip(file, at: 5 * 4096 + 3)
    try backUp()
    try file.replaceContents(with: sound)
    let before = try bench.look()
    let ending = try bench.run(["vault", "prune", file, "--json"] + strict)
    #expect(ending.status == 65)
    #expect(
      try ending.json["backups"]?.elements.allSatisfy { $0["reason"]?.text == "newest-not-good" }
        == true)
    #expect(try before.changes(until: bench.look()) == [])
    let told = try bench.run(["vault", "prune", file] + strict)
    #expect(told.all.contains("the newest backup is not good, and"), "\(told.all)")
    #expect(told.all.contains("next: dbrescue backup \(file)\n"), "\(told.all)")
    // A good one later, what was damaged still stays.
    try backUp()
    #expect(try bench.run(["vault", "prune", file] + strict).status == 0)
    #expect(try backups().map { $0["good"]?.bool } == [true, false])
  }

  @Test(arguments: ["full", "quick"])
  func `a backup of a damaged database does not count as good, however it is verified`(
    _ verification: String
  ) throws {
    try flip(file, at: 5 * 4096 + 3)
    let ending = try bench.run("backup", file, "--verify", verification, "--json")
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try backups().map { $0["good"]?.bool } == [false])
  }

  @Test func `nothing is removed while the database is damaged`() throws {
    for _ in 0..<3 { try backUp() }
    try flip(file, at: 5 * 4096 + 3)
    let before = try bench.look()
    for place in [file, folder] {
      let ending = try bench.run(["vault", "prune", place, "--json"] + strict)
      #expect(ending.status == 65, "\(ending.all)")
      #expect(
        try ending.json["backups"]?.elements.first?["reason"]?.text == "database-has-findings")
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a vault elsewhere is pruned for one database, and not while that is damaged`() throws
  {
    let other = bench["other.db"]
    try other.replaceContents(with: file.contents())
    let vault = bench["vault"]
    for database in [file, other, file, other, file] {
      bench.pass(hours: 1)
      #expect(try bench.run("backup", database, "--vault", vault).status == 0)
    }
    func count(_ database: FilePath) throws -> Int? {
      try bench.run("vault", "list", database, "--vault", vault, "--json").json["backups"]?.elements
        .count
    }
    #expect(try count(file) == 3 && count(other) == 2)
    #expect(try bench.run("vault", "verify", other, "--vault", vault).status == 0)
    let sound = try file.contents()
    try flip(file, at: 5 * 4096 + 3)
    let prune: [any Word] = ["vault", "prune", file, "--vault", vault] + strict
    let ending = try bench.run(prune)
    #expect(ending.status == 65 && ending.all.contains("the database has findings, and"))
    #expect(ending.all.contains("next: dbrescue diagnose \(file) --vault \(vault)\n"))
    #expect(try count(file) == 3)
    try file.replaceContents(with: sound)
    #expect(try bench.run(prune).status == 0)
    #expect(try count(file) == 1 && count(other) == 2)
  }

  @Test func `nothing is removed when the one that stays has rotted`() throws {
    for _ in 0..<2 { try backUp() }
    let newest = try backUp()
    try flip(newest, at: newest.contents().count / 2)
    let before = try bench.look()
    let ending = try bench.run(["vault", "prune", file] + strict)
    #expect(ending.status == 65 && ending.all.contains("does not hold any more"))
    #expect(try before.changes(until: bench.look()) == ["added app.db.rescue/backups/.lock"])
  }

  @Test func `a rotten backup of a version does not take the place of one that holds`() throws {
    let intact = try backUp()
    let rotten = try backUp()
    var bytes = try file.contents()
    bytes[63] = 5
    try file.replaceContents(with: bytes)
    let newest = try backUp()
    try flip(rotten, at: rotten.contents().count / 2)
    let ending = try bench.run(["vault", "prune", file] + strict)
    #expect(ending.status == 0)
    // The plan that was shown first said that the intact one goes.
    let id = try #require(BackupName(intact)?.id).description
    #expect(ending.all.contains("\(rotten.name): does not hold any more"))
    #expect(ending.all.split(separator: "\n").last { $0.hasPrefix(id) }?.contains("keep") == true)
    let left = Set(try SystemStorage().names(in: folder))
    #expect(left.isSuperset(of: [intact.name, rotten.name, newest.name]))
    #expect(try backups().map { $0["good"]?.bool } == [true, false, true])
  }

  @Test func `a backup that a run relies on is not pruned`() throws {
    let first = try backUp()
    for _ in 0..<2 { try backUp() }
    let held = try SystemStorage().open(first, .read)
    #expect(try held.lock())
    let plan = try bench.run(["vault", "prune", file, "--json"] + strict)
    #expect(plan.status == 0 && plan.output.contains("in-use"))
    #expect(try backups().count == 2 && SystemStorage().status(of: first) != nil)
    withExtendedLifetime(held) {}
  }

  @Test func `of backups of one second, that of the later state is the newest`() throws {
    let made = try (0..<3).map { number in
      try Connection(file, mode: .app).execute("CREATE TABLE later\(number) (a)")
      let ending = try bench.run("backup", file, "--json")
      return FilePath(try #require(try ending.backup["path"]?.text))
    }
    // As copies have it: each file has the time at which it was copied.
    for path in made.reversed() {
      let bytes = try path.contents()
      try SystemStorage().remove(path)
      try path.replaceContents(with: bytes)
    }
    #expect(
      try backups().compactMap { $0["path"]?.text } == made.reversed().map(\.description))
  }

  @Test func `a backup that is dated in the future is not the newest`() throws {
    let good = try backUp()
    bench.pass(hours: 24 * 365)
    let future = try backUp()
    bench.pass(hours: -24 * 365)
    let restored = try bench.run("restore", file, "--output", bench["new.db"], "--json")
    #expect(try restored.json["backup"]?.text == good.name.description)
    try SystemStorage().remove(good)
    let ending = try bench.run("restore", file, "--yes")
    #expect(ending.status == 66 && ending.all.contains("dated in the future"))
    let named = try bench.run("restore", file, "--from", future, "--dry-run")
    #expect(named.status == 0 && named.all.contains("a time that has not come yet"))
  }

  @Test func `two runs do not prune one vault at once`() throws {
    for _ in 0..<3 { try backUp() }
    let holder = try SystemStorage().open(folder.appending(".lock"), .append)
    #expect(try holder.lock())
    let before = try bench.look()
    #expect(try bench.run(["vault", "prune", file] + strict).status == 75)
    #expect(try before.changes(until: bench.look()) == [])
    withExtendedLifetime(holder) {}
  }

  // MARK: extract

  @Test func `a whole backup is extracted, and nothing is replaced`() throws {
    let path = try backUp()
    let new = bench["new.db"]
    #expect(try bench.run("vault", "extract", path, "--output", new).status == 0)
    #expect(try Oracle.firstDifference(expected: file, actual: new) == nil)
    let before = try bench.look()
    #expect(try bench.run("vault", "extract", path, "--output", new).status == 73)
    #expect(try bench.run("vault", "extract", path).status == 64)
    try flip(path, at: path.contents().count / 2)
    #expect(try bench.run("vault", "extract", path, "--output", bench["no.db"]).status == 65)
    try flip(path, at: path.contents().count / 2)
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `what is left of a damaged backup is extracted, and salvaged`() throws {
    try FitnessLog.create(bench["large.db"], version: 4, workouts: 600)
    let path = try backUp(bench["large.db"])
    let total = try bench["large.db"].contents().count
    try flip(path, at: path.contents().count / 2)
    let rest = bench["rest.db"]
    let ending = try bench.run(
      "vault", "extract", path, "--output", rest, "--best-effort", "--json")
    #expect(ending.status == 14, "\(ending.all)")
    let json = try ending.json
    #expect(json["whole"]?.bool == false)
    let missing = try #require(json["missing"]?.elements)
    #expect(missing.count == 1)
    let first = try #require(missing[0]["firstByte"]?.number)
    let count = try #require(missing[0]["byteCount"]?.number)
    #expect(count == 65_536)
    #expect(missing[0]["firstPage"]?.number == first / 4096 + 1)
    let bytes = try rest.contents()
    #expect(bytes.count == total)
    #expect(bytes[Int(first)..<Int(first + count)].allSatisfy { $0 == 0 })

    let salvage = try bench.run("salvage", rest, "--output", bench["rows.db"])
    #expect(salvage.status == 14, "\(salvage.all)")
    let rows = try Connection(bench["rows.db"], mode: .readOnly, schemaBy: .us)
    let whole = try Connection(bench["large.db"], mode: .readOnly, schemaBy: .us)
    let (kept, all) = try (
      rows.value("SELECT count(*) FROM sets")?.integerValue ?? 0,
      whole.value("SELECT count(*) FROM sets")?.integerValue ?? 0
    )
    #expect(kept > all / 2 && kept <= all)
    #expect(try rows.value("PRAGMA integrity_check") == .text("ok"))
  }

  @Test func `a backup that was cut off has its schema at the front`() throws {
    try FitnessLog.create(bench["large.db"], version: 4, workouts: 600)
    let path = try backUp(bench["large.db"])
    let cut = bench["cut.db.gz"]
    try cut.replaceContents(with: Bytes(path.contents().dropLast(path.contents().count / 3)))
    let manifest = try #require(try BackupReader(cut).manifest)
    #expect(manifest.content.schemaSQL.contains { $0.contains("CREATE TABLE workouts") })
    #expect(manifest.content.userVersion == 4)
    let rest = bench["rest.db"]
    let ending = try bench.run("vault", "extract", cut, "--output", rest, "--best-effort")
    #expect(ending.status == 14 && ending.output.contains("missing: pages"), "\(ending.all)")
    #expect(try bench.run("salvage", rest, "--output", bench["rows.db"]).status == 14)
  }

  // MARK: hazards

  @Test func `a vault that must not be written to is listed, verified and not pruned`() throws {
    for _ in 0..<2 { try backUp() }
    // Not by permissions, which the administrator passes: a file in the place of each of ours.
    for name in [".proofs.jsonl", ".lock"] as [FilePath] {
      try SystemStorage().createFolder(folder.appending(name))
    }
    let verify = try bench.run("vault", "verify", file)
    #expect(verify.status == 0 && verify.all.contains("warning"))
    let before = try bench.look()
    #expect(try ![0, 20].contains(bench.run(["vault", "prune", file] + strict).status))
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a clock that goes backwards removes nothing new`() throws {
    for _ in 0..<2 { try backUp() }
    bench.pass(hours: -1000)
    let late = try backUp()
    bench.pass(hours: 1)
    let plan = try bench.run(["vault", "prune", file, "--json"] + strict)
    #expect(plan.status == 0)
    #expect(try backups().count == 3)
    #expect(try backups().last?["path"]?.text == late.description)
  }
}
