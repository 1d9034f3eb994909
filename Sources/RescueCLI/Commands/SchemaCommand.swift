// SPDX-License-Identifier: Apache-2.0
// `dbrescue schema FORMAT`: prints the JSON Schema of a format.

import DatabaseRescue

/// Prints the JSON Schema of a format.
let schemaCommand: CommandBody = { invocation, context throws(RescueError) in
  let format: PublishedFormat = invocation.choice(.format)
  context.console.write(format.schemaText)
  return .success
}
