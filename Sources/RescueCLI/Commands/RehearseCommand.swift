// SPDX-License-Identifier: Apache-2.0
// `dbrescue rehearse`: a chain of migrations on copies of many databases.

import DatabaseRescue
import Diagnosis
import SQLiteFormat

/// Rehearses a chain of migrations, and tells of every way that was gone.
let rehearseCommand: CommandBody = { invocation, context throws(RescueError) in
  let chain = try chain(invocation, context)
  let paths = invocation.paths(.starts)
  if case .command = chain, paths.isEmpty {
    throw RescueError(
      .usage, "a command needs a database to be rehearsed on", meaning: "nothing was done",
      advice: "name a database, a script or a contract")
  }
  let given = invocation.number(.seed).map { UInt64($0) }
  var options = RehearsalOptions(seed: given ?? context.world.random() % 1_000_000)
  options.contract = try context.contract(at: invocation.path(.contract))
  options.target = invocation.number(.to)
  options.transactions = invocation.requiredChoice(.transactions)
  options.timeout = invocation.number(.timeout).map { .seconds($0) }
  let junit = try invocation.path(.junit).map { path throws(RescueError) in
    var files = context.files(invocation)
    return try files.write(
      path, replacing: invocation.isSet(.force), storage: context.world.storage)
  }
  let result = try context.interruption.patiently { () throws(RescueError) in
    try context.rescue.rehearse(chain, from: paths, options: options) { way in
      context.console.detail("\(way.start), \(way.title): \(way.outcome.rawValue)")
    }
  }
  let exit = try context.give(RehearsalAnswer(result))
  if let junit {
    do throws(RescueError) {
      try junit.write(result.value.junit, world: context.world)
    } catch {
      context.rescue.note(ExitCode.cannotWrite.rawValue, of: result)
      throw RescueError(
        .cannotWrite, error.message, meaning: "the result was printed, and is in no file",
        advice: error.advice)
    }
  }
  context.tellCode(of: result)
  return exit
}

private func chain(
  _ invocation: Invocation, _ context: CommandContext
) throws(RescueError) -> RehearsedChain {
  switch (invocation.path(.migrations), invocation.rest.isEmpty) {
  case (let folder?, true):
    return .files(try MigrationFolder(folder, world: context.world))
  case (nil, false):
    let words = invocation.rest.map { FilePath(bytes: $0) }
    guard words.contains(where: { $0.description.contains(RehearsedChain.placeholder) }) else {
      throw RescueError(
        .usage, "the command does not say where the database goes",
        meaning: "it could change another one than the copy; nothing was done",
        advice: "write \(RehearsedChain.placeholder) where the database goes")
    }
    return .command(words)
  default:
    throw invocation.command.misuse(
      "'rehearse' needs either --migrations DIR or a command after '--'")
  }
}
