// SPDX-License-Identifier: Apache-2.0
// What is at the other end of the standard streams, as plain values.

/// A standard stream that is written to.
enum Channel: Hashable, Sendable {
  /// Standard output: the result.
  case output
  /// Standard error: everything else.
  case error
}

/// What is at the other end of the standard streams.
struct Terminal: Hashable, Sendable {
  /// Whether somebody types at standard input.
  var inputIsTerminal = false
  /// Whether standard output is a terminal.
  var outputIsTerminal = false
  /// Whether standard error is a terminal.
  var errorIsTerminal = false
  /// The width in columns.
  var columns = 80

  /// Whether a stream is a terminal.
  func isTerminal(_ stream: Channel) -> Bool {
    switch stream {
    case .output: outputIsTerminal
    case .error: errorIsTerminal
    }
  }

  /// Whether text on a stream is coloured.
  func isColored(
    _ stream: Channel, _ choice: ColorChoice, environment: [String: String]
  ) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto:
      isTerminal(stream) && environment["NO_COLOR", default: ""].isEmpty
        && environment["TERM"] != "dumb"
    }
  }

  /// Whether a line on standard error can be redrawn.
  func canRedraw(environment: [String: String]) -> Bool {
    errorIsTerminal && environment["TERM"] != "dumb"
  }

  /// Whether somebody sees a question and can answer it.
  var hasSomebody: Bool { inputIsTerminal && errorIsTerminal }

  /// The width that help is written for.
  var helpColumns: Int { outputIsTerminal ? min(max(columns, 50), 80) : 80 }
}

/// How the user wants to be spoken to.
struct Manner: Hashable, Sendable {
  /// The result and errors only.
  var isQuiet = false
  /// More than usual.
  var isVerbose = false
  /// The result as JSON.
  var isJSON = false
  /// When to use colours.
  var color = ColorChoice.auto
  /// Whether progress may be drawn.
  var showsProgress = true
}

extension Manner {
  /// What the flags of a command line say.
  init(_ arguments: Arguments) {
    isQuiet = arguments.has(.quiet)
    isVerbose = arguments.has(.verbose)
    isJSON = arguments.has(.json)
    color = arguments.has(.noColor) ? .never : arguments.choice(.color) ?? .auto
    showsProgress = !arguments.has(.noProgress) && !isQuiet
  }

  /// What can be told of a command line that makes no sense.
  init(guessedFrom raw: [[UInt8]]) {
    isJSON = Arguments.mentions(.json, in: raw)
    color = Arguments.mentions(.noColor, in: raw) ? .never : .auto
  }
}
