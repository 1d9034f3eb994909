// SPDX-License-Identifier: Apache-2.0
// Does the pointer map say of each page what the trees say?

import SQLiteFormat

enum PointerMapCheck: SurveyCheck {
  static func findings(in survey: Survey) -> [Finding] {
    guard let first = survey.pointerMapFaults.first.first else { return [] }
    return [
      Finding(
        .pointerMapMismatch,
        "the pointer map contradicts \(counted(survey.pointerMapFaults.count, "page"))",
        at: .init(page: first.page))
    ]
  }
}
