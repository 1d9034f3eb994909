// SPDX-License-Identifier: Apache-2.0
// `dbrescue schema FORMAT`: prints the JSON Schema of a format, or its reference page.

import DatabaseRescue

/// Prints the JSON Schema of a format, or its reference page.
let schemaCommand: CommandBody = { invocation, context throws(RescueError) in
  let format: PublishedFormat = invocation.choice(.format)
  context.console.write(invocation.isSet(.markdown) ? format.referencePage : format.schemaText)
  return .success
}
