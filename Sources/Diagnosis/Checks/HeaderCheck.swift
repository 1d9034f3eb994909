// SPDX-License-Identifier: Apache-2.0
// Is the file header SQLite's, and does it say of the pages what they say themselves?

import SQLiteFormat

enum HeaderCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let decision = survey.geometry, survey.image != nil else { return [] }
    let isSQLites = survey.header?.hasMagic == true || survey.hasHeadOfAnother
    let findings = (isSQLites ? [] : [notSQLites]) + voted(decision)
    guard let header = survey.header else { return findings }
    return findings + numbers(header) + pointerMaps(header, survey) + version(header)
      + largestRoot(header, survey) + encoding(header, survey)
  }

  private static let start = Finding.Place(page: .first, offset: 0)

  private static let notSQLites = Finding(
    .headerDamaged, "the file header is not that of SQLite", at: start)

  /// The page size, where the pages were asked for it.
  private static func voted(_ decision: GeometryDecision) -> [Finding] {
    guard decision.basis == .vote else { return [] }
    return [
      Finding(.geometryVoted, "the pages agree on a page size of \(decision.geometry.words)")
    ]
  }

  private static func numbers(_ header: DatabaseHeader) -> [Finding] {
    guard
      !header.hasPayloadFractions || header.schemaFormat > 4
        || header.incrementalVacuum && !header.isAutoVacuum
    else { return [] }
    return [
      Finding(.headerDamaged, "a number in the header is one that SQLite never writes", at: start)
    ]
  }

  private static func pointerMaps(_ header: DatabaseHeader, _ survey: Survey) -> [Finding] {
    guard header.isAutoVacuum, !survey.hasPointerMaps else { return [] }
    return [
      Finding(
        .headerDamaged, "the header speaks of pointer maps, and there are none",
        at: .init(page: .first, offset: 52))
    ]
  }

  /// SQLite reads a file that it must not write, and refuses one that it must not read.
  private static func version(_ header: DatabaseHeader) -> [Finding] {
    guard header.readVersion > 2 || header.writeVersion > 2 else { return [] }
    return [
      Finding(
        .unsupportedVersion,
        "the file format version is \(header.writeVersion) for writing, "
          + "\(header.readVersion) for reading", at: start,
        severity: header.readVersion > 2 ? .damage : nil)
    ]
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
}
