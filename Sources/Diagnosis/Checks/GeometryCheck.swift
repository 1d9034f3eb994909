// SPDX-License-Identifier: Apache-2.0
// Header, page size, and the size of the file.

import SQLiteFormat

enum GeometryCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    guard let decision = survey.geometry, let image = survey.image else { return [] }
    return header(survey, decision) + transfer(survey, decision)
      + size(survey, image, decision.geometry)
  }

  private static func header(_ survey: Survey, _ decision: GeometryDecision) -> [Finding] {
    var findings: [Finding] = []
    let onPageOne = Finding.Place(page: .first, offset: 0)
    if survey.header?.hasMagic != true {
      findings.append(
        Finding(.headerDamaged, "the file header is not that of SQLite", at: onPageOne))
    }
    if decision.basis == .vote {
      let reserved = decision.geometry.reserved
      findings.append(
        Finding(
          .geometryVoted,
          "the pages agree on a page size of \(decision.geometry.pageSize) bytes"
            + (reserved > 0 ? " with \(reserved) reserved" : "")))
    }
    guard let header = survey.header else { return findings }
    if header.readVersion > 2 || header.writeVersion > 2 {
      findings.append(
        Finding(
          .unsupportedVersion,
          "the file format version is \(header.writeVersion) for writing, "
            + "\(header.readVersion) for reading", at: onPageOne))
    }
    if header.encoding == nil, survey.schema?.entries.isEmpty == false {
      findings.append(
        Finding(
          .headerDamaged,
          "the header names no text encoding; the schema reads as "
            + survey.encoding.name, at: .init(page: .first, offset: 56)))
    }
    return findings
  }

  private static func transfer(_ survey: Survey, _ decision: GeometryDecision) -> [Finding] {
    var findings: [Finding] = []
    if decision.start > 0 {
      findings.append(
        Finding(
          .startShifted, "the database starts at byte \(decision.start) of the file",
          at: .init(offset: decision.start)))
    }
    if survey.hasConvertedLineEndings {
      findings.append(
        Finding(
          .lineEndingsConverted,
          "every line feed follows a carriage return: the file was transferred as text"))
    }
    return findings
  }

  private static func size(_ survey: Survey, _ image: Image, _ geometry: Geometry) -> [Finding] {
    var findings: [Finding] = []
    let bytes = image.files.main.byteCount - image.start
    let rest = bytes % geometry.pageSize
    if rest != 0 {
      findings.append(
        Finding(
          .partialLastPage,
          "the file ends \(rest) bytes into page \(bytes / geometry.pageSize + 1)",
          at: .init(page: PageNumber(bytes / geometry.pageSize + 1))))
    }
    guard let header = survey.header, header.isPageCountValid else { return findings }
    let pagesInFile = (bytes + geometry.pageSize - 1) / geometry.pageSize
    switch image.wal {
    case .applied: break
    default:
      guard header.pageCount != image.pageCount else { break }
      findings.append(
        header.pageCount > pagesInFile
          ? Finding(
            .truncated,
            "the header counts \(counted(header.pageCount, "page")), the file has "
              + "\(counted(pagesInFile, "page"))", at: .init(page: PageNumber(pagesInFile + 1)))
          : Finding(
            .pageCountMismatch,
            "the header counts \(counted(header.pageCount, "page")), the file has "
              + "\(counted(pagesInFile, "page"))", at: .init(page: .first, offset: 28)))
    }
    return findings
  }
}
