// SPDX-License-Identifier: Apache-2.0
// The built program tried from outside, as nobody, with its time and memory measured.

package import DatabaseRescue
import SQLiteFormat

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One run of a program inside a folder of a test's own.
package struct Trial: Sendable {
  /// The program and its arguments.
  package let words: [String]
  /// How long it may run, in seconds of clock time.
  let seconds: Double
  /// The folder that it runs in; nil for that of all.
  let folder: FilePath?

  /// Describes a run of dbrescue.
  package init(_ arguments: [String], seconds: Double = 60, in folder: FilePath? = nil) throws {
    words = [try TestedProgram.path.description] + arguments
    self.seconds = seconds
    self.folder = folder
  }

  /// Describes the question what SQLite says of databases, private copies: a line for each.
  package init(judging paths: [String], in folder: FilePath) throws {
    words = [try Products.program("trial-runner").description, "judge"] + paths
    seconds = 20
    self.folder = folder
  }

  /// How a run ended and what it took.
  package struct Ending: Sendable {
    /// How it ended.
    package let end: Command.Outcome.End
    /// The most memory that was resident at once, in bytes.
    package let memoryByteCount: Int
    /// The time that all cores together worked.
    package let coreSeconds: Double
    /// What it wrote to both its streams.
    package let text: String

    /// The exit status; nil when it did not exit by itself.
    package var status: Int32? {
      if case .exited(let status) = end { status } else { nil }
    }
  }

  /// Runs programs one after the other in a folder, which becomes nobody's where root asks.
  ///
  /// - Throws: ``UnfitFixture`` when the programs cannot be run at all.
  package static func run(
    _ trials: [Trial], in folder: FilePath, environment: [String: String]
  ) throws -> [Ending] {
    try ScratchFolder.with { scratch in
      if getuid() == 0 {
        let places = [folder, scratch.path].map(\.description)
        _ = try Command("/bin/chown", ["-hR", "65534:65534"] + places).run()
      }
      var jobs: [String] = []
      for (index, trial) in trials.enumerated() {
        let output = scratch[FilePath("output-\(index)")].description
        let place = (trial.folder ?? folder).description
        jobs += ["\(trial.seconds)", place, output, "\(trial.words.count)"]
        jobs += trial.words
      }
      let limit = trials.reduce(30) { $0 + $1.seconds }
      let outcome = try Command(
        Products.program("trial-runner"), ["run"], environment: environment,
        input: Bytes(jobs.flatMap { Array($0.utf8) + [0] })
      ).run(limit: .seconds(limit))
      let lines = outcome.text.split(separator: "\n")
      guard lines.count == trials.count else {
        throw UnfitFixture("the trial runner failed: \(outcome)")
      }
      return try lines.enumerated().map { index, line in
        let output = scratch[FilePath("output-\(index)")]
        let text = try output.exists ? String(decoding: output.contents(), as: UTF8.self) : ""
        return try ending(line, text)
      }
    }
  }

  private static func ending(_ line: Substring, _ text: String) throws -> Ending {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard let kind = words.first, numbers.count == 4, kind != "unstarted" else {
      throw UnfitFixture("a program could not be started: \(line)")
    }
    let end: Command.Outcome.End =
      switch kind {
      case "exited": .exited(Int32(numbers[0]))
      case "signalled": .signalled(Int32(numbers[0]))
      default: .timedOut
      }
    return Ending(
      end: end, memoryByteCount: numbers[1] * 1024, coreSeconds: Double(numbers[2]) / 1_000_000,
      text: text)
  }
}

/// The program that the trials try.
package enum TestedProgram {
  private static let named = ProcessInfo.processInfo.environment["DBRESCUE_PROGRAM"]

  /// `$DBRESCUE_PROGRAM`, else the one that was built together with the tests.
  package static var path: FilePath {
    get throws { try named.map { FilePath($0) } ?? Products.dbrescue }
  }

  /// How many times longer it may take: a program that was built for debugging is slow.
  package static let patience = named == nil ? 12.0 : 1.0

  /// Whether the program can be run as the trials run it: not where nobody may read it.
  package static let canBeTried: Bool = {
    let endings = try? ScratchFolder.with { scratch in
      try Trial.run([Trial(["--version"])], in: scratch.path, environment: [:])
    }
    return endings?.first?.status == 0
  }()
  /// What is said of trials where it cannot.
  package static let notTried = "the program cannot be run as an ordinary user"
}

extension Trial.Ending {
  /// What is wrong with how a run ended, where it has to end in a status.
  package func violation(of command: String, expecting expected: Int32) -> Violation? {
    if status == expected { return nil }
    return Violation("\(command): \(end.shown)", text)
  }

  /// A run that ended in a signal, in a defect, or not at all.
  package func failures(of command: String) -> [Violation] {
    switch end {
    case .exited(70): [Violation("\(command): exit 70, \(reason)", text)]
    case .signalled, .timedOut: [Violation("\(command): \(end.shown)", text)]
    case .exited: []
    }
  }

  /// The words of the first error without what is quoted in it.
  private var reason: String {
    let line = text.split(separator: "\n").first { $0.contains("error:") || $0.contains("unsound") }
    let parts = (line ?? "").split(separator: "'", omittingEmptySubsequences: false)
    let plain = parts.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined()
    return plain.split { !$0.isLetter }.filter { !["dbrescue", "error"].contains($0) }.prefix(8)
      .joined(separator: " ")
  }

  /// More time or memory than a run may take.
  package func excesses(of command: String, seconds: Double = 2) -> [Violation] {
    var violations: [Violation] = []
    let seconds = seconds * TestedProgram.patience
    if coreSeconds > seconds {
      violations.append(Violation("\(command): over \(seconds) s", "\(coreSeconds) s"))
    }
    if memoryByteCount > 256 << 20 {
      violations.append(Violation("\(command): over 256 MiB", "\(memoryByteCount >> 20) MiB"))
    }
    return violations
  }
}

extension Command.Outcome.End {
  /// The end in two words.
  package var shown: String {
    switch self {
    case .exited(let status): "exit \(status)"
    case .signalled(let signal): "signal \(signal)"
    case .timedOut: "no end"
    }
  }
}
