// SPDX-License-Identifier: Apache-2.0
// Does every page belong to something?

import SQLiteFormat

enum UnclaimedPageCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    // While trees are cut off, the pages below the cut are without an owner: no news.
    let pages = survey.unclaimed.filter { page in
      if case .btree(.tableLeaf, let cells) = page.content { return cells == 0 }
      return true
    }
    let count = pages.count + survey.unclaimedInHoles
    guard survey.areTreesReadable, count > 0 else { return [] }
    return [
      Finding(
        .pageUnclaimed, words(for: count, pages.first?.page, inHoles: survey.unclaimedInHoles),
        at: .init(page: pages.first?.page),
        severity: isCounted(pages.first?.page, survey) ? .damage : nil)
    ]
  }

  private static func words(for count: Int, _ first: PageNumber?, inHoles: Int) -> String {
    let found = counted(count, "page belongs", "pages belong")
    guard inHoles > 0 else {
      return "\(found) to nothing" + (first.map { ", the first is page \($0)" } ?? "")
    }
    return "\(found) to nothing: \(inHoles) of them lie in holes of the file"
      + (first.map { ", the first that holds anything is page \($0)" } ?? "")
  }

  /// Whether SQLite counts a page as one of the database; of a page in a hole, whether it counts
  /// all there are.
  private static func isCounted(_ page: PageNumber?, _ survey: Survey) -> Bool {
    guard let header = survey.header, let image = survey.image else { return false }
    return !header.isPageCountValid || (page?.number ?? image.pageCount) <= header.pageCount
  }
}
