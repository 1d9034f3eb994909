// SPDX-License-Identifier: Apache-2.0
// What can be merged: damaged databases with their losses, archives, backups; and what cannot.

import DatabaseRescue
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Testing

@testable import RescueCLI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct MergeInputTests {
  let bench: MergeBench
  init() throws { bench = try MergeBench() }

  private static let rows = """
    WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO t SELECT i, 'row ' || i FROM n
    """

  private func make(_ name: FilePath, _ more: String = "") throws -> FilePath {
    try bench.make(
      name, pageSize: 512, "CREATE TABLE t (id INTEGER PRIMARY KEY, v)", Self.rows, more)
  }

  private func damage(_ file: FilePath, leaf: Int) throws {
    let page = try Oracle(file).pages.filter { $0.object == "t" && $0.kind == "leaf" }[leaf].number
    try file.replaceContents(
      with: Damage.zeroPage(page).applied(to: file.contents(), pageSize: 512))
  }

  @Test func `two damaged copies make up for each other, and their losses are told`() throws {
    let (old, new) = (try make("old.db"), try make("new.db", "INSERT INTO t VALUES (400, 'new')"))
    try damage(old, leaf: 1)
    try damage(new, leaf: 4)
    let merged = try bench.merge([old, new])
    // What one has lost the other has.
    #expect(merged.ending.status == 0)
    #expect(try merged.ending.json["notes"]?.elements.count == 2)
    #expect(try merged.text("SELECT count(*), sum(v = 'row ' || id) FROM t") == "301 300")
    for input in 0..<2 {
      #expect(try merged.rows("t", input)["lost"]?["kind"]?.text != "none")
    }
    #expect(
      try merged.aside("SELECT DISTINCT source FROM pages ORDER BY 1") == "new.db main\nold.db main"
    )
  }

  @Test func `what both copies have lost is not made up for`() throws {
    let (old, new) = (try make("old.db"), try make("new.db", "INSERT INTO t VALUES (400, 'new')"))
    for copy in [old, new] { try damage(copy, leaf: 2) }
    #expect(try bench.merge([old, new]).ending.status == 14)
  }

  @Test func `a newest input without its schema gets that of the older one`() throws {
    let (old, new) = (try make("old.db"), try make("new.db", "INSERT INTO t VALUES (400, 'new')"))
    try new.replaceContents(
      with: Damage.zeroPage(1).applied(to: new.contents(), pageSize: 512))
    let merged = try bench.merge([old, new])
    #expect(try merged.text("SELECT count(*), max(id) FROM t") == "301 400")
  }

  @Test(arguments: [
    "zeroed-leaf.db", "truncated.db", "broken-overflow.db", "swapped-leaves.db", "wiped-header.db",
    "index-disagrees.db", "wrong-page.db", "lost-root.db", "crlf.db", "broken-schema-sql.db",
  ])
  func `a damaged sample and a sound one give all rows, in either order`(_ sample: FilePath) throws
  {
    let (damaged, sound) = (
      try bench.bench.place(sample), try bench.bench.place("healthy-v4.db")
    )
    let tables = try Oracle(sound).tables
    for order in [[damaged, sound], [sound, damaged]] {
      let merged = try bench.merge(order)
      for table in tables {
        #expect(try merged.new.count(of: table) == Oracle(sound).count(of: table), "\(table)")
      }
    }
  }

  @Test func `archives and backups are read as they are`() throws {
    let old = try make("app.db", "INSERT INTO t VALUES (400, 'old')")
    try bench.bench.run("backup", old, "--vault", bench.bench["vault"])
    let name = try #require(
      try SystemStorage().names(in: bench.bench["vault"]).first { "\($0)".hasSuffix(".db.gz") })
    let packed = try Command("/bin/sh", ["-c", "gzip -c < \"$0\"", old.description]).run()
    try bench.bench["other.gz"].replaceContents(with: packed.output)
    let new = try make("new.db")
    for file in [bench.bench["vault"].appending(name), bench.bench["other.gz"]] {
      let merged = try bench.merge([file, new])
      #expect(merged.ending.status == 0)
      #expect(try merged.new.count(of: "t") == 301)
    }
  }

  @Test func `inputs of one name are told apart, and a log beside one is read`() throws {
    for folder in ["phone", "laptop"] as [FilePath] {
      try SystemStorage().createFolder(bench.bench[folder])
    }
    let phone = bench.bench["phone/app.db"]
    try DatabaseBuilder(
      ["CREATE TABLE t (id INTEGER PRIMARY KEY, v)"],
      leftover: .wal(["INSERT INTO t VALUES (1, 'phone'), (2, 'log')"])
    ).build(at: phone)
    let laptop = try bench.make(
      "laptop/app.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, v)",
      "INSERT INTO t VALUES (1, 'lap')")
    let merged = try bench.merge([phone, laptop])
    #expect(try merged.text("SELECT * FROM t") == "1 lap\n2 log")
    #expect(try merged.aside("SELECT source, c1 FROM conflicts") == "app.db (1) phone")
  }

  @Test func `a table that cannot be made in the result costs itself alone`() throws {
    let inputs = try (["old.db", "new.db"] as [FilePath]).map { name in
      let file = try make(
        name, "CREATE TABLE big (id INTEGER PRIMARY KEY); INSERT INTO big SELECT id FROM t")
      let connection = try Connection(file, mode: .readWrite)
      connection.configure(1010, false)  // SQLITE_DBCONFIG_DEFENSIVE
      try connection.execute(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE TABLE big (id INTEGER PRIMARY KEY,
          v GENERATED ALWAYS AS (zeroblob(90000 + id)) STORED)' WHERE name = 'big'
        """)
      return file
    }
    let output = bench.bench["merged.db"]
    let ending = try bench.bench.run(["merge"] + inputs + ["--output", output, "--json"])
    #expect(ending.status == 14, "\(ending.all)")
    #expect(try Oracle(output).tables == ["t"])
    #expect(try Oracle(output).count(of: "t") == 300)
    let big = try #require(
      try ending.json["tables"]?.elements.first { $0["table"]?.text == "big" })
    #expect(big["balanced"]?.bool == true && big["rows"]?.number == 0)
    #expect(big["inputs"]?.elements.map { $0["quarantined"]?.number } == [300, 300])
    #expect(try ending.json["unrestored"]?.elements.count == 1)
  }

  @Test func `what is wrong with the call is said, and nothing is written`() throws {
    let (old, new) = (try make("old.db"), try make("new.db"))
    try bench.bench["text.db"].replaceContents(with: Bytes("no database".utf8))
    let out = bench.bench["out.db"]
    let before = try bench.bench.look()
    let cases: [(words: [any Word], status: Int32)] = [
      ([old, "--output", out], 64), ([old, new, "--output", old, "--force"], 64),
      ([old, new, "--output", out, "--renumber", "none"], 64),
      ([old, new, "--output", out, "--newer-by", "none"], 64),
      ([old, bench.bench["none.db"], "--output", out], 66),
      ([old, bench.bench["text.db"], "--output", out], 65),
      ([bench.bench["text.db"], new, "--output", out], 65),
      ([old, new, "--output", bench.bench["none/none/out.db"]], 66),
    ]
    for (words, status) in cases {
      let ending = try bench.bench.run(["merge"] + words)
      #expect(ending.status == status, "\(words): \(ending.all)")
      #expect(try before.changes(until: bench.bench.look()) == [], "\(words)")
    }
    try out.replaceContents(with: Bytes("something".utf8))
    #expect(try bench.bench.run("merge", old, new, "--output", out).status == 73)
    #expect(try bench.bench.run("merge", old, new, "--output", out, "--force").status == 0)
    #expect(try Oracle(out).count(of: "t") == 300)
  }

  @Test func `a merge for which there is no room leaves nothing behind`() throws {
    let (old, new) = (try make("old.db"), try make("new.db"))
    let before = try bench.bench.look()
    let rescue = Rescue(world: World(storage: CrampedStorage(free: 1 << 20)))
    #expect(throws: RescueError.self) {
      try rescue.merge([old, new], to: bench.bench["out.db"])
    }
    #expect(try before.changes(until: bench.bench.look()) == [])
    // The disk is full when half of it is written.
    let full = try Command(
      "/bin/sh",
      [
        "-c", "ulimit -f 20; exec \"$0\" merge \"$1\" \"$2\" --output \"$3\"",
        Products.dbrescue.description, old.description, new.description,
        bench.bench["out.db"].description,
      ], environment: ["DBRESCUE_LOG": "/dev/null"]
    ).run()
    #expect([73, 74].contains(full.status), "\(full)")
    #expect(try before.changes(until: bench.bench.look()) == [])
  }

  @Test func `a merge that is interrupted leaves nothing behind`() throws {
    let scratch = try ScratchFolder()
    let (old, new) = (scratch["old.db"], scratch["new.db"])
    try FitnessLog.create(old, workouts: 2000)
    try FitnessLog.create(new, workouts: 2000)
    let before = try FolderContents(of: scratch.path)
    let run = try Command(
      Products.dbrescue,
      ["merge", old.description, new.description, "--output", "\(scratch["out.db"])"],
      environment: ["DBRESCUE_LOG": "/dev/null"]
    ).start()
    // The last of the files that it makes is there once rows are merged.
    func isMerging() throws -> Bool {
      try SystemStorage().names(in: scratch.path).contains { name in
        name.description.hasPrefix("dbrescue-")
          && (try? scratch.path.appending(name).appending("work.db").exists) == true
      }
    }
    while try !isMerging() { usleep(500) }
    run.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 130, "\(outcome)")
    #expect(try before.changes(until: FolderContents(of: scratch.path)) == [], "\(outcome)")
  }

  @Test(arguments: [1996, 1997, 2000], ["", "INTEGER PRIMARY KEY"])
  func `rows of very many columns are merged or set aside, or refused before anything is written`(
    _ count: Int, _ key: String
  ) throws {
    let names = (1..<count).map { ", c\($0)" }.joined()
    func make(_ name: FilePath, _ rows: String...) throws -> FilePath {
      try bench.make(
        name, "CREATE TABLE w (c0 \(key)\(names))",
        rows.map { "INSERT INTO w (c0) VALUES (\($0))" }.joined(separator: ";"))
    }
    let (old, new) = (try make("old.db", "7", "8"), try make("new.db", "7"))
    let output = bench.bench["result.db"]
    let ending = try bench.bench.run("merge", old, new, "-o", output)
    if count == 1996 {
      #expect([0, 14].contains(ending.status), "\(ending.all)")
    } else {
      #expect(ending.status == 65, "\(ending.all)")
      #expect(ending.error.contains("'w' has") && ending.error.contains("cannot be merged"))
      #expect(try !output.exists)
    }
    let none = try make("none.db")
    let merged = try bench.bench.run("merge", none, new, "-o", bench.bench["other.db"])
    #expect(merged.status == 0, "\(merged.all)")
  }

  @Test func `an input without a database is named`() throws {
    let empty = bench.bench["empty.db"]
    try empty.replaceContents(with: [])
    let inputs = [
      try bench.make("old.db", "CREATE TABLE t (a)"), empty,
      try bench.make("new.db", "CREATE TABLE t (a)"),
    ]
    let ending = try bench.bench.run(["merge"] + inputs + ["--output", bench.bench["out.db"]])
    #expect(ending.status == 65 && ending.all.contains("'empty.db'"), "\(ending.all)")
  }
}
