// SPDX-License-Identifier: Apache-2.0
// A command that is told whether all is well, and nothing else.

import DatabaseRescue

/// A command that is told whether all is well, and nothing else: `curl -fsS https://…/{status}`.
///
/// No shell reads it, and no name of a file gets into it: only `{status}`, the exit status, and
/// `{outcome}`, `success` or `failure`.
struct Ping {
  /// How long it may take.
  var timeout = Duration.seconds(30)
  /// The variable by whose value all that it starts is known.
  private static let mark = "DBRESCUE_PING"
  private static let places = ["{status}", "{outcome}"]

  private let words: [String]

  /// Reads a command: words between spaces, which `'` and `"` keep together.
  ///
  /// - Throws: ``RescueError`` of the kind `.usage` when it would never hear of a failure.
  init(_ text: String, of command: Command) throws(RescueError) {
    guard var words = Self.words(of: text), let program = words.first else {
      throw command.misuse("--ping needs a command, with every quotation mark closed")
    }
    if program.contains("://") {
      throw command.misuse(
        "--ping needs a command, not a URL: --ping 'curl -fsS -m 10 \(program)/{status}'")
    }
    if words.count == 1 { words += Self.places }
    guard words.dropFirst().contains(where: { word in Self.places.contains(where: word.contains) })
    else {
      throw command.misuse(
        "--ping runs a command that would never hear of a failure: put {status} or {outcome} "
          + "among its arguments")
    }
    self.words = words
  }

  /// Runs the command; gives what went wrong with it, and nil where nothing did.
  func tell(_ status: ExitCode, in world: World) -> String? {
    let outcome = status == .success ? "success" : "failure"
    let arguments = words.dropFirst().map {
      $0.replacing("{status}", with: "\(status.rawValue)").replacing("{outcome}", with: outcome)
    }
    var environment = world.environment
    environment[Self.mark] = "\(world.random())"
    let process = ChildProcess(
      ([words[0]] + arguments).map { FilePath($0) }, environment: environment, mark: Self.mark,
      printingTo: .errors)
    do throws(StorageError) {
      let end = try process.run(
        timeout: timeout, isStopWished: world.isCancelled,
        stopSignal: world.cancelledStatus() - 128)
      return end.succeeded ? nil : "the ping \(end.description)"
    } catch {
      return RescueError(error, doing: "run the ping").message
    }
  }

  /// The words of a command; nil where a quotation mark is not closed.
  private static func words(of text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if quote == nil, character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}
