// SPDX-License-Identifier: Apache-2.0
// Measures the commands against their peers and prints a table; what a row is, says `Bench+Rows`.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let usage = """
  usage: rescue-bench [--small] [--runs N] [--folder FOLDER] [--only WORD]

    --small          a database of about 8 MB instead of 250 MB
    --runs N         how often each thing is measured, after a warm-up; 3 unless given
    --folder FOLDER  where the databases are made, and kept for the next time
    --only WORD      measure only what has this word in its name, and its peers: backup, check

  """

var words = Array(CommandLine.arguments.dropFirst())
do {
  if words.first == "peer" {
    try Peer.run(Array(words.dropFirst()))
  } else {
    try Bench(options: Options(&words), program: FilePath(CommandLine.arguments[0])).run()
  }
} catch let error as UsageError {
  standardError("rescue-bench: \(error.message)\n\n\(usage)")
  exit(64)
} catch {
  standardError("rescue-bench: error: \(error)\n")
  exit(1)
}

/// Writes to the standard error.
func standardError(_ text: String) {
  _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
}
