// SPDX-License-Identifier: Apache-2.0
// What a run of the command with `--json` has printed, held to the published schemas.

package import DatabaseRescue

extension PublishedFormat {
  /// What is wrong with the streams of a run with `--json`; nothing where all conforms.
  ///
  /// Standard output holds at most one document, and each line of standard error that is JSON is
  /// another one.
  package static func problems(output: String, error: String, status: Int32?) -> [String] {
    let texts =
      (output.isEmpty ? [] : [output])
      + error.split(separator: "\n").filter { $0.hasPrefix("{") }.map(String.init)
    let documents = texts.map { JSON(reading: $0.utf8) }
    let problems = zip(texts, documents).flatMap { text, document in
      document.map { self.problems(of: $0) } ?? ["no JSON: \(text)"]
    }
    // A signal that came meanwhile has the last word.
    guard let last = documents.last ?? nil, last["format"]?.text == PublishedFormat.report.name,
      let status, status < 128, last["exit"]?.number != Int(status)
    else { return problems }
    return problems + ["it ends in \(status) and says \(last["exit"]?.compact ?? "nothing")"]
  }
}
