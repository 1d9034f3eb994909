// SPDX-License-Identifier: Apache-2.0
// The screen in the place of an app that may not open its database, as text.

import DatabaseRescue
import Diagnosis

/// The screen in the place of an app that may not open its database.
public struct BlockingScreen: Sendable {
  /// The screen, line by line.
  public let lines: [String]

  init(_ blockade: Blockade) {
    let message = blockade.message
    lines = [message.title, "", message.body, message.request, message.code.description]
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
