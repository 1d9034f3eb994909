// SPDX-License-Identifier: Apache-2.0
// Makes the databases, the contract and the table in `samples/`.

import DatabaseRescue
import FitnessLog
import RescueTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

guard CommandLine.arguments.count == 2 else {
  print("usage: make-samples OUTPUT_FOLDER")
  exit(64)
}
let folder = FilePath(CommandLine.arguments[1])
do {
  try SystemStorage().createFolder(folder)
  let workshop = try Workshop()
  for sample in Sample.all { try sample.make(in: folder, workshop) }
  try folder.appending("fitness-log-v4.sql")
    .replaceContents(with: .init(FitnessLog.script(version: 4).utf8))
  try folder.appending("README.md").replaceContents(with: .init(Sample.table.utf8))
  print("\(Sample.all.count) samples in '\(folder)'")
} catch {
  print("make-samples: error: \(error)")
  exit(1)
}
