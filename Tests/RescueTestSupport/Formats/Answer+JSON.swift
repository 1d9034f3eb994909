// SPDX-License-Identifier: Apache-2.0
// What a run of the command with `--json` has printed, held to the published schemas.

package import DatabaseRescue

extension PublishedFormat {
  /// What is wrong with the streams of a run with `--json`; nothing where all conforms.
  ///
  /// Standard output holds at most one document, and each line of standard error that is JSON is
  /// another one.
  package static func problems(output: String, error: String) -> [String] {
    var problems: [String] = []
    if !output.isEmpty {
      problems = JSON(reading: output.utf8).map { self.problems(of: $0) } ?? ["no JSON: \(output)"]
    }
    for line in error.split(separator: "\n") where line.hasPrefix("{") {
      problems += JSON(reading: line.utf8).map { self.problems(of: $0) } ?? ["no JSON: \(line)"]
    }
    return problems
  }
}
