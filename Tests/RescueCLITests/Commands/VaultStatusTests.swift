// SPDX-License-Identifier: Apache-2.0
// How databases stand with their backups: what is fine, what is not, and who is told.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

@Suite struct VaultStatusTests {
  let bench: Workbench
  let file: FilePath

  init() throws {
    bench = try Workbench()
    file = bench["app.db"]
    try FitnessLog.create(file, version: 4, workouts: 60)
  }

  @discardableResult
  private func status(_ words: any Word...) throws -> Ending {
    try bench.run(["vault", "status", file] + words)
  }

  /// The kinds of what is wrong with each database, the gravest first.
  private func kinds(_ ending: Ending) throws -> [[String]] {
    try (ending.json["databases"]?.elements ?? []).map { database in
      (database["problems"]?.elements ?? []).compactMap { $0["kind"]?.text }
    }
  }

  // MARK: The verdict of a monitor

  @Test func `a good backup of last night is fine`() throws {
    try bench.run("backup", file)
    bench.pass(hours: 20)
    try Connection(file, mode: .app).execute("CREATE TABLE more AS SELECT zeroblob(99999) AS x")
    try bench.run("backup", file)
    bench.pass(hours: 20)
    let ending = try status("--json")
    #expect(ending.status == 0)
    let database = try #require(try ending.json["databases"]?.elements.first)
    #expect(database["ageSeconds"]?.number == 20 * 3600)
    #expect(database["backupCount"]?.number == 2)
    #expect(try #require(database["growthBytes"]?.number) > 0)
    #expect(database["proofs"]?.elements.compactMap(\.text).contains("restored on trial") == true)
    #expect(try status().all.contains("20 h ago"))
  }

  @Test func `a backup that is too old is said to be`() throws {
    try bench.run("backup", file)
    bench.pass(hours: 27)
    let ending = try status("--json")
    #expect(ending.status == 22)
    #expect(try kinds(ending) == [["too-old"]])
    #expect(try status("--max-age", "2d").status == 0)
    #expect(try status("--max-age", "120m").status == 22)
  }

  @Test func `a backup is as old as it says itself, whatever its name is`() throws {
    let old = FilePath(try #require(try bench.run("backup", file, "--json").backup["path"]?.text))
    bench.pass(hours: 27)
    let new = FilePath(try #require(try bench.run("backup", file, "--json").backup["path"]?.text))
    try new.replaceContents(with: old.contents())
    try SystemStorage().remove(old)
    #expect(try status().status == 22)
  }

  @Test(arguments: ["26", "h", "1.5h", "-1h", "0h", "26hh", "99999999999999999999h", "٣h", ""])
  func `an age without a number and a unit is refused`(_ age: String) throws {
    #expect(try status("--max-age", age).status == 64)
  }

  @Test func `a backup that was only read back is not proven until it is read in full`() throws {
    try bench.run("backup", file, "--verify", "quick")
    let quick = try status("--json")
    #expect(try kinds(quick) == [["unproven"]])
    #expect(try status().status == 23)
    #expect(try bench.run("vault", "verify", file).status == 0)
    #expect(try status().status == 0)
  }

  @Test func `no vault and no backup are never fine`() throws {
    #expect(try status().status == 24)
    #expect(try status("--vault", bench["nowhere"]).status == 24)
    let ending = try status("--json")
    #expect(try kinds(ending) == [["none"]])
    try SystemStorage().createFolder(bench["empty"])
    #expect(try status("--vault", bench["empty"]).status == 24)
  }

  @Test func `backups that do not count are none`() throws {
    let damaged = try bench.place("zeroed-leaf.db")
    #expect(try bench.run("backup", damaged).status == 14)
    let ending = try bench.run("vault", "status", damaged, "--json")
    #expect(ending.status == 14)
    #expect(try kinds(ending) == [["unsound", "none"]])
  }

  @Test func `a vault that holds garbage has no good backup`() throws {
    try bench.run("backup", file)
    let path = try #require(try Vault(of: file).latest()).path
    try path.replaceContents(with: Bytes("garbage".utf8))
    try path.folder.appending("app.db.20991231T235959Z.v4.AAAAAAAA.db.gz")
      .replaceContents(with: [0x1F, 0x8B])
    try path.folder.appending(".proofs.jsonl").replaceContents(with: Bytes("{\"id\":1}\n[".utf8))
    let ending = try status("--json")
    #expect(ending.status == 24)
    #expect(try kinds(ending) == [["none"]])
  }

  @Test func `a damaged database is not fine however good its backup is`() throws {
    try bench.run("backup", file)
    var bytes = try file.contents()
    bytes.replaceSubrange(4096..<4200, with: Bytes(repeating: 0, count: 104))
    try file.replaceContents(with: bytes)
    let ending = try status("--json")
    #expect([13, 14].contains(ending.status))
    #expect(try kinds(ending).first?.first == "unsound")
  }

  @Test func `a database that is missing is not fine, and its backups are counted`() throws {
    try bench.run("backup", file)
    try SystemStorage().remove(file)
    let ending = try status("--json")
    #expect(ending.status == 66)
    #expect(try ending.json["databases"]?.elements.first?["backupCount"]?.number == 1)
  }

  @Test func `without a database there is nothing to be fine`() throws {
    #expect(try bench.run("vault", "status").status == 64)
  }

  @Test func `of several databases the gravest problem decides`() throws {
    let (old, none) = (bench["old.db"], bench["none.db"])
    for path in [old, none] { try FitnessLog.create(path, version: 4, workouts: 3) }
    try bench.run("backup", old)
    bench.pass(hours: 30)
    try bench.run("backup", file)
    #expect(try status(old).status == 22)
    #expect(try status(none, old).status == 24)
    #expect(try status(none, bench["missing.db"], old).status == 66)
    let ending = try status(none, file, old, "--json")
    #expect(try kinds(ending) == [[], ["none"], ["too-old"]])
  }

  @Test func `a clock that was set back makes no backup count`() throws {
    try bench.run("backup", file)
    bench.pass(hours: -3)
    let ending = try status()
    #expect(ending.status == 24)
    #expect(ending.all.contains("dated in the future"))
    try bench.run("backup", file)
    #expect(try status().status == 0)
  }

  @Test func `a shared vault does not lend the backup of another database of one name`() throws {
    let other = bench["other"]
    try SystemStorage().createFolder(other)
    let namesake = other.appending("app.db")
    try FitnessLog.create(namesake, version: 4, workouts: 5)
    let vault = bench["vault"]
    try bench.run("backup", namesake, "--vault", vault)
    let ending = try status("--vault", vault)
    #expect(ending.status == 24)
    #expect(ending.all.contains("in another folder"))
    #expect(try bench.run("vault", "status", namesake, "--vault", vault).status == 0)
  }

  @Test func `a database's own vault does not lend what another one of its name has put there`()
    throws
  {
    try SystemStorage().createFolder(bench["other"])
    let namesake = bench["other/app.db"]
    try FitnessLog.create(namesake, version: 4, workouts: 5)
    let vault = Vault.defaultFolder(of: file)
    try bench.run("backup", namesake, "--vault", vault)
    #expect(try status().status == 24)
    bench.pass(hours: 30)
    try bench.run("backup", file)
    bench.pass(hours: 1)
    try bench.run("backup", namesake, "--vault", vault)
    let ending = try status()
    #expect(ending.status == 0, "\(ending.all)")
    #expect(ending.all.contains("1 h ago"), "\(ending.all)")
    #expect(ending.all.contains("2 backups of a database of this name"), "\(ending.all)")
    let options = try bench.run("diagnose", file, "--json").json["options"]?.elements ?? []
    #expect(options.count { $0["name"]?.text == "restore" } <= 1)
  }

  @Test func `a newer backup that does not count is told of`() throws {
    try bench.run("backup", file)
    bench.pass(hours: 1)
    let good = try file.contents()
    var bytes = good
    bytes.replaceSubrange(4096..<4200, with: Bytes(repeating: 0, count: 104))
    try file.replaceContents(with: bytes)
    try bench.run("backup", file)
    try file.replaceContents(with: good)
    let ending = try status()
    #expect(ending.status == 0)
    #expect(ending.output.contains("is not a good one"))
  }

  @Test func `nothing is changed by looking`() throws {
    try bench.run("backup", file)
    let before = try bench.look()
    #expect(try status().status == 0)
    #expect(try before.changes(until: bench.look()) == [])
  }

  // MARK: Metrics

  @Test func `metrics are written for everybody to read, also where something is wrong`() throws {
    let metrics = bench["app.prom"]
    #expect(try status("--prometheus", metrics).status == 24)
    #expect(try metrics.text.contains("dbrescue_vault_status{database=\"\(file)\"} 24\n"))
    #expect(try !metrics.text.contains("last_good_timestamp"))
    try bench.run("backup", file)
    #expect(try status("--prometheus", metrics).status == 0)
    let text = try metrics.text
    #expect(text.contains("dbrescue_vault_status{database=\"\(file)\"} 0\n"))
    #expect(text.contains("last_good_timestamp_seconds{database=\"\(file)\"} 1795219200\n"))
    #expect(text.contains("\ndbrescue_vault_status_timestamp_seconds 1795219200\n"))
    #expect(try SystemStorage().status(of: metrics)?.mode == 0o644)
  }

  @Test func `hostile names leave the metrics well formed`() throws {
    let name = FilePath("a\"} 0\ndbrescue_vault_status{x=\"\\.db")
    let (hostile, raw) = (bench[name], bench[FilePath(bytes: [0xFF, 0x2E])])
    for path in [hostile, raw] { try FitnessLog.create(path, version: 4, workouts: 2) }
    let metrics = bench["app.prom"]
    try bench.run("vault", "status", hostile, raw, file, "--prometheus", metrics)
    let lines = try metrics.text.split(separator: "\n")
    for line in lines where !line.hasPrefix("#") {
      let form = /dbrescue_[a-z_]+(\{database="([^"\\\n]|\\.)*"\})? -?\d+/
      #expect(line.wholeMatch(of: form) != nil, "\(line)")
    }
    let series = lines.map { $0.prefix { $0 != " " } }.filter { !$0.hasPrefix("#") }
    #expect(Set(series).count == series.count)
  }

  @Test func `metrics replace neither a database nor another file`() throws {
    try bench.run("backup", file)
    let bytes = try file.contents()
    #expect(try status("--prometheus", file).status == 64)
    #expect(try status("--prometheus", file.adding(suffix: "-wal")).status == 64)
    #expect(try status("--prometheus", bench.log).status == 64)
    let diary = bench["diary.txt"]
    try diary.replaceContents(with: Bytes("# HELP me".utf8))
    #expect(try status("--prometheus", diary).status == 73)
    #expect(try diary.text == "# HELP me")
    let isUnchanged = try file.contents() == bytes
    #expect(isUnchanged)
  }

  @Test func `metrics do not take an empty file of somebody's for their own`() throws {
    try bench.run("backup", file)
    for lock in [bench["other.lock"], file.adding(suffix: ".rescue").appending("backups/.lock")] {
      if try SystemStorage().status(of: lock) == nil { try lock.replaceContents(with: []) }
      let length = try lock.contents().count
      let ending = try status("--prometheus", lock)
      #expect(ending.status == 73)
      #expect(ending.error.contains("no metrics were written"))
      #expect(try lock.contents().count == length)
    }
  }

  @Test func `metrics that cannot be written hide nothing worse`() throws {
    let place = bench["nowhere/app.prom"]
    try diary(at: bench["nowhere"])
    #expect(try status("--prometheus", place).status == 24)
    try bench.run("backup", file)
    let ending = try status("--prometheus", place)
    #expect(ending.status == 73)
    #expect(ending.error.contains("no metrics were written"))
  }

  private func diary(at path: FilePath) throws {
    try path.replaceContents(with: Bytes("a file, and no folder".utf8))
  }

  // MARK: The ping

  /// A program that writes down its arguments, and the file that it writes them to.
  private func listener(status: Int = 0) throws -> (program: FilePath, heard: FilePath) {
    let (program, heard) = (bench["listen"], bench["heard"])
    try program.replaceContents(
      with: Bytes("#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'\(heard)'\nexit \(status)\n".utf8))
    let outcome = try Command("/bin/chmod", ["755", program.description]).run()
    #expect(outcome.status == 0)
    return (program, heard)
  }

  @Test func `a ping hears whether all is well, and nothing else`() throws {
    let (program, heard) = try listener()
    #expect(try status("--ping", program.description).status == 24)
    #expect(try heard.text == "2\n24\nfailure\n")
    try bench.run("backup", file)
    #expect(try status("--ping", "\(program) 'x y'/{status} \"{outcome}!\"").status == 0)
    #expect(try heard.text == "2\nx y/0\nsuccess!\n")
  }

  @Test func `no shell reads a ping or a name of a file`() throws {
    let (program, heard) = try listener()
    let hostile = bench["$(touch pwned);{status}.db"]
    try FitnessLog.create(hostile, version: 4, workouts: 2)
    try bench.run("vault", "status", hostile, "--ping", "\(program) $(touch\u{20}x) {status}")
    #expect(try heard.text == "3\n$(touch\nx)\n24\n")
  }

  @Test func `a failing ping is said, and counts only where all else is fine`() throws {
    let (program, _) = try listener(status: 7)
    let bad = try status("--ping", program.description)
    #expect(bad.status == 24)
    #expect(bad.error.contains("the ping ended with status 7"))
    try bench.run("backup", file)
    #expect(try status("--ping", program.description).status == 16)
    #expect(try status("--ping", "/nowhere/ping").status == 16)
  }

  @Test(arguments: [
    "", "  ", "curl 'x", "curl https://example.org", "https://example.org/{status}",
    "{status} https://example.org",
  ])
  func `a ping that would never hear of a failure is refused`(_ ping: String) throws {
    #expect(try status("--ping", ping).status == 64)
  }

  @Test func `a ping that hangs is stopped`() throws {
    var ping = try Ping("/bin/sleep 600{status}", of: .vaultStatus)
    ping.timeout = .milliseconds(100)
    let trouble = try #require(ping.tell(.success, in: World()))
    #expect(trouble.contains("did not end in time"))
  }
}

extension FilePath {
  fileprivate var text: String {
    get throws { String(decoding: try contents(), as: UTF8.self) }
  }
}
