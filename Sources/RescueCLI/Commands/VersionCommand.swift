// SPDX-License-Identifier: Apache-2.0
// `dbrescue --version`: prints the version.

import DatabaseRescue

/// Prints the version.
func printVersion(on console: Console) {
  if console.manner.isJSON {
    console.print(
      document: .document(
        "version",
        [
          "tool": .string("\(Program.name) \(Program.version)"),
          "libraries": .string(Rescue.libraries),
        ]))
  } else {
    console.print("\(Program.name) \(Program.version) (\(Rescue.libraries))")
  }
}
