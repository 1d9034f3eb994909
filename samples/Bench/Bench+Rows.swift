// SPDX-License-Identifier: Apache-2.0
// What is measured, and with what it is compared. This file is a table.

import DatabaseRescue

extension Bench {
  /// The works in groups: those of a group take turns, so that they meet the same conditions.
  var groups: [[Work]] { [checks, salvages, backups, hasGzip ? restores : []] }

  private var checks: [Work] {
    [
      Work(name: "check", jobs: [command("check", database)]),
      Work(name: "diagnose", jobs: [command("diagnose", database)]),
      Work(name: "PRAGMA integrity_check", jobs: [peer("integrity-check", database)]),
    ]
  }

  private var salvages: [Work] {
    let (ours, theirs) = (folder.appending("salvaged.db"), folder.appending("vacuumed.db"))
    return [
      Work(
        name: "salvage", jobs: [command("salvage", database, "--output", ours)], makes: [ours]),
      Work(name: "VACUUM INTO", jobs: [peer("vacuum-into", database, theirs)], makes: [theirs]),
    ]
  }

  private var backups: [Work] {
    let quick = folder.appending("quick")
    let (copy, other) = (folder.appending("copy.db"), folder.appending("cp.db"))
    let online = peer("online-backup", database, copy)
    let gzip = Job(command: ["gzip", "-6", "-c", "\(copy)"], output: zipped)
    let backups = [
      Work(name: "backup", jobs: [command("backup", database, "--vault", vault)], makes: [vault]),
      Work(name: "second backup", jobs: [command("backup", database, "--vault", vault)]),
      Work(name: "backup after edits", jobs: [command("backup", edited, "--vault", vault)]),
      Work(
        name: "backup --verify quick",
        jobs: [command("backup", database, "--vault", quick, "--verify", "quick")], makes: [quick]),
      Work(name: "online backup", jobs: [online], makes: [copy]),
      Work(name: "cp", jobs: [Job(command: ["cp", "\(database)", "\(other)"])], makes: [other]),
    ]
    return hasGzip
      ? backups + [Work(name: gzipped, jobs: [online, gzip], makes: [copy, zipped])] : backups
  }

  private var restores: [Work] {
    let (ours, theirs) = (folder.appending("restored.db"), folder.appending("unzipped.db"))
    return [
      Work(
        name: "restore --output",
        jobs: [command("restore", database, "--vault", vault, "--output", ours)], makes: [ours]),
      Work(
        name: "gunzip -c", jobs: [Job(command: ["gunzip", "-c", "\(zipped)"], output: theirs)],
        makes: [theirs]),
    ]
  }

  /// The lines of the table.
  var rows: [Row] {
    let alone = [
      Row("check", "PRAGMA integrity_check", aim: 0.5),
      Row("diagnose", "PRAGMA integrity_check", aim: 1),
      Row("salvage", "VACUUM INTO", aim: 3),
      Row("second backup", "backup", aim: 1.0 / 3),
      Row("backup after edits", "backup", aim: 0.5),
      Row("online backup", "cp"),
    ]
    let withGzip = [
      Row("backup", gzipped, aim: 0.25),
      Row("backup", gzipped, .bytes, aim: 1.08),
      Row("backup --verify quick", gzipped, aim: 0.25),
      Row("restore --output", "gunzip -c", aim: 1.3),
    ]
    return alone + (hasGzip ? withGzip : [])
  }

  /// What has to be known to read the table.
  var notes: [String] {
    [
      "seconds: median (shortest–longest) of \(options.runs) runs after a warm-up",
      "core: the same ratio for the time that all cores together worked",
      "memory: the most that was resident; never less than that of this program, the parent",
      "salvage includes integrity_check of the result, and the SHA-256 of the input twice",
      "backup includes SQLite's copy, a hash of every table, inflating everything again, reading"
        + " back, fsync, and integrity_check; 'quick' leaves out the last",
      "second backup: of a database that has not changed since the first",
      "backup after edits: 1 % of the pages differ, far apart",
      "restore includes proving the backup first, integrity_check of the result, and fsync",
      "gzip and gunzip neither read back nor synchronize what they write",
      "load before: \(Int(loadBefore.rounded())) on \(coreCount) cores; unless it is 0, work"
        + " on several cores comes off worse than on an idle machine",
    ] + (hasGzip ? [] : ["gzip is not installed: its rows are left out"])
  }

  private var gzipped: String { "online backup + gzip -6" }
  private var vault: FilePath { folder.appending("vault") }
  private var zipped: FilePath { folder.appending("copy.db.gz") }

  private func command(_ words: any CustomStringConvertible...) -> Job {
    let program = program.folder.appending("dbrescue")
    return Job(command: [program.description] + words.map(\.description) + ["--quiet"])
  }

  private func peer(_ words: any CustomStringConvertible...) -> Job {
    Job(command: [program.description, "peer"] + words.map(\.description))
  }
}
