// SPDX-License-Identifier: Apache-2.0
// The free list, the pointer map, and pages that belong to nothing.

import SQLiteFormat

enum FreeSpaceCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    freelist(survey) + pointerMap(survey) + unclaimed(survey)
  }

  private static func freelist(_ survey: Survey) -> [Finding] {
    guard let freelist = survey.freelist, let header = survey.header else { return [] }
    var findings = freelist.faults.prefix(5).map { fault in
      Finding(
        .freelistDamaged, "the free list cannot be followed: \(fault.problem)",
        at: .init(page: fault.page, offset: fault.offset))
    }
    if freelist.faults.isEmpty, freelist.count != header.freelistCount {
      findings.append(
        Finding(
          .freelistDamaged,
          "the header counts \(counted(header.freelistCount, "free page")), the list has "
            + "\(freelist.count)", at: .init(page: .first, offset: 36)))
    }
    let inUse = (freelist.trunks + freelist.leaves).filter {
      survey.claims.owner(of: $0) != Survey.freelistOwner
    }
    if let page = inUse.first {
      findings.append(
        Finding(
          .freelistDamaged,
          "\(counted(inUse.count, "page")) of the free list are in use, the first is page \(page)",
          at: .init(page: page)))
    }
    return findings
  }

  private static func pointerMap(_ survey: Survey) -> [Finding] {
    guard let first = survey.pointerMapFaults.first.first else { return [] }
    return [
      Finding(
        .pointerMapMismatch,
        "the pointer map contradicts \(counted(survey.pointerMapFaults.count, "page"))",
        at: .init(page: first.page))
    ]
  }

  private static func unclaimed(_ survey: Survey) -> [Finding] {
    // While trees are cut off, the pages below the cut are without an owner: no news.
    let isWhole =
      survey.trees.allSatisfy { $0.isReadable } && survey.schema?.tree.isReadable == true
    let pages = survey.unclaimed.filter { page in
      if case .btree(.tableLeaf, let cells) = page.content { return cells == 0 }
      return true
    }
    let count = pages.count + survey.unclaimedInHoles
    guard isWhole, count > 0 else { return [] }
    let found = counted(count, "page belongs", "pages belong")
    let first = pages.first.map { ", the first that holds anything is page \($0.page)" } ?? ""
    return [
      Finding(
        .pageUnclaimed,
        survey.unclaimedInHoles == 0
          ? "\(found) to nothing, the first is page \(pages[0].page)"
          : "\(found) to nothing: \(survey.unclaimedInHoles) of them lie in "
            + "holes of the file\(first)",
        at: .init(page: pages.first?.page),
        severity: isCounted(pages.first?.page, survey) ? .damage : nil)
    ]
  }

  /// Whether SQLite counts a page as one of the database; of a page in a hole, whether it counts
  /// all there are.
  private static func isCounted(_ page: PageNumber?, _ survey: Survey) -> Bool {
    guard let header = survey.header, let image = survey.image else { return false }
    return !header.isPageCountValid || (page?.number ?? image.pageCount) <= header.pageCount
  }
}
