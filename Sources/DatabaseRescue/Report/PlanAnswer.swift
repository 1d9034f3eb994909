// SPDX-License-Identifier: Apache-2.0
// A plan as people read it before they say yes, and as programs read it after a dry run.

package import Diagnosis
internal import SQLiteFormat

/// A plan: what somebody is asked to approve, and what a dry run answers.
package struct PlanAnswer: CommandAnswer {
  private let plan: Plan
  /// Whether nothing follows: no run has the code by which the old files could be found.
  private let isDryRun: Bool

  /// Makes the answer of a plan, which a dry run makes only to show it.
  package init(_ plan: Plan, isDryRun: Bool) { (self.plan, self.isDryRun) = (plan, isDryRun) }

  package var lines: [AnswerLine] { text.map { .result($0) } }

  /// The plan in lines of text.
  package var text: [StyledText] {
    let heading: StyledText = "\("plan", .heading): \(plan.option.summary)"
    var lines = heading.wrapped(to: TextTable.reportWidth)
    for (index, step) in plan.steps.enumerated() {
      let text: StyledText = "\(step.text)"
      for (line, words) in text.wrapped(to: 75).enumerated() {
        lines.append("  \(line == 0 ? "\(index + 1)." : "  ") " + words)
      }
    }
    lines += OptionText.outcomes(of: plan.option)
    switch plan.unsynced {
    case .none: lines.append("  no unsynced rows were found")
    case .some(let count):
      lines.append("  \(Quantity.count(count, "unsynced row"), .warning) are exported first")
    case .cannotTell: lines.append("  \("cannot tell", .warning) whether rows wait to be sent")
    }
    if isDryRun {
      lines.append("  the old files go to a folder in \(quarantineFolder);")
      lines.append("  the run says which, and how to undo it")
    } else {
      lines.append("  the old files go to \(plan.quarantine)")
      lines.append("  to undo: \(plan.undo, .emphasised)")
    }
    return lines
  }

  /// The folder in which each run keeps the old files in one of its own.
  private var quarantineFolder: String { FilePath(plan.quarantine).folder.description }

  package var document: JSON {
    get throws(RescueError) {
      .document(
        "plan",
        [
          "option": .string(plan.option.name), "summary": .string(plan.option.summary),
          "backup": plan.option.backup.map { .string($0) },
          "steps": .array(
            plan.steps.map { ["name": .string($0.name), "text": .string($0.text)] }),
          "tables": try .list(plan.option.outcomes.map { DiagnosisReport.Option.Outcome($0) }),
          "unsynced": try JSON(encoding: ReportedUnsynced(plan.unsynced)),
          "quarantine": .string(quarantineFolder),
        ])
    }
  }
}

/// An option in lines of text.
package enum OptionText {
  /// The options of a database, numbered, with what each keeps and loses.
  package static func lines(_ options: [RecoveryOption]) -> [StyledText] {
    zip(options, options.choices).enumerated().flatMap { index, pair in
      let (option, choice) = pair
      var table = TextTable([.text(""), .prose("")], isIndented: true)
      table.add(["\(index + 1) \(choice, .emphasised)", "\(option.summary)"])
      return table.lines() + outcomes(of: option)
    }
  }

  /// What an option keeps and loses, table by table.
  static func outcomes(of option: RecoveryOption) -> [StyledText] {
    guard !option.outcomes.isEmpty else { return [] }
    var lines = table(of: option.outcomes)
    if let unplaced = option.unplaced?.quarantined, unplaced > 0 {
      lines.append("    sets aside \(Quantity.count(unplaced, "row")) whose table nothing tells")
    }
    if case .estimated(let reason) = option.basis {
      lines.append("    these figures are of a first reading: \(reason)")
    }
    return lines
  }

  /// What becomes of the rows of tables, a line for each.
  static func table(of outcomes: [RecoveryOption.Outcome]) -> [StyledText] {
    guard !outcomes.isEmpty else { return [] }
    var columns: [(title: String, count: (RecoveryOption.Outcome) -> Int)] = [("keeps", \.kept)]
    columns +=
      [("changes", \.changed), ("sets aside", \.quarantined), ("regains", \.regained)].filter {
        column in outcomes.contains { column.1($0) > 0 }
      }
    var table = TextTable(
      [.text("    table")] + columns.map { .number($0.title) } + [.prose("loses")])
    for outcome in outcomes {
      table.add(
        ["    \(outcome.table)"] + columns.map { "\(Quantity.grouped($0.count(outcome)))" } + [
          outcome.lost == .none
            ? outcome.isReadInPart ? "nothing that can be read" : "nothing"
            : "\(outcome.lost.words(atMost: outcome.lostAtMost), .bad)"
        ])
    }
    return table.lines(width: nil)
  }
}

extension [RecoveryOption] {
  /// What `--choose` is given for each: where several restore a backup, the id of that backup too.
  package var choices: [String] {
    map { option in
      guard count(where: { $0.kind == option.kind }) > 1,
        let name = option.backup.flatMap({ BackupName(FilePath($0).name) })
      else { return option.name }
      return "\(option.name):\(name.id)"
    }
  }

  /// The one that a word chooses: of several that restore a backup, the name alone means the first.
  package func chosen(by word: String) -> RecoveryOption? {
    zip(self, choices).first { $1 == word }?.0 ?? first { $0.name == word }
  }
}
