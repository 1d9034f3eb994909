// SPDX-License-Identifier: Apache-2.0
// `dbrescue man`: prints the manual page.

import DatabaseRescue

/// Prints the manual page.
let manCommand: CommandBody = { _, context throws(RescueError) in
  context.console.write(ManPage.text)
  return .success
}
