// SPDX-License-Identifier: Apache-2.0
// What every command is: a function of what was typed, and of what it works with.

import DatabaseRescue

/// What a command body works with, apart from what was typed.
struct CommandContext: Sendable {
  /// Files, time, chance and environment.
  let world: World
  /// Where it speaks.
  let console: Console
  /// The wish to stop; long work looks at it between two steps.
  let interruption: Interruption
}

/// What a command does.
///
/// Returns how the run ended; throws where it could not be done.
typealias CommandBody =
  @Sendable (_ invocation: Invocation, _ context: CommandContext) throws(RescueError) -> ExitCode
