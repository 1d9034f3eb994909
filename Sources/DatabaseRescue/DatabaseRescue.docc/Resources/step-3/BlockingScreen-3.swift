// SPDX-License-Identifier: Apache-2.0
// The screen in the place of an app that may not open its database, as text.

public import DatabaseRescue
import Diagnosis

/// The screen in the place of an app that may not open its database.
public struct BlockingScreen: Sendable {
  /// What can be chosen, by number from 1.
  public let options: [Blockade.Option]
  /// The screen, line by line.
  public private(set) var lines: [String]

  init(_ blockade: Blockade) {
    options = blockade.options
    let message = blockade.message
    let buttons = options.enumerated().map { "[\($0 + 1)] \($1.label())" }
    lines = [message.title, "", message.body, message.request, message.code.description]
    if !buttons.isEmpty { lines += [""] + buttons }
  }

  /// The same screen with why a choice could not be carried out.
  func adding(_ line: String) -> BlockingScreen {
    var screen = self
    screen.lines += ["", line]
    return screen
  }
}

extension BlockingScreen: CustomStringConvertible {
  /// The screen in a frame.
  public var description: String {
    let width = lines.map(\.count).max() ?? 0
    let edge = "+" + String(repeating: "-", count: width + 2) + "+"
    let rows = lines.map { line in
      "| " + line + String(repeating: " ", count: width - line.count) + " |"
    }
    return ([edge] + rows + [edge]).joined(separator: "\n")
  }
}
