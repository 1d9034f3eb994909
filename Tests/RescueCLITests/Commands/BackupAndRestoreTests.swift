// SPDX-License-Identifier: Apache-2.0
// The way there and back: backup, vault, restore in every form, undo. What comes back is compared
// with what was there, row by row.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct BackupAndRestoreTests {
  let bench: Workbench
  let file: FilePath
  /// A copy of the database as it was when it was backed up.
  let original: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    original = bench["original.db"]
    try FitnessLog.create(file, version: 4, workouts: 12)
    try original.replaceContents(with: file.contents())
  }

  /// Changes the database as its app would.
  private func use(_ file: FilePath) throws {
    let connection = try Connection(file, mode: .readWrite, schemaBy: .us)
    try connection.execute(
      """
      DELETE FROM sets WHERE id % 3 = 0;
      UPDATE workouts SET title = 'changed' WHERE id = 1;
      INSERT INTO exercises (name, muscle_group) VALUES ('new', 'legs');
      """)
  }

  /// Makes a backup, and gives what is said of it, with the code of the run.
  private func backUp() throws -> JSON {
    let ending = try bench.run("backup", file, "--json")
    #expect(ending.status == 0, "\(ending.all)")
    bench.pass(hours: 1)
    guard case .object(var members) = try ending.backup else { return .null }
    members["code"] = try ending.json["code"]
    return .object(members)
  }

  private func difference(_ file: FilePath, from other: FilePath) throws -> String? {
    try Oracle.firstDifference(expected: other, actual: file)
  }

  /// Whether two files are equal but for the counters in the header by which connections notice
  /// changes, which SQLite's backup API sets anew.
  private func isCopy(_ copy: Bytes, of original: Bytes) -> Bool {
    let counters = [24..<28, 40..<44, 92..<100]
    return copy.count == original.count
      && zip(copy, original).enumerated().allSatisfy { offset, bytes in
        bytes.0 == bytes.1 || counters.contains { $0.contains(offset) }
      }
  }

  @Test func `the backups of a database that was moved with them are offered as before`() throws {
    let (here, there) = (bench["here"], bench["there"])
    try SystemStorage().createFolder(here)
    try here.appending("app.db").replaceContents(with: file.contents())
    try bench.run("backup", here.appending("app.db"))
    bench.pass(hours: 1)
    try SystemStorage().rename(here, to: there)
    let moved = there.appending("app.db")
    try use(moved)
    try bench.run("backup", moved)
    try moved.replaceContents(with: Bytes(moved.contents().prefix(8192)))
    let options = try bench.run("diagnose", moved, "--json").json["options"]?.elements ?? []
    #expect(options.count { $0["name"]?.text == "restore" } == 2)
  }

  @Test(arguments: ["vault", "app.db.rescue/backups"])
  func `of a folder with backups of several databases of one name, this one's is restored`(
    _ vault: FilePath
  ) throws {
    let other = bench["other"]
    try SystemStorage().createFolder(other)
    let namesake = other.appending("app.db")
    try FitnessLog.create(namesake, version: 4, workouts: 5)
    for database in [file, namesake] {
      try bench.run("backup", database, "--vault", bench[vault])
      bench.pass(hours: 1)
    }
    try use(file)
    let ending = try bench.run("restore", file, "--vault", bench[vault], "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try difference(file, from: original) == nil)
  }

  /// Two databases of one name, without a row in common, of which only the other has a backup.
  private func strangers() throws -> FilePath {
    let other = bench["other"]
    try SystemStorage().createFolder(other)
    let namesake = other.appending("mine.db")
    for (path, rows) in [(bench["mine.db"], "1, 'a'"), (namesake, "1, 'b'")] {
      try DatabaseBuilder([
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
        DatabaseBuilder.Step(stringLiteral: "INSERT INTO t VALUES (\(rows))"),
      ])
      .build(at: path)
    }
    #expect(try bench.run("backup", namesake, "--vault", bench["vault"]).status == 0)
    return bench["mine.db"]
  }

  @Test func `the backup of another database of one name is not restored, unless it is named`()
    throws
  {
    let file = try strangers()
    let before = try file.contents()
    let ending = try bench.run("restore", file, "--vault", bench["vault"], "--yes")
    #expect(ending.status == 20, "\(ending.all)")
    #expect(try file.contents() == before)
    let options =
      try bench.run("diagnose", file, "--vault", bench["vault"], "--json")
      .json["options"]?.elements.compactMap { $0["name"]?.text } ?? []
    #expect(!options.contains("restore"))
    let backup = try #require(
      try SystemStorage().names(in: bench["vault"]).first { $0.hasSuffix(".gz") })
    let named = try bench.run("restore", file, "--from", bench["vault"].appending(backup), "--yes")
    #expect(named.status == 0, "\(named.all)")
  }

  @Test func `a vault of two databases of one name is pruned for one alone`() throws {
    let file = try strangers()
    #expect(try bench.run("backup", file, "--vault", bench["vault"]).status == 0)
    bench.pass(hours: 1)
    #expect(try bench.run("backup", bench["other/mine.db"], "--vault", bench["vault"]).status == 0)
    for words: [any Word] in [["vault", "prune", file, "--vault"], ["vault", "prune"]] {
      let line = words + [bench["vault"]]
      let ending = try bench.run(
        line + ["--keep-last", "1", "--keep-daily", "0", "--keep-weekly", "0", "--yes"])
      #expect(ending.status == 0, "\(ending.all)")
      let status = try bench.run("vault", "status", file, "--vault", bench["vault"])
      #expect(status.output.contains("fine"), "\(status.all)")
    }
    #expect(try bench.run("restore", file, "--vault", bench["vault"], "--yes").status == 0)
    let row = try Connection(file, mode: .readWrite).value("SELECT v FROM t")
    #expect(row == .text("a"))
  }

  /// SQLite's own check (3.40 and others) takes values for NULL where a column that may not be NULL is
  /// declared before the key.
  @Test(arguments: [(40, 0), (40, 1)])
  func `a sound table without rowids has a good backup, and one with a NULL has none`(
    _ rows: Int, _ nulls: Int
  ) throws {
    let file = bench["late.db"]
    try DatabaseBuilder([
      """
      CREATE TABLE late (v TEXT         , k INTEGER NOT NULL, PRIMARY KEY (k)) WITHOUT ROWID
      """,
      DatabaseBuilder.Step(
        stringLiteral: """
          WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
          INSERT INTO late SELECT iif(i > \(nulls), 'v' || i, NULL), i FROM n
          """),
    ]).build(at: file)
    var bytes = try file.contents()
    let (without, with) = (Bytes("v TEXT         ,".utf8), Bytes("v TEXT NOT NULL,".utf8))
    let start = try #require(bytes.indices.first { bytes.matches(without, at: $0) })
    bytes.replaceSubrange(start..<(start + with.count), with: with)
    try file.replaceContents(with: bytes)
    let ending = try bench.run("backup", file)
    #expect((ending.status == 0) == (nulls == 0), "\(ending.all)")
    #expect(
      try bench.run("salvage", file, "--output", bench["new.db"]).status == (nulls == 0 ? 0 : 14))
  }

  @Test func `a second database behind the first is in the backup, which is not a good one`() throws
  {
    let bench = try Workbench()
    let file = bench["both.db"]
    let bytes = try Checkout.samples.appending("healthy-v4.db").contents()
    try file.replaceContents(with: bytes + bytes)
    let ending = try bench.run("backup", file)
    #expect(ending.status == 14, "\(ending.all)")
    let vault = bench["both.db.rescue/backups"]
    let backup = try #require(try SystemStorage().names(in: vault).first)
    _ = try bench.run("vault", "extract", vault.appending(backup), "--output", bench["out.db"])
    #expect(try bench["out.db"].contents() == bytes + bytes)
  }

  @Test(arguments: ["1", "6", "9"], ["full", "quick"])
  func `a backup is a plain gzip file of the database`(
    _ level: String, _ depth: String
  ) throws {
    let ending = try bench.run("backup", file, "--json", "--level", level, "--verify", depth)
    let json = try ending.backup
    #expect(ending.status == 0)
    #expect(json["good"]?.bool == true)
    #expect(json["version"]?.number == 4)
    let path = try #require(json["path"]?.text)
    let gunzip = try Command("/bin/sh", ["-c", "gzip -dc < \"$0\"", path]).run()
    #expect(try isCopy(gunzip.output, of: file.contents()))
  }

  @Test func `the vault lists the newest first, and proves each`() throws {
    let ids = try (0..<3).map { _ in try #require(try backUp()["id"]?.text) }
    let list = try #require(
      try bench.run("vault", "list", file, "--json").json["backups"]?.elements)
    #expect(list.compactMap { $0["id"]?.text } == ids.reversed())
    #expect(list.allSatisfy { $0["good"]?.bool == true && $0["state"]?.text == "complete" })
    let folder = file.adding(suffix: ".rescue").appending("backups")
    let text = try bench.run("vault", "list", folder).output
    #expect(ids.allSatisfy { text.contains($0) })
    #expect(try bench.run("vault", "verify", file).status == 0)

    let damaged = FilePath(try #require(list[1]["path"]?.text))
    var bytes = try damaged.contents()
    bytes[bytes.count / 2] ^= 0x10
    try damaged.replaceContents(with: bytes)
    let verify = try bench.run("vault", "verify", file, "--json")
    #expect(verify.status == 65)
    let results = try #require(try verify.json["backups"]?.elements)
    #expect(results.map { $0["passed"]?.bool } == [true, false, true])
    #expect(try bench.run("vault", "verify", file, list[0]["path"]?.text ?? "").status == 0)
    // A damaged backup is never restored.
    let before = try bench.look()
    let restore = try bench.run("restore", file, "--from", damaged, "--yes")
    #expect(restore.status == 65, "\(restore.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a backup is restored by file, id, code and as the latest`() throws {
    let first = try backUp()
    try use(file)
    let changed = bench["changed.db"]
    try changed.replaceContents(with: file.contents())
    _ = try backUp()
    let names: [any Word] = ["path", "id", "code"].compactMap { first[$0]?.text }
    #expect(names.count == 3)
    for (number, name) in names.enumerated() {
      let new = bench[FilePath("new-\(number).db")]
      let ending = try bench.run("restore", file, "--from", name, "--output", new)
      #expect(ending.status == 0, "\(ending.all)")
      #expect(try difference(new, from: original) == nil)
      #expect(try isCopy(new.contents(), of: original.contents()))
    }
    for (number, words) in ([[], ["--from", "latest"]] as [[any Word]]).enumerated() {
      let new = bench[FilePath("latest-\(number).db")]
      #expect(try bench.run(["restore", file, "--output", new] + words).status == 0)
      #expect(try difference(new, from: changed) == nil)
    }
    #expect(try difference(file, from: changed) == nil)
    #expect(try bench.run("restore", file, "--from", "ZZZZZZZZ", "--yes").status == 66)
  }

  @Test func `a backup is restored whatever its file is called`() throws {
    let first = try backUp()
    try use(file)
    let renamed = bench["monday.db.gz"]
    try renamed.replaceContents(with: FilePath(try #require(first["path"]?.text)).contents())
    let new = bench["new.db"]
    #expect(try bench.run("restore", file, "--from", renamed, "--output", new).status == 0)
    #expect(try difference(new, from: original) == nil)
    let ending = try bench.run("restore", file, "--from", renamed, "--yes")
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try difference(file, from: original) == nil)

    var bytes = try renamed.contents()
    bytes[bytes.count / 2] ^= 0x10
    try renamed.replaceContents(with: bytes)
    try bench["foreign.gz"].replaceContents(
      with: Command("/bin/sh", ["-c", "gzip -c < \"$0\"", new.description]).run().output)
    let before = try bench.look()
    for other in [renamed, bench["foreign.gz"], new] {
      let ending = try bench.run("restore", file, "--from", other, "--yes")
      #expect(ending.status == 65, "\(ending.all)")
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a restore in place can be undone, and the undo too`() throws {
    let backup = try backUp()
    try use(file)
    let changed = bench["changed.db"]
    try changed.replaceContents(with: file.contents())

    let restore = try bench.run("restore", file, "--yes", "--json")
    #expect(restore.status == 0, "\(restore.all)")
    #expect(try difference(file, from: original) == nil)
    let json = try restore.json
    let code = try #require(json["code"]?.text)
    #expect(json["changed"]?.bool == true)
    #expect(json["backup"]?.text == backup["path"]?.text.map { FilePath($0).name.description })
    #expect(json["undo"]?.text?.contains(code) == true)
    let kept = FilePath(try #require(json["quarantine"]?.text)).appending("app.db")
    #expect(try difference(kept, from: changed) == nil)

    let undo = try bench.run("undo", code, file, "--yes", "--json")
    #expect(undo.status == 0, "\(undo.all)")
    #expect(try difference(file, from: changed) == nil)
    let again = try bench.run("undo", try undo.json["code"]?.text ?? "", file, "--yes")
    #expect(again.status == 0, "\(again.all)")
    #expect(try difference(file, from: original) == nil)
    // Nothing is ever thrown away: what the first run kept is still there.
    #expect(try difference(kept, from: changed) == nil)
  }

  @Test func `rows that are newer than the backup are counted before anything is changed`() throws {
    _ = try backUp()
    let lost = try Oracle(file).count(of: "sets")
    try use(file)
    let gone = try lost - Oracle(file).count(of: "sets")
    let before = try bench.look()
    let plan = try bench.run("restore", file, "--dry-run", "--json")
    #expect(plan.status == 0)
    #expect(try before.changes(until: bench.look()) == [])
    let tables = try #require(try plan.json["tables"]?.elements)
    let sets = try #require(tables.first { $0["table"]?.text == "sets" })
    #expect(sets["regained"]?.number == gone)
    #expect(sets["lost"]?["kind"]?.text == "none")
    let exercises = try #require(tables.first { $0["table"]?.text == "exercises" })
    #expect(
      exercises["lost"]?["kind"]?.text == "exactly" && exercises["lost"]?["rows"]?.number == 1)
    let text = try bench.run("restore", file, "--dry-run")
    #expect(text.output.contains("plan: put back the backup of 1 hour ago (version 4)"))
    // No run has the code yet by which it could be undone.
    #expect(!text.output.contains("DBR-") && text.output.contains("how to undo it"))
  }

  @Test func `a restore says at its end which rows it has cost, as its plan did`() throws {
    _ = try backUp()
    try use(file)
    let done = try bench.run("restore", file, "--yes")
    #expect(done.status == 0, "\(done.all)")
    #expect(
      done.output.contains("  lost, as planned: exactly 1 row of 'exercises'\n"), "\(done.all)")
    #expect(!done.output.contains("of 'sets'"), "\(done.all)")
  }

  @Test func `a restore asks, and does nothing without an answer`() throws {
    _ = try backUp()
    try use(file)
    let before = try bench.look()
    let nobody = try bench.run("restore", file)
    #expect(nobody.status == 20)
    #expect(nobody.error.contains("--yes"))
    #expect(try bench.run("restore", file, answers: ["n"]).status == 21)
    #expect(try bench.run("restore", file, answers: [""]).status == 21)
    #expect(try bench.run("restore", file, answers: []).status == 21)
    #expect(try before.changes(until: bench.look()) == [])
    #expect(try bench.run("restore", file, answers: ["y"]).status == 0)
    #expect(try difference(file, from: original) == nil)
  }

  @Test(arguments: [
    Damage.zeroPage(1), .truncatePercent(50), .wipeHeader, .truncate(bytes: 0), .zeroPage(3),
  ])
  func `a restore over a damaged file keeps it as evidence`(_ damage: Damage) throws {
    _ = try backUp()
    let bytes = damage.applied(to: try file.contents(), pageSize: 4096)
    try file.replaceContents(with: bytes)
    let restore = try bench.run("restore", file, "--yes", "--json")
    #expect(restore.status == 0, "\(restore.all)")
    #expect(try difference(file, from: original) == nil)
    let json = try restore.json
    let kept = FilePath(try #require(json["quarantine"]?.text)).appending("app.db")
    let isEvidence = try kept.contents() == bytes
    #expect(isEvidence)
    let undo = try bench.run("undo", json["code"]?.text ?? "", file, "--yes")
    #expect(undo.status == 0, "\(undo.all)")
  }

  @Test func `a journal of the old database never reaches the new one`() throws {
    _ = try backUp()
    let wal = file.adding(suffix: "-wal")
    try Leftover.wal(["DELETE FROM outbox", "UPDATE sets SET reps = 99"]).leave(at: file)
    // Damaged, so that the files move instead of being changed through SQLite.
    let damaged = Damage.zeroPage(3).applied(to: try file.contents(), pageSize: 4096)
    try file.replaceContents(with: damaged)
    let log = try wal.contents()
    let restore = try bench.run("restore", file, "--yes", "--json")
    #expect(restore.status == 0, "\(restore.all)")
    #expect(try !wal.exists)
    #expect(try difference(file, from: original) == nil)
    let kept = FilePath(try #require(try restore.json["quarantine"]?.text))
    let isKept = try kept.appending("app.db-wal").contents() == log
    #expect(isKept)
  }

  @Test func `a database that is gone comes back`() throws {
    _ = try backUp()
    try SystemStorage().remove(file)
    #expect(try bench.run("restore", file, "--dry-run").status == 0)
    #expect(try !file.exists)
    let ending = try bench.run("restore", file)
    #expect(ending.status == 0, "\(ending.all)")
    #expect(try difference(file, from: original) == nil)
  }

  @Test func `a database that is gone does not come back under a journal`() throws {
    _ = try backUp()
    try Leftover.wal(["DELETE FROM outbox"]).leave(at: file)
    try SystemStorage().remove(file)
    let before = try bench.look()
    let ending = try bench.run("restore", file, "--yes")
    #expect(ending.status == 73)
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a dry run to a new file writes nothing`() throws {
    _ = try backUp()
    let before = try bench.look()
    for words in [[], ["--json"]] as [[any Word]] {
      let ending = try bench.run(
        ["restore", file, "--output", bench["new.db"], "--dry-run"] + words)
      #expect(ending.status == 0)
      #expect(!ending.output.isEmpty)
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `an older backup is restored, and the version is told`() throws {
    let old = bench["old.db"]
    try FitnessLog.create(old, version: 3, workouts: 8)
    try old.copyFileSet(to: bench["v3.db"])
    let backup = try bench.run("backup", old, "--json").backup
    try FitnessLog.migrate(old, mistakes: [.forgetColumn])
    let restore = try bench.run(
      "restore", old, "--contract", bench.contract, "--from", backup["id"]?.text ?? "", "--yes")
    #expect(restore.status == 10, "\(restore.all)")
    #expect(try difference(old, from: bench["v3.db"]) == nil)
  }

  @Test(arguments: [FitnessLog.Journal.wal, .delete])
  func `pages of another size come in, and the undo brings the old ones back`(
    _ journal: FitnessLog.Journal
  ) throws {
    let live = bench["live.db"]
    let copy = bench["copy.db"]
    try FitnessLog.create(live, version: 4, workouts: 9, journal: journal, pageSize: 1024)
    try live.copyFileSet(to: copy)
    let backup = try backUp()
    for words in [
      ["restore", live, "--from", backup["path"]?.text ?? "", "--yes", "--json"],
      ["reset", live, "--schema", bench.contract, "--yes", "--confirm", "live.db", "--json"],
    ] as [[any Word]] {
      let ending = try bench.run(words)
      #expect(ending.status == 0, "\(ending.all)")
      if words[0] as? String == "restore" { #expect(try difference(live, from: original) == nil) }
      let code = try #require(try ending.json["code"]?.text)
      #expect(try bench.run("undo", code, live, "--yes").status == 0)
      #expect(try difference(live, from: copy) == nil)
    }
  }

  @Test func `a database of a newer app is left alone`() throws {
    let backup = try backUp()
    let newer = try bench.place("newer-v5.db")
    let before = try bench.look()
    let ending = try bench.run(
      "restore", newer, "--from", backup["path"]?.text ?? "", "--contract", bench.contract, "--yes")
    #expect(ending.status == 11, "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `an undo needs a run that displaced something, and an answer`() throws {
    let check = try bench.run("check", file)
    let code = try #require(check.record).code.description
    let before = try bench.look()
    for flag in ["--yes", "--dry-run"] {
      #expect(try bench.run("undo", code, file, flag).status == 66)
    }
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `an undo does not call a file damaged whose log was, and is a part of it now`() throws
  {
    let file = bench["app.db"]
    let inserts = (1...40).map {
      DatabaseBuilder.Step(stringLiteral: "INSERT INTO t VALUES (\($0), hex(zeroblob(300)))")
    }
    try DatabaseBuilder(
      journal: .wal, ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)"], leftover: .wal(inserts)
    ).build(at: file)
    let log = file.adding(suffix: "-wal")
    let damage = Damage.zeroRange(offset: 32 + 2 * (24 + 4096) + 24, count: 4096)
    try log.replaceContents(with: damage.applied(to: log.contents(), pageSize: 4096))
    #expect(try bench.run("check", file).status == 14)
    let recovered = try bench.run("recover", file, "--choose", "salvage", "--yes", "--json")
    let code = try #require(try recovered.json["code"]?.text)
    let undone = try bench.run("undo", code, file, "--yes")
    #expect(undone.status == 0)
    #expect(undone.all.contains("what comes back: damaged"))
    #expect(undone.all.contains("is part of the file now"))
    #expect(!undone.all.contains("now damaged"))
    #expect(try !log.exists && bench.run("check", file).status == 0)
  }

  @Test func `an undo counts the rows that came in since, before anything is changed`() throws {
    _ = try backUp()
    let code = try #require(try bench.run("restore", file, "--yes", "--json").json["code"]?.text)
    try Connection(file, mode: .readWrite, schemaBy: .us).execute(
      "INSERT INTO exercises (name, muscle_group) VALUES ('new one', 'x'), ('new two', 'y')")
    let before = try bench.look()
    let plan = try bench.run("undo", code, file, "--dry-run", "--json")
    let tables = try #require(try plan.json["tables"]?.elements)
    let exercises = try #require(tables.first { $0["table"]?.text == "exercises" })
    #expect(exercises["lost"]?["rows"]?.number == 2)
    let refused = try bench.run("undo", code, file)
    #expect(refused.status == 20)
    #expect(refused.error.contains("2 rows"), "\(refused.all)")
    #expect(try bench.run("undo", code, file, answers: ["no"]).status == 21)
    #expect(try before.changes(until: bench.look()) == [])
    let done = try bench.run("undo", code, file, "--yes")
    #expect(done.status == 0)
    #expect(done.all.contains("2 rows that came in since are only in the files"), "\(done.all)")
    #expect(try #require(done.record).code.description.isEmpty == false)
  }

  @Test(arguments: [Damage?.none, .zeroPage(3)])
  func `an undo brings no files back that were changed since, unless it is told to`(
    _ damage: Damage?
  ) throws {
    _ = try backUp()
    // A damaged database moves, and a sound one is replaced from within.
    if let damage {
      try file.replaceContents(with: damage.applied(to: file.contents(), pageSize: 4096))
    }
    let code = try #require(try bench.run("restore", file, "--yes", "--json").json["code"]?.text)
    let place = bench["app.db.rescue/quarantine"].appending(FilePath(code))
    let kept = place.appending("app.db")
    let bytes = try kept.contents()
    var changed = bytes
    changed.replaceSubrange((bytes.count - 1)..., with: [bytes[bytes.count - 1] ^ 1])
    try kept.replaceContents(with: changed)
    let before = try bench.look()
    for flag in ["--yes", "--dry-run"] {
      let refused = try bench.run("undo", code, file, flag)
      #expect(refused.status == 65, "\(refused.all)")
      #expect(refused.error.contains("was changed after the run"), "\(refused.all)")
    }
    #expect(try before.changes(until: bench.look()) == [])
    let plan = try bench.run("undo", code, file, "--dry-run", "--json", "--force")
    #expect(try plan.json["alteredFiles"]?.elements.compactMap(\.text) == ["app.db"])
    let log = kept.adding(suffix: "-wal")
    try kept.replaceContents(with: bytes)
    try log.replaceContents(with: Bytes([1]))
    #expect(try bench.run("undo", code, file, "--yes").status == 65)
    try SystemStorage().remove(log)
    let done = try bench.run("undo", code, file, "--yes")
    #expect(done.status == 0, "\(done.all)")
  }

  @Test func `an undo leaves files that a later version has displaced to that version`() throws {
    _ = try backUp()
    let code = try #require(try bench.run("restore", file, "--yes", "--json").json["code"]?.text)
    let place = bench["app.db.rescue/quarantine"].appending(FilePath(code))
    let note = place.appending("was-displaced.jsonl")
    let text = String(decoding: try note.contents(), as: UTF8.self)
    try note.replaceContents(
      with: Bytes(text.replacing(#""version":1"#, with: #""version":2"#).utf8))
    let before = try bench.look()
    let ending = try bench.run("undo", code, file, "--yes")
    #expect(ending.status == 65)
    #expect(ending.error.contains("was written by a later version"), "\(ending.all)")
    #expect(try before.changes(until: bench.look()) == [])
  }

  @Test func `a backup goes to the vault that is named`() throws {
    let vault = bench["vault"]
    let other = bench["other.db"]
    try FitnessLog.create(other, version: 4, workouts: 5, seed: 9)
    #expect(try bench.run("backup", file, "--vault", vault).status == 0)
    bench.pass(hours: 1)
    #expect(try bench.run("backup", other, "--vault", vault).status == 0)
    #expect(try !file.adding(suffix: ".rescue").exists)
    #expect(try bench.run("vault", "list", vault, "--json").json["backups"]?.elements.count == 2)
    // The latest of this database, not of the vault.
    let new = bench["new.db"]
    #expect(try bench.run("restore", file, "--vault", vault, "--output", new).status == 0)
    #expect(try difference(new, from: original) == nil)
  }

  @Test func `the images of a WAL and of a hot journal are backed up, and both stay`() throws {
    for (sample, name) in [("wal", "w.db"), ("hot-journal", "h.db")] as [(FilePath, FilePath)] {
      let live = try bench.place(sample.appending("fitness.db"), as: name)
      let before = try bench.look()
      let backup = try bench.run("backup", live, "--vault", bench["vault"])
      #expect(backup.status == 0, "\(backup.all)")
      let changes = try before.changes(until: bench.look())
      #expect(changes.allSatisfy { $0.hasPrefix("added vault/") || $0.hasSuffix("-shm") })
      let new = bench[name.adding(suffix: ".new")]
      #expect(
        try bench.run("restore", live, "--vault", bench["vault"], "--output", new).status == 0)
      #expect(try difference(new, from: live) == nil)
    }
  }

  @Test func `a damaged database is stored, and does not count`() throws {
    let damaged = try bench.place("zeroed-leaf.db")
    let photo = try bench.place("not-a-database.jpg")
    for path in [damaged, photo] {
      let bytes = try path.contents()
      let ending = try bench.run("backup", path, "--json")
      #expect(ending.status == 14)
      #expect(try ending.backup["good"]?.bool == false)
      #expect(ending.error.contains("does not count as a good one"))
      #expect(try #require(ending.record).outcome == "findings")
      #expect(try bench.run("restore", path, "--yes").status == 66)
      let stored = try #require(try ending.backup["path"]?.text)
      let gunzip = try Command("/bin/sh", ["-c", "gzip -dc < \"$0\"", stored]).run()
      #expect(isCopy(gunzip.output, of: bytes))
    }
  }

  @Test func `what a restore costs is told of tables that have each other's pages`() throws {
    let other = bench["swapped.db"]
    try DatabaseBuilder(
      pageSize: 4096,
      [
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT)",
        "CREATE TABLE reading (id INTEGER PRIMARY KEY, value INT)",
        "INSERT INTO person VALUES (1, 'Ada'), (2, 'Bo'), (3, 'Cy')",
        "INSERT INTO reading VALUES (1, 10), (2, 20), (3, 30)",
      ]
    ).build(at: other)
    #expect(try bench.run("backup", other).status == 0)
    try Connection(other, mode: .app).execute("INSERT INTO reading VALUES (4, 40), (5, 50)")
    let whole = try other.contents()
    let (first, second) = (4096..<8192, 8192..<12288)
    var bytes = whole
    bytes.replaceSubrange(first, with: whole[second])
    bytes.replaceSubrange(second, with: whole[first])
    try other.replaceContents(with: bytes)
    for words: [any Word] in [["restore"], ["recover", "--choose", "restore"]] {
      let ending = try bench.run(words.prefix(1) + [other] + words.dropFirst() + ["--dry-run"])
      let lines = ending.all.split(separator: "\n").map {
        $0.split(separator: " ").map(String.init)
      }
      let costs = Dictionary(
        lines.filter { $0.count > 2 }.map { ($0[0], $0[2...].joined(separator: " ")) }
      ) { first, _ in first }
      #expect(costs["reading"] == "exactly 2 rows", "\(ending.all)")
      #expect(costs["person"] == "nothing that can be read", "\(ending.all)")
    }
  }
}
