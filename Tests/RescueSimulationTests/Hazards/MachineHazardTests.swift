// SPDX-License-Identifier: Apache-2.0
// What a real machine refuses: room on a disk that fills up, and folders of somebody else.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct MachineHazardTests {
  let scratch: ScratchFolder
  let stage: Stage
  init() throws {
    scratch = try ScratchFolder()
    stage = Stage(root: scratch.path)
    try stage.makeFolders()
  }

  // MARK: A disk that is full

  /// Whether a small file system can be mounted where nobody else sees it.
  private static let canMount: Bool = {
    let outcome = try? Command(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
    ).run()
    return outcome?.status == 0
  }()

  @Test func `a disk without room for the index of a log is full, and not broken`() throws {
    let file = stage.log.folder.appending("app.db")
    try DatabaseBuilder(journal: .wal, ["CREATE TABLE t (a)", "INSERT INTO t VALUES (1)"])
      .build(at: file)
    let outcome = try Command(
      "/bin/sh",
      [
        "-c", "ulimit -f 40; trap '' XFSZ; exec \"$0\" backup \"$1\"",
        try Products.dbrescue.description, file.description,
      ],
      environment: stage.environment
    ).run()
    #expect(outcome.status == 73, "\(outcome)")
    #expect(outcome.errorText.contains("free some space"), "\(outcome)")
  }

  @Test(arguments: [8, 10, 11, 12])
  func `a process that may open hardly any files says so before it begins`(_ count: Int) throws {
    let file = stage.log.folder.appending("app.db")
    try DatabaseBuilder(["CREATE TABLE t (a)"]).build(at: file)
    let outcome = try Command(
      "/bin/sh",
      [
        "-c", "ulimit -n \(count); exec \"$0\" backup \"$1\"",
        try Products.dbrescue.description, file.description,
      ],
      environment: stage.environment
    ).run()
    #expect(outcome.status == 74, "\(outcome)")
    #expect(outcome.errorText.contains("no more than \(count) files open"), "\(outcome)")
  }

  @Test(.enabled(if: canMount, "mounting is not allowed"))
  func `a disk that fills up while a backup is written keeps the last one, and no litter`() throws {
    func build(_ name: String, kibibytes: Int) throws -> FilePath {
      let path = stage.log.folder.appending(FilePath(name))
      try DatabaseBuilder([
        "CREATE TABLE photos (id INTEGER PRIMARY KEY, photo BLOB)",
        DatabaseBuilder.Step(
          stringLiteral: """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(kibibytes))
            INSERT INTO photos SELECT i, randomblob(1000) FROM n
            """),
      ]).build(at: path)
      return path
    }
    let small = try build("small.db", kibibytes: 50)
    let large = try build("large.db", kibibytes: 8000)
    // Photos do not shrink: a backup needs twice the room of the database in the end, and 1.7 times
    // is what it asks for at the start.
    let room = try large.contents().count * 285 / 100
    let disk = stage.root.appending("disk")
    let after = stage.root.appending("after")
    for folder in [disk, after] { try SystemStorage().createFolder(folder) }
    let outcome = try Command(
      "/usr/bin/unshare",
      [
        "-rm", "/bin/sh", "-c",
        """
        mount -t tmpfs -o size=\(room + 300_000) tmpfs "$0" || exit 99
        cp "$2" "$0/app.db" && "$1" backup "$0/app.db" >&2 || exit 98
        cp "$3" "$0/app.db"; "$1" backup "$0/app.db"; status=$?
        cp -R "$0/." "$4"; exit $status
        """,
        disk.description, try Products.dbrescue.description, small.description, large.description,
        after.description,
      ],
      environment: stage.environment
    ).run()
    #expect(outcome.status == 73, "\(outcome)")
    #expect(outcome.errorText.contains("no space left on device"), "\(outcome)")
    #expect(try after.appending("app.db").contents() == large.contents())
    let vault = Vault(of: after.appending("app.db"))
    let backup = try #require(try vault.latest())
    #expect(try BackupReader(backup.path).verify().passed)
    #expect(try SystemStorage().names(in: vault.folder) == [backup.path.name])
    #expect(try SystemStorage().names(in: stage.temporary) == [])
  }

  // MARK: A folder that must not be written to

  /// The program, run by somebody whom permissions bind.
  private static func unprivileged(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Command.Outcome {
    let program = try Products.dbrescue
    guard getuid() == 0 else {
      return try Command(program, arguments, environment: environment).run()
    }
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"]
    return try Command(
      "/usr/bin/setpriv", nobody + [program.description] + arguments, environment: environment
    ).run()
  }

  private static let isBound = (try? unprivileged(["--version"]).status) == 0

  enum Journal: CaseIterable { case rollback, wal, walWithLog }

  @Test(.enabled(if: isBound, "the program cannot be run by nobody"), arguments: Journal.allCases)
  func `a database in a folder that must not be written to is read all the same`(
    _ journal: Journal
  ) throws {
    let folder = stage.root.appending("mounted")
    let elsewhere = stage.root.appending("elsewhere")
    for folder in [folder, elsewhere] { try SystemStorage().createFolder(folder) }
    let database = folder.appending("app.db")
    try DatabaseBuilder(
      journal: journal == .rollback ? .delete : .wal,
      ["CREATE TABLE notes (id INTEGER PRIMARY KEY)", "INSERT INTO notes VALUES (1), (2)"],
      leftover: journal == .walWithLog ? .wal(["INSERT INTO notes VALUES (3)"]) : .nothing
    ).build(at: database)
    for file in try SystemStorage().names(in: folder) {
      #expect(unsafe chmod(folder.appending(file).description, 0o444) == 0)
    }
    let free = [elsewhere, stage.temporary, stage.log.folder]
    for folder in free { #expect(unsafe chmod(folder.description, 0o777) == 0) }
    for folder in [folder, stage.root] { #expect(unsafe chmod(folder.description, 0o555) == 0) }
    defer {
      for folder in [folder, stage.root] { _ = unsafe chmod(folder.description, 0o755) }
    }
    let before = try FolderContents(of: folder)

    func expect(_ status: Int32, _ arguments: String...) throws {
      let outcome = try Self.unprivileged(arguments, stage.environment)
      #expect(outcome.status == status, "\(arguments): \(outcome)")
    }
    let vault = elsewhere.appending("vault").description
    let copy = elsewhere.appending("copy.db")
    try expect(0, "check", database.description)
    try expect(77, "backup", database.description)
    try expect(0, "backup", database.description, "--vault", vault)
    try expect(0, "restore", database.description, "--vault", vault, "--output", copy.description)
    try expect(77, "restore", database.description, "--vault", vault, "--yes")
    let salvaged = elsewhere.appending("salvaged.db")
    try expect(0, "salvage", database.description, "--output", salvaged.description)
    for path in [copy, salvaged] {
      #expect(try Oracle(path).count(of: "notes") == (journal == .walWithLog ? 3 : 2))
    }
    #expect(try before.changes(until: FolderContents(of: folder)) == [])
  }
}
