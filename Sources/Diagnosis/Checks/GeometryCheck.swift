// SPDX-License-Identifier: Apache-2.0
// Header, page size, and the size of the file.

import SQLiteFormat

enum GeometryCheck: Check {
  static func findings(in survey: Survey) -> [Finding] {
    let transfer =
      (survey.transfer.map { [finding(of: $0)] } ?? []) + survey.neighbours.map(finding)
    guard let decision = survey.geometry, let image = survey.image else { return transfer }
    return header(survey, decision) + start(decision) + moved(survey) + transfer
      + size(survey, image, decision.geometry)
  }

  private static func moved(_ survey: Survey) -> [Finding] {
    guard let first = survey.firstMovedPage else { return [] }
    return [
      Finding(
        .pagesMoved,
        "bytes are missing or were put in before page \(first): the pages from there on do not lie "
          + "where their numbers say, and are read as if they did",
        at: .init(page: first))
    ]
  }

  private static func finding(of neighbour: Neighbour) -> Finding {
    Finding(.databaseBeside, neighbour.message, at: .init(offset: neighbour.range.lowerBound))
  }

  private static func header(_ survey: Survey, _ decision: GeometryDecision) -> [Finding] {
    var findings: [Finding] = []
    let onPageOne = Finding.Place(page: .first, offset: 0)
    if survey.header?.hasMagic != true, !survey.hasHeadOfAnother {
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
    if !header.hasPayloadFractions || header.schemaFormat > 4
      || header.incrementalVacuum && !header.isAutoVacuum
    {
      findings.append(
        Finding(
          .headerDamaged, "a number in the header is one that SQLite never writes", at: onPageOne))
    }
    if header.isAutoVacuum, !survey.hasPointerMaps {
      findings.append(
        Finding(
          .headerDamaged, "the header speaks of pointer maps, and there are none",
          at: .init(page: .first, offset: 52)))
    }
    if header.readVersion > 2 || header.writeVersion > 2 {
      // SQLite reads a file that it must not write, and refuses one that it must not read.
      findings.append(
        Finding(
          .unsupportedVersion,
          "the file format version is \(header.writeVersion) for writing, "
            + "\(header.readVersion) for reading", at: onPageOne,
          severity: header.readVersion > 2 ? .damage : nil))
    }
    return findings + largestRoot(header, survey) + encoding(header, survey)
  }

  /// The header's largest root page against the schema's.
  private static func largestRoot(_ header: DatabaseHeader, _ survey: Survey) -> [Finding] {
    guard header.isAutoVacuum, survey.hasPointerMaps, let schema = survey.schema, schema.isWhole
    else { return [] }
    let largest = schema.entries.compactMap { $0.root?.number }.max() ?? 1
    guard Int(header.largestRoot) != largest else { return [] }
    return [
      Finding(
        .headerDamaged,
        "the header says that the last root page is \(header.largestRoot), and it is \(largest)",
        at: .init(page: .first, offset: 52))
    ]
  }

  /// The header's encoding against that of the text in the pages.
  private static func encoding(_ header: DatabaseHeader, _ survey: Survey) -> [Finding] {
    guard header.encoding != survey.encoding,
      header.encoding != nil || survey.schema?.entries.isEmpty == false
    else { return [] }
    return [
      Finding(
        .headerDamaged,
        (header.encoding.map { "the header says that text is in \($0.name)" }
          ?? "the header names no text encoding") + "; the pages read as \(survey.encoding.name)",
        at: .init(page: .first, offset: 56))
    ]
  }

  private static func start(_ decision: GeometryDecision) -> [Finding] {
    if !decision.hasPageNumbers {
      return [
        Finding(
          .startShifted,
          "the pages cannot be numbered: nothing tells how many are missing before the first one, "
            + "and no page can be followed to another", severity: .loss)
      ]
    }
    if decision.start > 0 {
      return [
        Finding(
          .startShifted, "the database starts at byte \(decision.start) of the file",
          at: .init(offset: decision.start))
      ]
    }
    guard decision.start < 0 else { return [] }
    return [
      Finding(
        .startShifted, "the first \(-decision.start) bytes of the database are missing",
        severity: .loss)
    ]
  }

  private static func finding(of transfer: TextTransfer) -> Finding {
    switch transfer {
    case .lineFeedsExpanded(let removed):
      Finding(
        .lineEndingsConverted,
        "every line feed follows a carriage return: the file was transferred as text, and is read "
          + "without \(counted(removed, "carriage return"))", severity: .damage)
    case .carriageReturnsDropped:
      Finding(
        .lineEndingsConverted,
        "no carriage return is left before a line feed, and the file is too short: it was "
          + "transferred as text, and what was dropped cannot be put back")
    case .reencoded:
      Finding(
        .lineEndingsConverted,
        "every byte that is not ASCII was replaced: the file was transferred as UTF-8 text, and "
          + "the bytes are lost")
    }
  }

  private static func size(_ survey: Survey, _ image: Image, _ geometry: Geometry) -> [Finding] {
    var findings: [Finding] = []
    let bytes = image.files.main.byteCount - image.start
    let rest = bytes % geometry.pageSize
    // A page that a checkpoint was writing lies whole in the log; one behind the end is nobody's.
    let last = PageNumber(bytes / geometry.pageSize + 1)
    let isWhole = last.map { image.origin(of: $0) != .main || $0.number > image.pageCount } ?? false
    if rest != 0, !isWhole {
      findings.append(
        Finding(
          .partialLastPage,
          "the file ends \(rest) bytes into page \(bytes / geometry.pageSize + 1)",
          at: .init(page: last)))
    }
    // Pages that no tree leads to were free.
    let severity: Finding.Severity = survey.holdsEveryRow ? .damage : .loss
    if image.missingPages > 0 {
      findings.append(
        Finding(
          .truncated,
          "the journals count \(counted(image.missingPages, "page")) that are in none of the files",
          at: .init(page: image.firstMissingPage), severity: severity))
    }
    guard let header = survey.header, header.isPageCountValid,
      header.pageCount != image.statedPageCount
    else { return findings }
    let message =
      "the header counts \(counted(header.pageCount, "page")), there are "
      + "\(counted(image.pageCount, "page"))"
    findings.append(
      header.pageCount > image.pageCount
        ? Finding(
          .truncated, message, at: .init(page: PageNumber(image.pageCount + 1)), severity: severity)
        : Finding(
          .pageCountMismatch, message, at: .init(page: .first, offset: 28),
          severity: survey.usesPages(after: header.pageCount) ? .damage : .notice))
    return findings
  }
}

extension Survey {
  /// Whether a page beyond the first so many belongs to anything: SQLite does not see it then.
  fileprivate func usesPages(after count: Int) -> Bool {
    guard let image, count < image.pageCount else { return false }
    var isUsed = false
    claims.forEach(from: count + 1) { _, owner in isUsed = isUsed || owner != Self.reservedOwner }
    return isUsed
  }
}
