// SPDX-License-Identifier: Apache-2.0
// Reads playbooks from their files, and says everything that is wrong with one.

package import SQLiteFormat

/// Reads playbooks from their files.
package enum PlaybookReader {
  /// What the file of a playbook contains.
  package static let shape = DocumentShape.object(
    [
      "title": .text, "symptoms": .list(.text), "whenToUse": .list(.text),
      "whenNotToUse": .list(.text), "parameters": .list(parameter), "steps": .list(step),
    ],
    required: ["title", "symptoms", "whenToUse", "whenNotToUse", "steps"])

  /// What the keys mean, by their paths.
  static let words = [
    "title": "what it is called in lists", "symptoms": "by what people know that they need it",
    "whenToUse": "when it is the right one", "whenNotToUse": "when it is not, and which one is",
    "parameters": "what only whoever runs it knows", "parameters.name": "as conditions spell it",
    "parameters.default": "what holds where `--set` says nothing",
    "parameters.text": "what it is for", "steps": "in their order", "steps.id": "its name",
    "steps.action": "what is done", "steps.text": "what people read",
    "steps.when": "an SQL expression over the facts and parameters; without one it is always done",
    "steps.onFailure": "`stop` where nothing is said; a destructive step always ends the run",
    "steps.raw": "of a `backup`: the files as they are, without SQLite",
    "steps.inPlace": "of a `salvage`: the result takes the place of the database",
    "steps.withBackup":
      "of a `salvage` with `inPlace`: what is lost is taken from the newest proven backup, where it has any",
    "steps.command":
      "of a `guard`: the program and its arguments, without a shell; `{database}` and `{name}` of a "
      + "parameter stand for their values",
    "steps.putBack":
      "of a `guard`: the backup is put back where the result is refused, without a question",
    "steps.choices": "of an `ask`: the steps of which the answer approves one",
  ]

  /// What it contains for each parameter.
  static let parameter = DocumentShape.object(
    [
      "name": .text, "type": .words(PlaybookParameter.Kind.allCases.map(\.rawValue)),
      "default": .anything, "text": .text,
    ],
    required: ["name", "type", "default", "text"])

  /// What it contains for each step.
  static let step = DocumentShape.object(
    [
      "id": .text, "action": .words(PlaybookAction.allCases.map(\.rawValue)), "text": .text,
      "when": .text, "onFailure": .words(Playbook.Step.OnFailure.allCases.map(\.rawValue)),
      "raw": .flag, "inPlace": .flag, "withBackup": .flag, "choices": .list(.text),
      "command": .list(.text),
      "putBack": .flag,
    ],
    required: ["id", "action", "text"])

  /// Everything that is wrong with a playbook, in the order of its text.
  package static func problems(in bytes: Bytes) -> [DocumentProblem] { judge(bytes).problems }

  /// Reads a playbook.
  ///
  /// - Throws: ``RescueError`` of kind `invalidInput` when anything is wrong with it.
  package static func read(_ bytes: Bytes, named file: String) throws(RescueError) -> Playbook {
    let (document, problems) = judge(bytes)
    guard let document, problems.isEmpty else { throw RescueError(problems, in: file) }
    return Playbook(document, name: name(of: file))
  }

  private static func judge(
    _ bytes: Bytes
  ) -> (document: DocumentValue?, problems: [DocumentProblem]) {
    let (document, problems) = DocumentScanner.scan(bytes, shape: shape)
    // What the shape leaves of the document is judged too, so that one look shows everything.
    let broken = document.map { PlaybookRules(judging: $0).problems } ?? []
    return (
      document,
      (problems + broken.prefix(DocumentScanner.problemsMax)).sorted { $0.position < $1.position }
    )
  }

  /// The name of the playbook in a file: the file's name without its ending.
  static func name(of file: String) -> String {
    let name = FilePath(file).name.description
    let ending = [".json5", ".json"].first { name.hasSuffix($0) } ?? ""
    return String(name.dropLast(ending.count))
  }
}
