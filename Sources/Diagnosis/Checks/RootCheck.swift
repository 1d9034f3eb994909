// SPDX-License-Identifier: Apache-2.0
// Can the first page of every table be read?

import SQLiteFormat

enum RootCheck: Check {
  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    let survey = reconstruction.survey
    guard !survey.hasHeadOfAnother else { return [] }
    return survey.trees.compactMap { tree in
      guard tree.entry.kind == .table, tree.pages == 0, let fault = tree.pageFaults.first.first
      else { return nil }
      return Finding(
        .rootLost, "the root of table '\(tree.entry.name)' cannot be read: \(fault.problem)",
        at: place(of: tree, fault, survey),
        severity: reconstruction.loss(of: tree) == .none ? .damage : nil)
    }
  }

  /// The root; where it can be none, the row of the schema that leads there.
  private static func place(
    of tree: TreeSurvey, _ fault: FormatError, _ survey: Survey
  ) -> Finding.Place {
    let counted = survey.header?.countedPages ?? 0
    let isAstray =
      switch fault.problem {
      case .noChild, .claimedTwice: true
      // A page that the header counts is missing; another one was never there.
      case .pageMissing: (tree.root?.number ?? 0) > counted && counted > 0
      // The page is where another tree has it, and as that has it.
      case .wrongTree: survey.isOfAnother(tree.root, than: tree)
      default: false
      }
    if isAstray, let place = survey.schema?.place(of: tree.entry.name), place.page != nil {
      return place
    }
    return .init(page: tree.root, object: tree.entry.name.text)
  }
}

extension Survey {
  /// Whether a page was reached from the root of another tree than this one.
  fileprivate func isOfAnother(_ page: PageNumber?, than tree: TreeSurvey) -> Bool {
    guard let owner = page.flatMap({ claims.owner(of: $0) })?.tree, trees.indices.contains(owner)
    else { return false }
    return trees[owner].entry.name != tree.entry.name
  }
}
