// SPDX-License-Identifier: Apache-2.0
// A database that is looked at, and not touched.

public import DatabaseRescue
import Diagnosis

extension Guide {
  /// Says what a fast check found.
  public func check() throws {
    // snippet
    let result = try rescue.check(InputFiles(database), contract: contract)
    let examination = result.value
    show("\(examination.verdict.word): \(examination.meaning)")
    for finding in examination.findings {
      show("\(finding.name), \(finding.severity): \(finding.message)")
    }
    for part in examination.unchecked { show("not checked: \(part.message)") }
    // end
  }

  /// What to show in the place of an app that calls the parts itself; nil where it may go on.
  public func message(isBackedUp: Bool) throws -> BlockingMessage? {
    // snippet
    let result = try rescue.check(InputFiles(database), contract: contract)
    guard result.value.verdict != .healthy else { return nil }
    return BlockingMessage(result.value.verdict, code: result.code, isBackedUp: isBackedUp)
    // end
  }

  /// Says what happened, and what can be done.
  public func diagnose() throws {
    // snippet
    let diagnosed = try rescue.diagnose(InputFiles(database), contract: contract).value
    if let cause = diagnosed.causes.leading {
      show("\(cause.confidence): \(cause.happened)")
    }
    for option in diagnosed.options {
      show("\(option.name): \(option.summary)")
      for table in option.outcomes {
        show("  \(table.table): \(table.kept) kept, \(table.lost) lost")
      }
    }
    // end
  }
}
