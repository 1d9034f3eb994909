// SPDX-License-Identifier: Apache-2.0
// The whole program as a function of its arguments and its world.

package import DatabaseRescue

/// The whole program as a function of its arguments and its world.
package enum EntryPoint {
  /// The bodies of the commands, by name.
  static let bodies: [String: CommandBody] = [
    "check": checkCommand,
    "diagnose": diagnoseCommand,
    "explain": explainCommand,
    "backup": backupCommand,
    "vault list": vaultListCommand,
    "vault status": vaultStatusCommand,
    "vault verify": vaultVerifyCommand,
    "vault prune": vaultPruneCommand,
    "vault extract": vaultExtractCommand,
    "guard": guardCommand,
    "migrate": migrateCommand,
    "rehearse": rehearseCommand,
    "contract capture": contractCaptureCommand,
    "contract import": contractImportCommand,
    "contract verify": contractVerifyCommand,
    "contract diff": contractDiffCommand,
    "recover": recoverCommand,
    "restore": restoreCommand,
    "salvage": salvageCommand,
    "merge": mergeCommand,
    "reset": resetCommand,
    "undo": undoCommand,
    "playbook list": playbookListCommand,
    "playbook show": playbookShowCommand,
    "playbook validate": playbookValidateCommand,
    "playbook run": playbookRunCommand,
    "log list": logListCommand,
    "log show": logShowCommand,
    "schema": schemaCommand,
    "help": helpCommand,
    "completions": completionsCommand,
    "man": manCommand,
  ]

  /// Runs the program in this process, and ends it.
  package static func main() -> Never {
    SystemProcess.handleSignals()
    Connection.forgoStatistics()
    let interruption = Interruption.ofProcess
    var world = World(isCancelled: { interruption.isRequested })
    world.cancelledStatus = { interruption.status }
    world.adoptsOrphans = true
    SystemProcess.end(
      run(
        arguments: SystemProcess.arguments, world: world,
        streams: .system(interruption: interruption), interruption: interruption))
  }

  /// Runs the program.
  ///
  /// - Parameters:
  ///   - arguments: What was typed, as the system has it, without the program's name.
  ///   - world: Files, time, chance and environment.
  ///   - streams: The standard streams.
  ///   - interruption: The wish to stop.
  /// - Returns: The exit status.
  package static func run(
    arguments: [[UInt8]], world: World, streams: Streams, interruption: Interruption
  ) -> Int32 {
    run(
      arguments: arguments, world: world, streams: streams, interruption: interruption,
      bodies: bodies)
  }

  static func run(
    arguments raw: [[UInt8]], world: World, streams: Streams, interruption: Interruption,
    bodies: [String: CommandBody]
  ) -> Int32 {
    var console = Console(streams, world: world, manner: Manner(guessedFrom: raw))
    let code: ExitCode
    do throws(RescueError) {
      let arguments = try Arguments(raw)
      console = Console(streams, world: world, manner: Manner(arguments))
      if let code = answer(arguments, console) {
        return close(console, code)
      }
      let invocation = try Invocation(arguments)
      guard let body = bodies[invocation.command.name] else {
        throw RescueError(.internal, "nothing is known of how to '\(invocation.command.name)'")
      }
      var world = world
      if let max = invocation.pipeByteCountMax { world.pipeByteCountMax = max }
      world.outputByteCountMax = invocation.outputByteCountMax
      let line = console.progressLine()
      if let line { world.progress = { line.take($0) } }
      defer { line?.take(.ended) }
      let context = CommandContext(world: world, console: console, interruption: interruption)
      try SystemProcess.requireDescriptors()
      try context.requireLogApart(invocation)
      context.tellUndoneMigration(invocation)
      defer { context.tellCutOffMigration(invocation) }
      code = try body(invocation, context)
    } catch {
      console.report(error)
      // A question that a signal has ended was not answered.
      let isStopped =
        error.kind == .interrupted || (error.kind == .declined && interruption.isRequested)
      return close(console, isStopped ? interruption.code : ExitCode(error))
    }
    return close(console, interruption.isHeeded ? interruption.code : code)
  }

  /// Answers a command line that only asks about the program; nil for any other.
  private static func answer(_ arguments: Arguments, _ console: Console) -> ExitCode? {
    if let occurrence = arguments.occurrences.first(where: { $0.flag.name == Flag.help.name }) {
      let page = HelpPage(
        arguments.words, isFull: occurrence.spelling == Flag.help.spelling,
        columns: console.terminal.helpColumns)
      console.print(page.lines)
      return .success
    }
    if arguments.has(.version) {
      printVersion(on: console)
      return .success
    }
    if arguments.words.isEmpty, arguments.occurrences.isEmpty {
      for line in HelpPage([], isFull: false, columns: 80).lines { console.say(line) }
      return .usage
    }
    return nil
  }

  /// Writes what waits.
  ///
  /// A result that could not be written is not a success.
  private static func close(_ console: Console, _ code: ExitCode) -> Int32 {
    guard let reason = console.flush() else { return code.rawValue }
    let error = RescueError(
      .inputOutput, "cannot write to standard output: \(reason)",
      meaning: "the work itself ended with status \(code.rawValue): \(code.meaning)")
    let status = code == .success ? ExitCode.inputOutput.rawValue : code.rawValue
    console.report(error, endingIn: status)
    return status
  }
}
