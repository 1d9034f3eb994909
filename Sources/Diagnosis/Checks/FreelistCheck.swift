// SPDX-License-Identifier: Apache-2.0
// Can the list of free pages be followed, and is none of them in use?

import SQLiteFormat

enum FreelistCheck: Check {
  /// How many places of a list that cannot be followed are named.
  private static let shownMax = 5

  static func findings(in survey: Survey) -> [Finding] {
    guard let freelist = survey.freelist, let header = survey.header else { return [] }
    return faults(of: freelist) + count(freelist, header) + inUse(freelist, survey)
  }

  private static func faults(of freelist: Freelist) -> [Finding] {
    freelist.faults.prefix(shownMax).map { fault in
      Finding(
        .freelistDamaged, "the free list cannot be followed: \(fault.problem)",
        at: .init(page: fault.page, offset: fault.offset))
    }
  }

  private static func count(_ freelist: Freelist, _ header: DatabaseHeader) -> [Finding] {
    guard freelist.faults.isEmpty, freelist.count != header.freelistCount else { return [] }
    return [
      Finding(
        .freelistDamaged,
        "the header counts \(counted(header.freelistCount, "free page")), the list has "
          + "\(freelist.count)", at: .init(page: .first, offset: 36))
    ]
  }

  private static func inUse(_ freelist: Freelist, _ survey: Survey) -> [Finding] {
    let inUse = (freelist.trunks + freelist.leaves).filter {
      survey.claims.owner(of: $0) != .freelist
    }
    guard let page = inUse.first else { return [] }
    return [
      Finding(
        .freelistDamaged,
        "\(counted(inUse.count, "page")) of the free list are in use, the first is page \(page)",
        at: .init(page: page))
    ]
  }
}
