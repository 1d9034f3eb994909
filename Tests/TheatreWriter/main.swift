// SPDX-License-Identifier: Apache-2.0
// A program with a database of its own, for the field theatre to kill, to copy under, and to take
// files away from.
//
//   theatre-writer DATABASE STATEMENT… [--loop STATEMENT]
//
// It carries out the statements on one connection, says `ready`, and then repeats the last one, or
// holds the connection open, until it is killed.

import DatabaseRescue

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

let words = Array(CommandLine.arguments.dropFirst())
guard let path = words.first else { exit(64) }
let loop = words.firstIndex(of: "--loop")
let database = try Connection(FilePath(path), mode: .app)
for statement in words[1..<(loop ?? words.count)] { try database.execute(statement) }
print("ready")
fflush(nil)
while true {
  if let loop {
    try database.execute(words[loop + 1])
  } else {
    sleep(1)
  }
}
