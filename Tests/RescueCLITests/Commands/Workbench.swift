// SPDX-License-Identifier: Apache-2.0
// A place to run the whole program in, which holds every run to what every run promises.

import DatabaseRescue
import Diagnosis
import FitnessLog
import RescueTestSupport
import SQLiteFormat
import Synchronization
import Testing

@testable import RescueCLI

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A word of a command line: text, or a path of any bytes.
protocol Word {
  var bytes: [UInt8] { get }
}

extension String: Word {
  var bytes: [UInt8] { Array(utf8) }
}

extension FilePath: Word {}

/// How a run of the program ended.
struct Ending {
  let status: Int32
  let output: String
  let error: String
  /// What the run added to the log; nil when it added nothing.
  let record: RunRecord?

  /// Both streams.
  var all: String { output + error }

  /// The one JSON document on standard output.
  var json: JSON { get throws { try JSON(output) } }

  /// The one backup that the document lists.
  var backup: JSON {
    get throws {
      let backups = try #require(try json["backups"]?.elements)
      #expect(backups.count == 1)
      return try #require(backups.first)
    }
  }
}

/// Files, a run log and a folder for private copies, all of a test's own.
///
/// Every run is held to the promises that all commands make: it ends in a status that its help
/// names, leaves no private copy behind, writes at most one line to the log, whose code can be
/// explained, and answers in JSON where it is asked to.
final class Workbench: Sendable {
  private let scratch: ScratchFolder
  private let clock = Mutex(Date(timeIntervalSince1970: 1_795_219_200))

  /// Makes an empty bench.
  init() throws {
    scratch = try ScratchFolder()
    for name in ["files", "tmp"] as [FilePath] { try SystemStorage().createFolder(scratch[name]) }
  }

  /// The folder of the files.
  var files: FilePath { scratch["files"] }
  /// The folder for private copies.
  private var temporary: FilePath { scratch["tmp"] }
  /// The run log.
  var log: FilePath { scratch["log/runs.jsonl"] }

  /// The path of a file.
  subscript(name: FilePath) -> FilePath { files.appending(name) }

  /// Lets time pass.
  func pass(hours: Double) {
    clock.withLock { $0 = $0.addingTimeInterval(hours * 3600) }
  }

  /// Copies a sample with its sidecars.
  @discardableResult
  func place(_ sample: FilePath, as name: FilePath? = nil) throws -> FilePath {
    let path = self[name ?? sample.name]
    try Checkout.samples.appending(sample).copyFileSet(to: path)
    return path
  }

  /// What the sample app expects of version 4.
  let contract = Checkout.samples.appending("fitness-log-v4.sql")

  /// Everything under the folder of the files, now.
  func look() throws -> FolderContents { try FolderContents(of: files) }

  /// Every line of the log.
  func records() throws -> [RunRecord] {
    let contents = try RunLog(at: log, in: World()).records()
    #expect(contents.unreadableCount == 0)
    return contents.records
  }

  /// Runs the program; with `answers` somebody sits at a terminal and types them.
  @discardableResult
  func run(
    _ words: any Word..., answers: [String]? = nil, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Ending {
    try run(
      words, answers: answers, environment: environment, sourceLocation: sourceLocation)
  }

  /// Runs the program with a command line in pieces.
  @discardableResult
  func run(
    _ words: [any Word], answers: [String]? = nil, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Ending {
    let before = try records().count
    let recorder = Recorder(answers: answers ?? [])
    let own = ["DBRESCUE_LOG": log.description, "TMPDIR": temporary.description]
    let status = EntryPoint.run(
      arguments: words.map(\.bytes),
      world: World(
        storage: SystemStorage(), now: { [self] in clock.withLock { $0 } },
        environment: own.merging(environment) { $1 }),
      streams: recorder.streams(answers == nil ? Terminal() : .interactive),
      interruption: Interruption())
    let added = try records().dropFirst(before)
    let ending = Ending(
      status: status, output: recorder.output, error: recorder.error, record: added.first)
    #expect(added.count <= 1, sourceLocation: sourceLocation)
    try hold(ending, to: words, isWatched: answers != nil, sourceLocation)
    return ending
  }

  // MARK: What every run promises

  private func hold(
    _ ending: Ending, to words: [any Word], isWatched: Bool, _ location: SourceLocation
  ) throws {
    let arguments = try? Arguments(words.map(\.bytes))
    let flags = Set(arguments?.occurrences.map(\.flag.name) ?? [])
    let context: Comment = "\(words): \(ending.status)\n\(ending.all)"
    #expect(try SystemStorage().names(in: temporary) == [], context, sourceLocation: location)
    if let command = arguments?.command {
      let isNamed = command.allExitCodes.contains { $0.rawValue == ending.status }
      #expect(isNamed, context, sourceLocation: location)
      if Self.logs(command, flags, ending.status) {
        #expect(ending.record != nil, context, sourceLocation: location)
      }
    }
    expectPublished(
      words.map(\.bytes), output: ending.output, error: ending.error, status: ending.status,
      location)
    if flags.contains(Flag.json.name), !isWatched {
      for line in ending.error.split(separator: "\n") {
        let isJSON = (try? JSON(String(line)))?["type"]?.text != nil
        #expect(
          isJSON || line.hasPrefix("dbrescue: warning:"), context, sourceLocation: location)
      }
    }
    guard let record = ending.record else { return }
    let lines = record.code.explanation
    #expect(lines.count > 5, context, sourceLocation: location)
    if !flags.contains(Flag.dryRun.name) {
      #expect(record.exitStatus == ending.status, context, sourceLocation: location)
    }
    // A run that failed tells its code in the log only, so far.
    if ending.status < 20, !flags.contains(Flag.quiet.name), !flags.contains(Flag.dryRun.name) {
      #expect(ending.all.contains(record.code.description), context, sourceLocation: location)
    }
  }

  /// Whether a command is one that goes into the log, and came far enough for it.
  private static func logs(
    _ command: RescueCLI.Command, _ flags: Set<String>, _ status: Int32
  ) -> Bool {
    let logged = [
      "check", "diagnose", "backup", "guard", "migrate", "rehearse", "contract verify", "recover",
      "restore",
      "salvage", "merge", "reset", "undo", "playbook run", "vault status", "vault verify",
      "vault prune", "vault extract",
    ]
    return logged.contains(command.name) && status < 20 && !flags.contains(Flag.dryRun.name)
      && !flags.contains(Flag.help.name)
  }
}

extension Workbench {
  /// Tries a migration of one file of SQL, from version 1, on a private copy.
  func tryMigration(of file: FilePath, _ sql: String, _ words: [String] = []) throws -> Ending {
    let folder = self["migrations"]
    try SystemStorage().createFolder(folder)
    try folder.appending("0002_next.sql").replaceContents(with: Bytes(sql.utf8))
    return try run(["migrate", file, "--migrations", folder, "--dry-run"] + words)
  }
}
