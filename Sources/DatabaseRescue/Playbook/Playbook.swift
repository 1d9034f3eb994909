// SPDX-License-Identifier: Apache-2.0
// A runbook as a value: what it is for, and its steps.

/// A runbook: what it is for, and the steps that people or the program follow.
package struct Playbook: Hashable, Sendable, Encodable {
  /// The name by which it is called: the file's name without its ending.
  package var name: String
  /// What it does, in a few words.
  package var title: String
  /// What is seen when this playbook helps, in the words of those who see it.
  package var symptoms: [String]
  /// When it is the right one.
  package var whenToUse: [String]
  /// When it is not, and what to do instead.
  package var whenNotToUse: [String]
  /// What it leaves to whoever runs it.
  package var parameters: [PlaybookParameter] = []
  /// The steps in their order.
  package var steps: [Step]

  /// The step of an id; nil when there is none.
  package func step(_ id: String) -> Step? { steps.first { $0.id == id } }

  /// The ids of the steps that `--approve` can name: those that need consent, and questions that are
  /// answered with yes or no.
  package var approvable: [String] {
    steps.filter { $0.needsConsent || $0.action == .ask && $0.choices == nil }.map(\.id)
  }
}

extension Playbook {
  /// Takes a playbook from a document in which nothing is wrong.
  init(_ document: DocumentValue, name: String) {
    func texts(_ key: String) -> [String] { document[key]?.texts ?? [] }
    self.init(
      name: name, title: document["title"]?.text ?? "", symptoms: texts("symptoms"),
      whenToUse: texts("whenToUse"), whenNotToUse: texts("whenNotToUse"),
      parameters: document["parameters"]?.elements?.compactMap { PlaybookParameter($0) } ?? [],
      steps: document["steps"]?.elements?.compactMap { Step($0) } ?? [])
  }

  /// One step: an action, whether to do it, and what people read.
  package struct Step: Hashable, Sendable, Encodable {
    /// What to do when the step fails, or when its question is answered with no.
    package enum OnFailure: String, Hashable, Sendable, Encodable, CaseIterable {
      /// The run ends here.
      case stop
      /// The run goes on; `last_step_outcome` tells later steps.
      case `continue`
    }

    /// The name of the step within its playbook, such as `keep-damaged-files`.
    package var id: String
    /// What is done.
    package var action: PlaybookAction
    /// The step itself for people: a short instruction, a question, or a note.
    package var text: String
    /// The condition, an SQL expression over ``PlaybookFact``; nil runs always.
    package var when: String?
    /// What happens after a failure; nil stops.
    package var onFailure: OnFailure?
    /// For `backup`: store the files byte for byte, without SQLite.
    package var raw: Bool?
    /// For `salvage`: put the result in the place of the database, instead of a new file beside it.
    package var inPlace: Bool?
    /// For `salvage` with `inPlace`: take what is lost from the newest proven backup, where it has any.
    package var withBackup: Bool?
    /// For `ask`: the ids of later steps that need consent, of which the answer approves one.
    package var choices: [String]?
    /// For `guard`: the program and its arguments; `{database}` and names of parameters in braces
    /// stand for their values.
    package var command: [String]?
    /// For `guard`: put the backup back where the result is refused, without a question.
    package var putBack: Bool?

    /// Whether the step is done only where somebody approves of it: it replaces the live database,
    /// or runs a program that changes it.
    package var needsConsent: Bool { isDestructive || action == .guardCommand }

    /// Whether the step replaces the live database.
    package var isDestructive: Bool {
      switch action {
      case .restore, .reset, .rebuild: true
      case .salvage: inPlace == true
      default: false
      }
    }
  }
}

extension Playbook.Step {
  /// Takes a step from a document, in which anything may be missing; nil without an action.
  init?(_ document: DocumentValue) {
    guard let action: PlaybookAction = document["action"]?.word() else { return nil }
    self.init(
      id: document["id"]?.text ?? "", action: action, text: document["text"]?.text ?? "",
      when: document["when"]?.text, onFailure: document["onFailure"]?.word(),
      raw: document["raw"]?.flag, inPlace: document["inPlace"]?.flag,
      withBackup: document["withBackup"]?.flag,
      choices: document["choices"]?.texts, command: document["command"]?.texts,
      putBack: document["putBack"]?.flag)
  }
}
