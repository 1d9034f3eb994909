// SPDX-License-Identifier: Apache-2.0
// The one error that leaves this library: what happened, what it means, what to do next.

public import Diagnosis
import SQLiteFormat

/// Why an operation could not be done, in three parts, and with which exit code.
public struct RescueError: Error, Hashable, Sendable {
  /// What kind of trouble, by the exit status that it ends in.
  public enum Kind: Int32, Hashable, Sendable, CaseIterable {
    /// A decision is needed and nobody was there to ask; nothing was changed.
    case decisionNeeded = 20
    /// Declined or cancelled.
    case declined = 21
    /// The command line is wrong.
    case usage = 64
    /// A contract, playbook or backup that was given is invalid.
    case invalidInput = 65
    /// There is no such file.
    case missing = 66
    /// A defect of this program.
    case `internal` = 70
    /// No space, or no way to write; checked before starting where possible.
    case cannotWrite = 73
    /// Reading or writing failed.
    case inputOutput = 74
    /// Another process holds the database; try again.
    case busy = 75
    /// Permission is missing.
    case permission = 77
    /// Somebody wished the run to stop, before it had changed anything.
    case interrupted = 130
  }

  /// What kind of trouble.
  public let kind: Kind
  /// What happened: lower case, no full stop.
  public let message: String
  /// What it means for the data; empty where nothing was at stake.
  public let meaning: String
  /// What to do next, such as a command to run; empty where nothing helps.
  public let advice: String
  /// The verdict that stands in the way, where the database itself does.
  public let verdict: Verdict?
  /// The support code of the run that failed, once there is one.
  public internal(set) var code: SupportCode?
  /// What the run has changed all the same; nil until somebody has looked.
  public internal(set) var change: Change?
  /// How far an examination came that failed.
  private(set) var stage: SupportCode.Stage?
  /// Whether the database is not any more what the plan was made for.
  var isOverdue = false

  /// Makes an error.
  public init(
    _ kind: Kind, _ message: String, meaning: String = "", advice: String = "",
    verdict: Verdict? = nil
  ) {
    self.kind = kind
    self.message = message.harmless(limit: Self.lineLimit)
    self.meaning = Self.harmless(meaning)
    self.advice = Self.harmless(advice)
    self.verdict = verdict
  }

  /// A little less than a line, for what stands before it there.
  private static let lineLimit = String.lineLimit - 50

  /// Text of several lines, of which each may quote a hostile name.
  private static func harmless(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).harmless(limit: lineLimit) }.joined(separator: "\n")
  }

  /// The same error at the end of its run, with what the run has changed.
  ///
  /// That decides what is said of the data. An error knows better only where nothing was changed.
  func concluded(with changes: [Change]) -> RescueError {
    let change = Change(changes + (change.map { [$0] } ?? []))
    let own = meaning.isEmpty ? Change.nothing.meaning : meaning
    let meaning =
      switch change.extent {
      case .nothing: change.meaning.isEmpty ? own : change.meaning
      case .addition:
        (own == Change.nothing.meaning ? "the database was not changed" : own) + "; "
          + change.meaning
      case .something, .unknown: change.meaning
      }
    let advice = [advice, change.next].filter { !$0.isEmpty }.joined(separator: "\n")
    var error = RescueError(
      kind, message, meaning: meaning,
      advice: advice.isEmpty ? "try again, or ask for help with the support code" : advice,
      verdict: verdict)
    error.change = change
    return error
  }

  /// The same error, with how far its examination came.
  func at(_ stage: SupportCode.Stage) -> RescueError {
    var error = self
    error.stage = self.stage ?? stage
    return error
  }

  /// The exit status that a run ends in: that of the verdict where one stands in the way.
  public var exitStatus: Int32 { verdict?.exitStatus ?? kind.rawValue }
}

extension RescueError {
  /// Any error of a lower layer as an error for people; `doing` reads like `write 'app.db'`.
  package init(_ error: any Error, doing: String, meaning: String = "") {
    switch error {
    case let error as RescueError: self = error
    case is CutShort: self = .interrupted
    case let error as ReadFailure where error.isStop: self = .interrupted
    case let error as any TellableError: self = error.told(doing: doing, meaning: meaning)
    case let error as ReadFailure:
      self.init(
        .inputOutput, "cannot \(doing): \(error.reason) at byte \(error.offset)",
        meaning: "the disk or file system does not hand out some bytes",
        advice: "copy what can be read to another disk first")
    default: self.init(.internal, "cannot \(doing): \(error)", meaning: meaning)
    }
  }
}

/// An error of a lower layer that knows what it means for people.
protocol TellableError: Error {
  /// The error for people; `doing` reads like `write 'app.db'`.
  func told(doing: String, meaning: String) -> RescueError
}

extension RescueError {
  /// The error of a run that somebody wished to stop.
  static var interrupted: RescueError {
    RescueError(
      .interrupted, "interrupted", meaning: Change.nothing.meaning,
      advice: "give the same command again when it may run to its end")
  }
}
