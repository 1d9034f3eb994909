// SPDX-License-Identifier: Apache-2.0
// One sample: a file with one defect, and what a check of it has to say.

import DatabaseRescue
import Diagnosis
import RescueTestSupport
import SQLiteFormat

/// A small file with one defect.
struct Sample: Sendable {
  /// The name of the file, with its folder where it has sidecars.
  let name: String
  /// What is wrong, in a few words.
  let defect: String
  /// What a check says.
  let verdict: Verdict
  private let files: @Sendable (Workshop) throws -> SampleFiles

  init(
    _ name: String, _ verdict: Verdict, _ defect: String,
    _ files: @escaping @Sendable (Workshop) throws -> SampleFiles
  ) {
    self.name = name
    self.verdict = verdict
    self.defect = defect
    self.files = files
  }

  /// Writes the file with its sidecars into a folder.
  func make(in folder: FilePath, _ workshop: Workshop) throws {
    let path = folder.appending(FilePath(name))
    try SystemStorage().createFolder(path.folder)
    try path.removeFileSet()
    for (suffix, bytes) in try files(workshop) {
      try path.adding(suffix: suffix).replaceContents(with: bytes)
    }
  }

  /// The exit status of a check with this verdict.
  private var exitStatus: Int {
    switch verdict {
    case .healthy: 0
    case .outdated: 10
    case .newer: 11
    case .drifted: 12
    case .damagedIntact: 13
    case .damagedLossy: 14
    case .unreadable: 15
    }
  }

  /// The page that lists all samples.
  static var table: String {
    let rows = all.map { sample in
      "| `\(sample.name)` | \(sample.defect) | \(sample.verdict.word) | \(sample.exitStatus) |\n"
    }
    return """
      # Samples

      Small databases, each with one defect, that the project generates itself. They all are the
      database of the bundled sample app, a fitness log (`FitnessLog`), and the data in them is made
      up. This page is generated together with them:

      ```sh
      swift run make-samples samples
      ```

      The bytes are the same on every run with the same version of SQLite. The verdict and the exit
      status are those of

      ```sh
      dbrescue check samples/FILE --contract samples/fitness-log-v4.sql
      ```

      | file | defect | verdict | exit |
      |---|---|---|---|
      \(rows.joined())
      `fitness-log-v4.sql` is the schema that the app expects, as `fitness-log contract` prints it.
      For a database of any size, and for broken migrations, see `swift run fitness-log`.

      """
  }
}
