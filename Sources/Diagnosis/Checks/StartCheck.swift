// SPDX-License-Identifier: Apache-2.0
// Does the database begin where the file does, and does each page lie where its number says?

import SQLiteFormat

enum StartCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let decision = survey.geometry, survey.image != nil else { return [] }
    return start(decision) + moved(survey.firstMovedPage)
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

  private static func moved(_ first: PageNumber?) -> [Finding] {
    guard let first else { return [] }
    return [
      Finding(
        .pagesMoved,
        "bytes are missing or were put in before page \(first): the pages from there on do not lie "
          + "where their numbers say, and are read as if they did",
        at: .init(page: first))
    ]
  }
}
