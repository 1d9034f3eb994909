// SPDX-License-Identifier: Apache-2.0
// `dbrescue help`: the same as --help, for a command, a group of commands or the program.

import DatabaseRescue

/// Explains a command, a group of commands or the program.
let helpCommand: CommandBody = { invocation, context throws(RescueError) in
  // The topic is read as a command line of its own, so that a mistyped one is corrected.
  let topic = try Arguments(invocation.texts(.topic).map { Array($0.utf8) })
  if let extra = topic.operands.first {
    let words = topic.words + [String(decoding: extra, as: UTF8.self)]
    throw invocation.command.misuse("unknown command '\(words.joined(separator: " "))'")
  }
  let page = HelpPage(topic.words, isFull: true, columns: context.console.terminal.helpColumns)
  context.console.print(page.lines)
  return .success
}
