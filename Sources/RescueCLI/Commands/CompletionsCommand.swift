// SPDX-License-Identifier: Apache-2.0
// `dbrescue completions SHELL`: prints the completion script of a shell.

import DatabaseRescue

/// Prints the completion script of a shell.
let completionsCommand: CommandBody = { invocation, context throws(RescueError) in
  let script =
    switch invocation.choice(.shell) as Shell {
    case .bash: BashCompletions.script
    case .zsh: ZshCompletions.script
    case .fish: FishCompletions.script
    }
  context.console.write(script)
  return .success
}
