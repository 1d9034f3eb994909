// SPDX-License-Identifier: Apache-2.0
// `dbrescue vault extract`: the database of a backup in a new file, whole or as much as there is.

import DatabaseRescue
import Diagnosis

/// Gets the database out of a backup.
let vaultExtractCommand: CommandBody = { invocation, context throws(RescueError) in
  guard let output = invocation.path(.output) else {
    throw invocation.command.misuse("--output is needed")
  }
  let backup = invocation.path(.backup)
  let result = try context.rescue.extract(
    backup, to: output, files: context.files(invocation),
    isBestEffort: invocation.isSet(.bestEffort))
  return try context.give(ExtractionAnswer(result, to: output), of: result)
}
