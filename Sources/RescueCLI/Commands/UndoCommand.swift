// SPDX-License-Identifier: Apache-2.0
// `dbrescue undo`: the files that an earlier run displaced, back in their place.

import DatabaseRescue
import Diagnosis

/// Brings back the files that a run displaced.
let undoCommand: CommandBody = { invocation, context throws(RescueError) in
  let code = try supportCode(invocation.text(.code))
  let named = invocation.optionalPath(.replacedFile)
  let file = if let named { named } else { try context.database(replacedBy: code) }
  let isForced = invocation.isSet(.force)
  if invocation.isSet(.dryRun) {
    let plan = try context.rescue.undoPlan(code, of: file, evenIfChanged: isForced)
    return try context.give(UndoAnswer(of: code, by: plan, to: file))
  }
  let result = try context.rescue.undo(
    code, of: file, evenIfChanged: isForced
  ) { plan throws(RescueError) in
    let answer = UndoAnswer(of: code, by: plan, to: file)
    try context.approve(answer.text, as: answer.document, invocation)
  }
  return try context.give(
    UndoAnswer(of: code, by: result.value, to: file, code: result.code), of: result)
}

extension CommandContext {
  /// The database in this folder that a run has replaced: a code names no folder.
  fileprivate func database(replacedBy code: SupportCode) throws(RescueError) -> FilePath {
    var found: [FilePath] = []
    do throws(StorageError) {
      for name in try world.storage.names(in: ".") where name.hasSuffix(".rescue") {
        let quarantine = name.appending("quarantine").appending(FilePath(code.description))
        if try world.storage.status(of: quarantine) != nil {
          found.append(FilePath(bytes: name.bytes.dropLast(".rescue".utf8.count)))
        }
      }
    } catch {
      throw RescueError(error, meaning: "nothing was changed")
    }
    guard let file = found.first, found.count == 1 else {
      throw RescueError(
        .missing, "the run \(code) has replaced no database in this folder",
        meaning: "nothing was changed", advice: "name the database: dbrescue undo \(code) FILE")
    }
    return file
  }
}

/// A support code as it was typed or read out.
func supportCode(_ text: String) throws(RescueError) -> SupportCode {
  do {
    return try SupportCode(parsing: text)
  } catch {
    throw RescueError(.invalidInput, error.message, advice: error.advice)
  }
}
