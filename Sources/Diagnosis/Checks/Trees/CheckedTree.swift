// SPDX-License-Identifier: Apache-2.0
// What every check of one tree is given, and how its faults become findings.

import SQLiteFormat

/// A check of one tree.
protocol FaultCheck: Sendable {
  /// The findings of this check.
  static func findings(in checked: CheckedTree) -> [Finding]
}

/// A tree that is checked, with what is known of its rows.
struct CheckedTree {
  /// How many findings of one kind a tree may give before they are summed up.
  private static let shownMax = 8

  /// The tree.
  let tree: TreeSurvey
  /// What the bytes say of all of the file.
  let survey: Survey
  /// Whether the rows in wrong places are proven to be there exactly once.
  var areMisplacedRowsProven = false
  /// What it lost; unknown where nobody asks.
  var loss = Loss.unknown
  /// Whether no page can be its own that no table leads to.
  var isWhole = true

  /// The name of its table or index.
  var name: Name { tree.entry.name }

  /// Where a fault lies.
  func place(of fault: FormatError) -> Finding.Place {
    .init(page: fault.page, offset: fault.offset, object: name.text)
  }

  /// The findings of faults, one for each up to a limit; those that follow one another and read
  /// alike are one.
  func findings(
    _ faults: FaultList, severity: (FindingCode) -> Finding.Severity = \.severity,
    _ describe: (FormatError) -> (code: FindingCode, message: String)
  ) -> [Finding] {
    var findings: [Finding] = []
    for fault in faults.first {
      let (code, message) = describe(fault)
      if let last = findings.last, last.code == code, last.message == message {
        findings[findings.count - 1] = Finding(
          code, message, at: last.place, severity: severity(code), count: last.count + 1)
      } else if findings.count < Self.shownMax {
        findings.append(Finding(code, message, at: place(of: fault), severity: severity(code)))
      } else {
        break
      }
    }
    let rest = faults.count - findings.reduce(0) { $0 + $1.count }
    guard rest > 0, let last = findings.last else { return findings }
    return findings + [
      Finding(
        last.code, "and \(rest) more like it in '\(name)'", at: .init(object: name.text),
        severity: severity(last.code), count: rest)
    ]
  }
}

extension FormatError {
  /// The page's number in words.
  var pageWords: String { page.map(\.description) ?? "?" }
}
