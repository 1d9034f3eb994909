// SPDX-License-Identifier: Apache-2.0
// A folder with databases, a run log, and the built programs run in it as processes of their own.

import DatabaseRescue
import RescueTestSupport
import SQLiteFormat
import Testing

/// A folder of a test's own in which the built programs are run.
final class Session: Sendable {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    for name in ["files", "tmp"] as [FilePath] { try SystemStorage().createFolder(scratch[name]) }
  }

  /// The path of a file.
  subscript(name: FilePath) -> FilePath { scratch["files"].appending(name) }

  /// What the sample app expects of version 4.
  let contract = Checkout.samples.appending("fitness-log-v4.sql").description

  /// The run log.
  var log: FilePath { scratch["log/runs.jsonl"] }

  /// What the built programs are started with.
  var environment: [String: String] {
    [
      "DBRESCUE_LOG": log.description, "TMPDIR": scratch["tmp"].description,
      "PATH": "/usr/bin:/bin",
    ]
  }

  /// Copies a sample with its sidecars.
  func place(_ sample: FilePath, as name: FilePath) throws -> FilePath {
    try Checkout.samples.appending(sample).copyFileSet(to: self[name])
    return self[name]
  }

  /// The command, ready to run or to start.
  func dbrescue(_ arguments: [String]) throws -> Command {
    Command(try Products.dbrescue, arguments, environment: environment)
  }

  /// Runs the command; no private copy may be left behind, and what it says in JSON is as published.
  @discardableResult
  func run(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Command.Outcome {
    try run(arguments, sourceLocation: sourceLocation)
  }

  /// Runs the command with a list of arguments.
  @discardableResult
  func run(
    _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Command.Outcome {
    let outcome = try dbrescue(arguments).run()
    #expect(outcome.status != nil, "\(outcome)", sourceLocation: sourceLocation)
    #expect(
      try SystemStorage().names(in: scratch["tmp"]) == [], "\(arguments)",
      sourceLocation: sourceLocation)
    if arguments.prefix(while: { $0 != "--" }).contains("--json") {
      let problems = PublishedFormat.problems(
        output: outcome.text, error: outcome.errorText, status: outcome.status)
      #expect(problems == [], "\(outcome)", sourceLocation: sourceLocation)
    }
    return outcome
  }

  /// The runs in the log, oldest first.
  func records() throws -> [RunRecord] {
    let contents = try RunLog(at: log, in: World()).records()
    #expect(contents.unreadableCount == 0)
    return contents.records
  }

  /// The backups of a database, newest first.
  func backups(of file: FilePath) throws -> [Backup] {
    try Vault(of: file).list()
  }

  /// Restores a backup to a new file, without the program: any tool can.
  func gunzip(_ backup: Backup, to path: FilePath) throws {
    let outcome = try Command("/bin/sh", ["-c", "gzip -dc < \"$0\"", backup.path.description]).run()
    #expect(outcome.status == 0)
    try path.replaceContents(with: outcome.output)
  }
}
