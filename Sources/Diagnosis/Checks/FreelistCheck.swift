// SPDX-License-Identifier: Apache-2.0
// Can the list of free pages be followed, and is none of them in use?

import SQLiteFormat

enum FreelistCheck: SurveyCheck {
  /// How many places of a list that cannot be followed are named.
  private static let shownMax = 5

  static func findings(in survey: Survey) -> [Finding] {
    guard let freelist = survey.freelist, let header = survey.header else { return [] }
    let inUse = inUse(freelist, survey)
    // What follows from pages that are wrongly in it is not said of page 1.
    let place = inUse.isEmpty ? Finding.Place(page: .first, offset: 36) : .init()
    return faults(of: freelist, header) + count(freelist, header, at: place) + inUse
  }

  private static func faults(of freelist: Freelist, _ header: DatabaseHeader) -> [Finding] {
    freelist.faults.prefix(shownMax).map { fault in
      // A page that the header does not count was never there: the number that leads to it is wrong.
      if fault.problem == .pageMissing, let page = fault.page, let link = freelist.brokenLink,
        header.isPageCountValid, page.number > header.pageCount
      {
        return Finding(
          .freelistDamaged,
          "the free list cannot be followed: it leads to page \(page), which is not there",
          at: .init(page: link.page, offset: link.offset))
      }
      return Finding(
        .freelistDamaged, "the free list cannot be followed: \(fault.problem)",
        at: .init(page: fault.page, offset: fault.offset))
    }
  }

  private static func count(
    _ freelist: Freelist, _ header: DatabaseHeader, at place: Finding.Place
  ) -> [Finding] {
    guard freelist.faults.isEmpty, freelist.count != header.freelistCount else { return [] }
    return [
      Finding(
        .freelistDamaged,
        "the header counts \(counted(header.freelistCount, "free page")), the list has "
          + "\(freelist.count)", at: place)
    ]
  }

  private static func inUse(_ freelist: Freelist, _ survey: Survey) -> [Finding] {
    let inUse = (freelist.trunks + freelist.leaves).filter {
      survey.claims.owner(of: $0) != .freelist
    }
    guard let page = inUse.first else { return [] }
    let words = inUse.count == 1 ? "page of the free list is" : "pages of the free list are"
    return [
      Finding(
        .freelistDamaged, "\(inUse.count) \(words) in use, the first is page \(page)",
        at: .init(page: trunk(ofMost: Set(inUse), freelist) ?? page))
    ]
  }

  /// The trunk that names more pages in use than free ones: it is wrong, and not what uses them.
  private static func trunk(ofMost inUse: Set<PageNumber>, _ freelist: Freelist) -> PageNumber? {
    var leaves = freelist.leaves[...]
    for (trunk, count) in zip(freelist.trunks, freelist.leafCounts) {
      if leaves.prefix(count).count(where: inUse.contains) * 2 > count { return trunk }
      leaves = leaves.dropFirst(count)
    }
    return nil
  }
}
