// SPDX-License-Identifier: Apache-2.0
// The sample app's command line: a few lines around `FitnessLog`.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

do {
  try SampleCommand(Array(CommandLine.arguments.dropFirst())).run()
} catch let error as UsageError {
  standardError("fitness-log: \(error.message)\n\n\(SampleCommand.usage)")
  exit(64)
} catch {
  standardError("fitness-log: error: \(error)\n")
  exit(1)
}
