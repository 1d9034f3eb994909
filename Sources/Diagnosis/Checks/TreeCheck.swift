// SPDX-License-Identifier: Apache-2.0
// The trees of the tables: pages, cells, overflow chains, order, and what rows were lost.

import SQLiteFormat

enum TreeCheck: Check {
  /// How many findings of one kind a tree may give before they are summed up.
  private static let shownMax = 8

  static func findings(in survey: Survey) -> [Finding] {
    survey.trees.filter { $0.entry.kind == .table }.flatMap { tree in
      faults(
        of: tree, areMisplacedRowsProven: survey.isOnlyMisplaced(tree),
        losesRows: survey.loss(of: tree) != .none) + lost(tree, survey)
    }
  }

  /// The findings of a tree's faults, one for each up to a limit.
  ///
  /// A page that is gone weighs less where every row is proven to be there all the same.
  static func faults(
    of tree: TreeSurvey, areMisplacedRowsProven: Bool = false, losesRows: Bool = true
  ) -> [Finding] {
    let name = tree.entry.name
    func severity(_ code: FindingCode) -> Finding.Severity {
      losesRows || code != .pageDamaged && code != .pageLost ? code.severity : .damage
    }
    func findings(
      _ faults: FaultList, _ describe: (FormatError) -> (FindingCode, String)
    ) -> [Finding] {
      var findings: [Finding] = []
      for fault in faults.first {
        let (code, message) = describe(fault)
        let place = Finding.Place(page: fault.page, offset: fault.offset, object: name.text)
        if let last = findings.last, last.code == code, last.message == message {
          findings[findings.count - 1] = Finding(
            code, message, at: last.place, severity: severity(code), count: last.count + 1)
        } else if findings.count < shownMax {
          findings.append(Finding(code, message, at: place, severity: severity(code)))
        } else {
          break
        }
      }
      let rest = faults.count - findings.reduce(0) { $0 + $1.count }
      if rest > 0, let last = findings.last {
        findings.append(
          Finding(
            last.code, "and \(rest) more like it in '\(name)'", at: .init(object: name.text),
            severity: severity(last.code), count: rest))
      }
      return findings
    }
    // A root that is gone has its own finding.
    let pages = tree.pages == 0 ? [] : findings(tree.pageFaults) { page($0, name) }
    return pages + rules(tree)
      + findings(tree.cellFaults) { cell($0, name) }
      + findings(tree.misplaced) { _ in
        (
          areMisplacedRowsProven ? .keyOrder : .rowDoubtful,
          "a row of '\(name)' lies where its key does not belong"
        )
      }
      + findings(tree.misplacedBetween) { _ in
        (.keyOrder, "an entry of '\(name)' between two pages is not between those on them")
      }
      + findings(tree.unfit) { _ in
        (.rowDoubtful, "a row of '\(name)' has fields that the table has not")
      }
      + findings(tree.layoutFaults) { layout($0, name) }
      + findings(tree.unevenLeaves) { _ in
        (.treeUneven, "a leaf of '\(name)' lies deeper or less deep than the others")
      }
  }

  private static func page(_ fault: FormatError, _ name: Name) -> (FindingCode, String) {
    switch fault.problem {
    case .pageMissing:
      (.pageLost, "'\(name)' leads to page \(number(fault)), which the file does not have")
    case .claimedTwice:
      (.pageClaimedTwice, "'\(name)' leads to page \(number(fault)), which has another owner")
    case .tooDeep: (.treeCycle, "the tree of '\(name)' does not end")
    default: (.pageDamaged, "page \(number(fault)) of '\(name)': \(fault.problem)")
    }
  }

  private static func cell(_ fault: FormatError, _ name: Name) -> (FindingCode, String) {
    switch fault.problem {
    case .chainTooShort, .chainTooLong, .chainAstray, .pageMissing, .claimedTwice, .payloadTooLarge:
      (
        .overflowBroken,
        "a long value of '\(name)' is broken at page \(number(fault)): \(fault.problem)"
      )
    default: (.cellDamaged, "a cell of '\(name)' on page \(number(fault)): \(fault.problem)")
    }
  }

  /// What rows hold against the rules of their table.
  ///
  /// One finding for all of a kind: who changed the declaration by hand has them in every row.
  private static func rules(_ tree: TreeSurvey) -> [Finding] {
    let name = tree.entry.name
    func finding(
      _ code: FindingCode, _ faults: FaultList, _ verb: String, _ what: String
    ) -> [Finding] {
      guard let first = faults.first.first else { return [] }
      let verb = faults.count == 1 ? verb + "s" : verb
      return [
        Finding(
          code, "\(counted(faults.count, "row")) of '\(name)' \(verb) \(what)",
          at: .init(page: first.page, offset: first.offset, object: name.text), severity: .damage)
      ]
    }
    let broken = tree.computed?.broken ?? FaultList()
    return finding(
      .rowDoubtful, tree.mistyped, "hold", "a value of a type that its column never holds")
      + finding(.constraintBroken, tree.nulls, "hold", "NULL where a column refuses it")
      + finding(.constraintBroken, broken, "break", "a CHECK constraint")
  }

  private static func layout(_ fault: FormatError, _ name: Name) -> (FindingCode, String) {
    switch fault.problem {
    case .cellPointerOutside:
      (.freeSpaceDamaged, "cell pointers of '\(name)' on page \(number(fault)) lead nowhere")
    default:
      (
        .freeSpaceDamaged,
        "page \(number(fault)) of '\(name)' does not use each of its bytes exactly once"
      )
    }
  }

  private static func number(_ fault: FormatError) -> String {
    fault.page.map(\.description) ?? "?"
  }

  private static func lost(_ tree: TreeSurvey, _ survey: Survey) -> [Finding] {
    let loss = survey.loss(of: tree)
    guard loss != .none else { return [] }
    return [
      Finding(
        .rowsLost, "\(loss.description) of '\(tree.entry.name)' cannot be read",
        at: .init(object: tree.entry.name.text))
    ]
  }
}
