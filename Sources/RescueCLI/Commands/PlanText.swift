// SPDX-License-Identifier: Apache-2.0
// A plan as people read it before they say yes.

import DatabaseRescue
import Diagnosis

/// A plan in lines of text.
struct PlanText {
  let lines: [StyledText]

  init(_ plan: Plan) {
    var lines: [StyledText] = ["\("plan", .heading): \(plan.option.summary)"]
    for (index, step) in plan.steps.enumerated() {
      lines.append("  \(index + 1). \(step.text)")
    }
    lines += OptionText.outcomes(of: plan.option)
    switch plan.unsynced {
    case .none: lines.append("  no unsynced rows were found")
    case .some(let count):
      lines.append("  \(Quantity.count(count, "unsynced row"), .warning) are exported first")
    case .cannotTell: lines.append("  \("cannot tell", .warning) whether rows wait to be sent")
    }
    lines.append("  the old files go to \(plan.quarantine)")
    lines.append("  to undo: \(plan.undo, .emphasised)")
    self.lines = lines
  }
}

/// An option in lines of text.
enum OptionText {
  /// The options of a database, numbered, with what each keeps and loses.
  static func lines(_ options: [RecoveryOption]) -> [StyledText] {
    options.enumerated().flatMap { index, option in
      ["  \(index + 1) \(option.name, .emphasised)  \(option.summary)"] + outcomes(of: option)
    }
  }

  /// What an option keeps and loses, table by table.
  static func outcomes(of option: RecoveryOption) -> [StyledText] {
    guard !option.outcomes.isEmpty else { return [] }
    var table = TextTable([
      .text("    table"), .number("keeps"), .prose("loses"), .number("regains"),
    ])
    for outcome in option.outcomes {
      table.add([
        "    \(outcome.table)", "\(Quantity.grouped(outcome.kept))",
        outcome.lost == .none ? "nothing" : "\(outcome.lost.description, .bad)",
        outcome.regained == 0 ? "" : "\(Quantity.grouped(outcome.regained))",
      ])
    }
    return table.lines(width: nil)
  }
}
