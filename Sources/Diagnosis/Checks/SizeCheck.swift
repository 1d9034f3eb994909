// SPDX-License-Identifier: Apache-2.0
// Are all pages there that the header and the journals count?

import SQLiteFormat

enum SizeCheck: Check {
  static func findings(in reconstruction: Reconstruction) -> [Finding] {
    // Pages that no tree leads to were free, as far as so many can have been.
    findings(in: reconstruction.survey, reconstruction.holdsEveryRow ? .damage : .loss)
  }

  /// The findings, where pages that are missing weigh so much.
  static func findings(in survey: Survey, _ severity: Finding.Severity) -> [Finding] {
    guard let decision = survey.geometry, let image = survey.image else { return [] }
    return lastPage(image, decision.geometry)
      + journals(image, severity, free: survey.header?.freelistCount)
      + count(survey, image, severity)
  }

  private static func lastPage(_ image: Image, _ geometry: Geometry) -> [Finding] {
    let bytes = image.files.main.byteCount - image.start
    let rest = bytes % geometry.pageSize
    // A page that a checkpoint was writing lies whole in the log; one behind the end is nobody's.
    let last = PageNumber(bytes / geometry.pageSize + 1)
    let isWhole = last.map { image.origin(of: $0) != .main || $0.number > image.pageCount } ?? false
    guard rest != 0, !isWhole else { return [] }
    return [
      Finding(
        .partialLastPage,
        "the file ends \(rest) bytes into page \(bytes / geometry.pageSize + 1)",
        at: .init(page: last))
    ]
  }

  private static func journals(
    _ image: Image, _ severity: Finding.Severity, free: Int?
  ) -> [Finding] {
    guard image.missingPages > 0 else { return [] }
    return [
      Finding(
        .truncated,
        "the journals count \(counted(image.missingPages, "page")) that are in none of the files",
        at: .init(page: image.firstMissingPage),
        severity: image.missingPages > free ?? 0 ? .loss : severity)
    ]
  }

  /// The header's count of pages against those that there are.
  private static func count(
    _ survey: Survey, _ image: Image, _ severity: Finding.Severity
  ) -> [Finding] {
    guard let header = survey.header, header.isPageCountValid,
      header.pageCount != image.statedPageCount
    else { return [] }
    let message =
      "the header counts \(counted(header.pageCount, "page")), there are "
      + "\(counted(image.pageCount, "page"))"
    // Where nothing leads to pages behind the end, the number is wrong, and not the end.
    let place =
      survey.leadsBeyondEnd
      ? Finding.Place(page: PageNumber(image.pageCount + 1)) : .init(page: .first, offset: 28)
    return [
      header.pageCount > image.pageCount
        ? Finding(
          .truncated, message, at: place,
          severity: survey.lacksCountedPages ? .loss : severity)
        : Finding(
          .pageCountMismatch, message, at: .init(page: .first, offset: 28),
          severity: survey.usedUncountedPages > 0
            ? survey.holdsOpenTransaction ? .loss : .damage : .notice)
    ]
  }
}

extension Survey {
  /// What speaks against page 1 being of the same moment as the pages; nil where nothing does.
  package var pagesOfAnotherMoment: String? {
    guard let header, let image else { return nil }
    let counts =
      "the header counts \(counted(header.pageCount, "page")), there are \(image.pageCount)"
    if holdsOpenTransaction {
      return
        "\(counts), and those behind are in use: part of a transaction that had not come to its end may "
        + "be among the rows"
    }
    if lacksCountedPages {
      return
        "\(counts), and nothing leads to those that are missing: a transaction may be there in part"
    }
    let count = unclaimedContents(of: header)
    return count > 0
      ? "\(counted(count, "page with contents belongs", "pages with contents belong")) to nothing: "
        + "rows may be missing, or a transaction may be there in part" : nil
  }

  /// How many pages with the contents of long values, or lists of free pages, belong to nothing, while
  /// all that leads to pages can be read: SQLite leaves none.
  private func unclaimedContents(of header: DatabaseHeader) -> Int {
    guard header.isPageCountValid, freelist?.faults.isEmpty == true, !trees.isEmpty,
      areTreesReadable
    else { return 0 }
    return unclaimed.count { $0.content == .unknown && $0.page.number <= header.pageCount }
  }

  /// Whether part of a transaction seems to be there that had not come to its end.
  ///
  /// SQLite writes page 1 last, and pages before that only of a transaction that does not fit into its
  /// cache: a single page more speaks of a wrong number, and so does a root that the schema names there.
  fileprivate var holdsOpenTransaction: Bool {
    guard let header, usedUncountedPages > 1 else { return false }
    return !trees.contains { $0.root.map { $0.number > header.pageCount } ?? false }
  }

  /// How many pages beyond those that the header counts belong to anything: SQLite does not see them.
  fileprivate var usedUncountedPages: Int {
    guard let image, let header, header.isPageCountValid, header.pageCount < image.pageCount,
      header.pageCount != image.statedPageCount
    else { return 0 }
    var count = 0
    claims.forEach(from: header.pageCount + 1) { _, owner in count += owner == .reserved ? 0 : 1 }
    return count
  }

  /// Whether the header counts pages that are not there and cannot all have been free.
  ///
  /// Where nothing leads to them, page 1 is younger than the rest. A number that has nothing to do with
  /// the file is only damaged.
  fileprivate var lacksCountedPages: Bool {
    guard let image, let header, header.isPageCountValid, firstMovedPage == nil,
      header.pageCount != image.statedPageCount, !leadsBeyondEnd
    else { return false }
    let missing = header.pageCount - image.pageCount
    return missing > header.freelistCount && missing <= image.pageCount
  }
}
